"""The state of one pytest run, or of one xdist worker: settings, emulator, templates, report.

`config.stash` holds the state, which is created on first access. With `spanner_start = eager` the
emulator starts before any conftest.py is imported: a module that creates a Spanner client at import
then finds an emulator. Without the setting, the import fails as on a machine without credentials; a
hint then names the setting.
"""

from __future__ import annotations

import sys
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
from pytest_spanemu.options import SEED_VARIABLE, Start, Unsupported
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.settings import Settings, read_early_settings, read_settings, read_start
from pytest_spanemu.targets.resource_names import EMULATOR_HOST

if TYPE_CHECKING:
    from pytest_spanemu.databases.allocation import DatabaseAllocator
    from pytest_spanemu.databases.templates import Templates
    from pytest_spanemu.report.run_facts import RunFacts
    from pytest_spanemu.targets.target import SpannerEmulator
    from spanemu.config import ConfigChanges


CLIENT = "google.cloud.spanner_v1"
# Base classes of the errors of a client without credentials, project or server.
NO_SERVER = frozenset(
    {
        ("google.auth.exceptions", "GoogleAuthError"),
        ("google.api_core.exceptions", "ServiceUnavailable"),
        ("google.api_core.exceptions", "DeadlineExceeded"),
        ("google.api_core.exceptions", "RetryError"),
    }
)
NO_PROJECT = "Project was not passed"
HINT = (
    "spanner: the error occurred during an import, before the emulator of the tests started. If a "
    "module creates a Spanner client when it is imported, set `spanner_start = eager` in pytest's "
    "ini file (or pass --spanner-start=eager): the emulator then starts before any conftest.py is "
    f"imported, and {EMULATOR_HOST} holds its address."
)


class Run:
    """The state of one run."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.config = config
        self.settings = settings
        self.report = RunReport()
        self._started_at = datetime.now(UTC).astimezone()
        self._began = perf_counter()
        self._eager = ExitStack()
        self._environment = ExitStack()  # restores the variables on close
        self._started: SpannerEmulator | None = None

    @property
    def root(self) -> Path:
        """The directory at which relative paths of settings start."""
        return self.config.rootpath

    @cached_property
    def templates(self) -> Templates:
        """The templates of the test databases."""
        from pytest_spanemu.databases.templates import Templates

        return Templates(self.config, self.settings, self.report)

    @cached_property
    def allocator(self) -> DatabaseAllocator:
        """The allocator of the test databases."""
        from pytest_spanemu.databases.allocation import DatabaseAllocator

        return DatabaseAllocator(self.config, self.settings, self.report)

    def warm_up(self) -> None:
        """Import the modules that a test's database needs."""
        from spanemu.base.collector import heap

        _ = self.templates, self.allocator, spanemu.Emulator
        heap.freeze()
        source = getattr(getattr(self._started, "clock", None), "source", None)
        if source is not None:  # Tests may have imported time-machine since it started.
            source.bypass_mocked_time()

    def prepare_for_exit(self) -> None:
        """Let the process end faster, if its collections skip objects and this is no run in a test.

        Full collections take a tenth of a second in a process that has imported Google's client.
        """
        if self.was_used and len(_runs) == 1:
            from spanemu.base.collector import heap

            heap.prepare_for_exit()

    # ------------------------------------------------------------------ the emulator

    @contextmanager
    def emulator(self) -> Iterator[SpannerEmulator]:
        """Yield the run's emulator: the emulator started before collection, or a new emulator."""
        from pytest_spanemu.targets.target import start_target

        with ExitStack() as stack:
            emulator = self._started or stack.enter_context(start_target(self.settings))
            self.report.capabilities = emulator.capability_table()
            yield emulator
            self._forget(emulator)

    @contextmanager
    def another_emulator(self, **changes: Unpack[ConfigChanges]) -> Iterator[SpannerEmulator]:
        """Yield a further emulator in this process, besides the target of the run."""
        from pytest_spanemu.targets.target import start_embedded

        with start_embedded(self.settings, **changes) as emulator:
            yield emulator
            self._forget(emulator)

    def start_eagerly(self) -> None:
        """Start the emulator, and set the variables by which module-level clients find it.

        Does nothing if the emulator has been started already.
        """
        from pytest_spanemu.targets.target import start_target

        if self._started is not None:
            return
        self.config.add_cleanup(self.stop)
        started = self._started = self._eager.enter_context(start_target(self.settings))
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
        """Restore the environment that xdist's workers inherit, because they start own emulators.

        The environment then holds the seed, for workers that start their emulator before xdist
        sends them the seed.
        """
        if self._started is not None:
            self._environment.close()
            self._set_environment({SEED_VARIABLE: str(self.settings.seed)})

    def stop(self) -> None:
        """Stop the emulator started before collection, and restore the environment."""
        self._environment.close()
        self._eager.close()
        self._started = None

    def _set_environment(self, variables: Mapping[str, str]) -> None:
        environment = self._environment.enter_context(pytest.MonkeyPatch.context())
        for name, value in variables.items():
            environment.setenv(name, value)

    def _forget(self, emulator: SpannerEmulator) -> None:
        """Remove the templates of an emulator that stops, and their isolation strategies."""
        for template in self.templates.forget(emulator):
            self.allocator.close(template)

    def refuse(self, why: str, capability: str | None = None) -> None:
        """Skip or fail a test that its target cannot run, as `spanner_unsupported` says.

        The report counts the tests by the capability that the target lacks.
        """
        if capability is not None:
            self.report.refuse(capability)
        if self.settings.unsupported is Unsupported.SKIP:
            pytest.skip(why)
        if self.settings.unsupported is Unsupported.XFAIL:
            pytest.xfail(why)
        pytest.fail(why, pytrace=False)

    # ------------------------------------------------------------------ facts for reports

    @property
    def was_used(self) -> bool:
        """True if a test has used a database."""
        return bool(self.report.tests)

    @cached_property
    def facts(self) -> RunFacts:
        """Start time, duration until the first access, command and source commit of the run."""
        from pytest_spanemu.report.run_facts import RunFacts

        arguments = [str(each) for each in self.config.invocation_params.args]
        started, seconds = self._started_at.isoformat(timespec="seconds"), self.seconds
        return RunFacts.of(started, seconds, arguments, self.root)

    @property
    def seconds(self) -> float:
        """The time since the run began, in seconds."""
        return perf_counter() - self._began

    def describe(self) -> dict[str, Any]:
        """Return target, seed, project and facts of the run as plain data."""
        settings = self.settings
        names = {"target": str(settings.target), "seed": settings.seed, "project": settings.project}
        return names | self.facts.to_json()

    def summary(self) -> str:
        """Return one line about target, schema, seed, and the cost of template and setup."""
        report = self.report
        schema = report.schemas[0] if report.schemas else "no schema"
        databases = counted(len(report.tests), "database")
        return (
            f"spanner: {self.settings.target} · {schema} · seed {self.settings.seed} · template "
            f"{report.template_seconds:.2f} s · {databases}, "
            f"{report.setup_seconds * 1e3:.2f} ms each"
        )


