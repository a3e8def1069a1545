"""What one pytest run (one xdist worker) holds: settings, the emulator, templates, the book.

Kept in `config.stash`, made when somebody first asks. An emulator that starts before collection
(`spanner_start = eager`) is held here too.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

import pytest

import spanemu
from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.options import SEED_VARIABLE
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.setting_values import Unsupported
from pytest_spanemu.settings import Settings, read_settings
from pytest_spanemu.targets.resource_names import EMULATOR_HOST

if TYPE_CHECKING:
    from pytest_spanemu.databases.allocation import DatabaseAllocator
    from pytest_spanemu.databases.templates import Templates
    from pytest_spanemu.report.run_facts import RunFacts
    from pytest_spanemu.targets.target import SpannerEmulator
    from spanemu.config import ConfigChanges


class Run:
    """The state of one run."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.config = config
        self.settings = settings
        self.report = RunReport()
        self._started_at = datetime.now(UTC).astimezone()
        self._began = perf_counter()
        self._eager = ExitStack()
        self._environment = ExitStack()  # puts the variables back that were set
        self._started: SpannerEmulator | None = None

    @property
    def root(self) -> Path:
        """Where relative paths of settings start."""
        return self.config.rootpath

    @cached_property
    def templates(self) -> Templates:
        """What tests' databases look like at first."""
        from pytest_spanemu.databases.templates import Templates

        return Templates(self.config, self.settings, self.report)

    @cached_property
    def allocator(self) -> DatabaseAllocator:
        """Who gives tests their databases."""
        from pytest_spanemu.databases.allocation import DatabaseAllocator

        return DatabaseAllocator(self.config, self.settings, self.report)

    def warm_up(self) -> None:
        """Import everything that a test's database needs."""
        with _without_collections():
            _ = self.templates, self.allocator, spanemu.Emulator
        source = getattr(getattr(self._started, "clock", None), "source", None)
        if source is not None:  # It is here already, and tests may have imported time-machine.
            source.stay_real()

    # ------------------------------------------------------------------ the emulator

    @contextmanager
    def emulator(self) -> Iterator[SpannerEmulator]:
        """The run's emulator: the one that was started before collection, or a new one."""
        from pytest_spanemu.targets.target import running

        with ExitStack() as stack:
            emulator = self._started or stack.enter_context(running(self.settings))
            self.report.capabilities = emulator.capability_table()
            yield emulator
            self._forget(emulator)

    @contextmanager
    def another_emulator(self, **changes: Unpack[ConfigChanges]) -> Iterator[SpannerEmulator]:
        """An emulator in this process beside the run's own, whatever that is."""
        from pytest_spanemu.targets.target import embedded

        with embedded(self.settings, **changes) as emulator:
            yield emulator
            self._forget(emulator)

    def start_eagerly(self) -> None:
        """Start now, and set the variables by which module-level clients find the emulator.

        Does nothing when the emulator has been started already.
        """
        from pytest_spanemu.targets.target import running

        if self._started is not None:
            return
        self.config.add_cleanup(self.stop)
        started = self._started = self._eager.enter_context(running(self.settings))
        host = {EMULATOR_HOST: started.host_port} if started.is_emulator else {}
        self._set_environment(
            host
            | {
                "GOOGLE_CLOUD_PROJECT": self.settings.project,
                "SPANNER_PROJECT_ID": self.settings.project,
                "SPANNER_INSTANCE_ID": self.settings.instance,
                "SPANNER_DATABASE_ID": self.settings.database,
                "SPANNER_DISABLE_BUILTIN_METRICS": "true",
            }
        )

    def prepare_for_workers(self) -> None:
        """Put back the environment, which xdist's workers inherit: they start emulators themselves.

        A worker that starts its emulator before it is told the seed finds the seed there.
        """
        if self._started is not None:
            self._environment.close()
            self._set_environment({SEED_VARIABLE: str(self.settings.seed)})

    def stop(self) -> None:
        """End what was started before collection, and leave the environment as it was."""
        self._environment.close()
        self._eager.close()
        self._started = None

    def _set_environment(self, variables: Mapping[str, str]) -> None:
        environment = self._environment.enter_context(pytest.MonkeyPatch.context())
        for name, value in variables.items():
            environment.setenv(name, value)

    def _forget(self, emulator: SpannerEmulator) -> None:
        """An emulator goes: so do its templates, and what keeps them."""
        for template in self.templates.forget(emulator):
            self.allocator.close(template)

    def refuse(self, why: str, capability: str | None = None) -> None:
        """End a test that its target cannot run, as `spanner_unsupported` says. The report counts
        those that lacked a capability.
        """
        if capability is not None:
            self.report.refuse(capability)
        if self.settings.unsupported is Unsupported.SKIP:
            pytest.skip(why)
        if self.settings.unsupported is Unsupported.XFAIL:
            pytest.xfail(why)
        pytest.fail(why, pytrace=False)

    # ------------------------------------------------------------------ what is told

    @property
    def was_used(self) -> bool:
        """Whether a test had a database."""
        return bool(self.report.tests)

    @cached_property
    def facts(self) -> RunFacts:
        """When the run started, how long it took until now, its command, the commit it ran on."""
        from pytest_spanemu.report.run_facts import RunFacts

        arguments = [str(each) for each in self.config.invocation_params.args]
        started, seconds = self._started_at.isoformat(timespec="seconds"), self.seconds
        return RunFacts.of(started, seconds, arguments, self.root)

    @property
    def seconds(self) -> float:
        """How long the run has taken so far."""
        return perf_counter() - self._began

    def described(self) -> dict[str, Any]:
        """Return what was run as plain data."""
        settings = self.settings
        named = {"target": str(settings.target), "seed": settings.seed, "project": settings.project}
        return named | self.facts.to_json()

    def summary(self) -> str:
        """One line on what was run and what set-up cost."""
        report = self.report
        schema = report.schemas[0] if report.schemas else "no schema"
        databases = counted(len(report.tests), "database")
        return (
            f"spanner: {self.settings.target} · {schema} · seed {self.settings.seed} · template "
            f"{report.template_seconds:.2f} s · {databases}, "
            f"{report.setup_seconds * 1e3:.2f} ms each"
        )


@contextmanager
def _without_collections() -> Iterator[None]:
    """Import in a block without garbage collections, for imports leave next to no garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


_RUN = pytest.StashKey[Run]()


def run_of(config: pytest.Config) -> Run:
    """The run's state. Raises pytest.UsageError when a setting makes no sense."""
    found = config.stash.get(_RUN, None)
    if found is None:
        found = config.stash[_RUN] = Run(config, read_settings(config))
    return found


def install_run(config: pytest.Config, settings: Settings) -> Run:
    """Make the run's state from settings that were read before pytest's configuration is whole."""
    made = config.stash[_RUN] = Run(config, settings)
    return made