_RUN = pytest.StashKey[Run]()
_runs: list[Run] = []  # Several, if a test runs pytest in this process.


def run_of(config: pytest.Config) -> Run:
    """Return the state of the run. Raises pytest.UsageError for an invalid setting."""
    run = config.stash.get(_RUN, None)
    if run is None:
        run = config.stash[_RUN] = Run(config, read_settings(config))
    return run


def enter_run(config: pytest.Config) -> Run:
    """Create the state of the run, which is the current run until pytest is unconfigured.

    Raises pytest.UsageError for an invalid setting.
    """
    run = run_of(config)
    _runs.append(run)
    config.add_cleanup(lambda: _runs.remove(run))
    return run


def current_run() -> Run:
    """Return the state of the run in progress, for fixtures that do not request `pytestconfig`.

    If a test runs pytest in this process, that is the run within the test.
    """
    return _runs[-1]


def install_run(config: pytest.Config, settings: Settings) -> Run:
    """Create the state of the run from settings read before pytest is fully configured."""
    run = config.stash[_RUN] = Run(config, settings)
    return run


def start_before_conftests(config: pytest.Config) -> None:
    """Start the emulator for `spanner_start = eager`. Raises pytest.UsageError.

    The settings come from the command line, the environment and the ini file, before conftest.py
    files add anything.
    """
    known = config.known_args_namespace
    if known.help or known.version or read_start(config) is not Start.EAGER:
        return
    run = install_run(config, read_early_settings(config))
    try:
        run.start_eagerly()
    except pytest.fail.Exception as problem:
        raise pytest.UsageError(str(problem)) from None


def hint_for(config: pytest.Config, error: BaseException | None) -> str | None:
    """Return the hint for an import that failed without a server, None for other errors."""
    if CLIENT not in sys.modules or not any(map(_lacks_server, _chain(error))):
        return None
    settings = run_of(config).settings
    return HINT if settings.start is Start.LAZY and settings.host is None else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, the error that pytest has wrapped, and the errors that caused it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        wrapped = getattr(error, "cause", None)  # of pytest's ConftestImportFailure
        following = wrapped if isinstance(wrapped, BaseException) else None
        error = following or error.__cause__ or error.__context__


def _lacks_server(error: BaseException) -> bool:
    classes = {(each.__module__, each.__name__) for each in type(error).__mro__}
    return bool(classes & NO_SERVER) or (isinstance(error, OSError) and NO_PROJECT in str(error))
