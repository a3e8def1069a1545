"""What one pytest run (one xdist worker) holds: settings, templates, keepers, set-up times.

Kept in `config.stash`, made when somebody first asks. An emulator that starts before collection
(`spanner_start = eager`) is held here too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.options import (
    Isolation,
    Settings,
    Unsupported,
    isolation_named,
    read_settings,
)

if TYPE_CHECKING:
    from pytest_spanemu.isolation import Keeper
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.targets import SpannerEmulator
    from pytest_spanemu.template import Schema, Template


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a test's markers, or a factory's arguments, ask for; None is "as the run says"."""

    schema: tuple[str, ...] | None = None
    seeds: tuple[str, ...] | None = None
    isolation: Isolation | None = None
    targets: tuple[str, ...] | None = None


@dataclass(slots=True)
class Run:
    """The state of one run."""

    settings: Settings
    root: Path
    _templates: dict[Any, Template] = field(default_factory=dict)
    _keepers: dict[Any, Keeper] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(2))
    _eager: ExitStack = field(default_factory=ExitStack)
    _started: SpannerEmulator | None = None
    _template_seconds: float = 0.0
    _setup_seconds: list[float] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)

    # ------------------------------------------------------------------ the emulator

    @contextmanager
    def emulator(self) -> Iterator[SpannerEmulator]:
        """The run's emulator: the one that was started before collection, or a new one."""
        from pytest_spanemu.targets import running

        if self._started is not None:
            yield self._started
        else:
            with running(self.settings) as started:
                yield started
        self.forget_templates()

    def start_eagerly(self) -> dict[str, str]:
        """Start before collection; the environment in which module-level clients find it."""
        from pytest_spanemu.targets import running

        started = self._started = self._eager.enter_context(running(self.settings))
        return {
            "SPANNER_EMULATOR_HOST": started.host_port,
            "GOOGLE_CLOUD_PROJECT": self.settings.project,
            "SPANNER_PROJECT_ID": self.settings.project,
            "SPANNER_INSTANCE_ID": self.settings.instance,
            "SPANNER_DATABASE_ID": self.settings.database,
            "SPANNER_DISABLE_BUILTIN_METRICS": "true",
        }

    def stop(self) -> None:
        """End what was started before collection."""
        self._eager.close()
        self._started = None

    def refuse(self, why: str) -> None:
        """End a test that its target cannot run, as `spanner_unsupported` says."""
        if self.settings.unsupported is Unsupported.SKIP:
            pytest.skip(why)
        if self.settings.unsupported is Unsupported.XFAIL:
            pytest.xfail(why)
        pytest.fail(why, pytrace=False)

    # ------------------------------------------------------------------ templates

    def default_template(self, emulator: SpannerEmulator, schema: Schema) -> Template:
        """The template of the run's own schema and seeds."""
        return self._template(emulator, schema, self._seeds(), self.settings.database)

    def special_template(
        self,
        emulator: SpannerEmulator,
        wishes: Wishes,
        fill: Callable[[SpannerFactory], object] | None = None,
    ) -> Template:
        """The template of a marker's or factory's schema and seeds, built now or before.

        `fill` adds rows to it.
        """
        from pytest_spanemu.template import schema_for

        key = (wishes.schema, wishes.seeds, fill)
        if key not in self._templates:
            sources = self.settings.schema if wishes.schema is None else wishes.schema
            seeds = wishes.seeds
            if seeds is None:  # The usual rows would not fit another schema.
                seeds = self._seeds() if wishes.schema is None else ()
            name = f"{self.settings.database[:24]}-{next(self._numbers)}"
            schema = schema_for(sources, self.root, usual=wishes.schema is None)
            self._templates[key] = self._template(emulator, schema, seeds, name)
            if fill is not None:
                from pytest_spanemu.rows.factory import SpannerFactory

                fill(SpannerFactory(self._templates[key].database, seed=self.settings.seed))
        return self._templates[key]

    def _template(
        self, emulator: SpannerEmulator, schema: Schema, seeds: tuple[str, ...], name: str
    ) -> Template:
        from pytest_spanemu.seeds import load_seeds
        from pytest_spanemu.template import Template

        began = perf_counter()
        try:
            template = Template(emulator, name, schema)
            load_seeds(template.database, seeds, self.root)
        except ValueError as problem:  # SourceError: whose text says it all
            pytest.fail(str(problem), pytrace=False)
        self._template_seconds += perf_counter() - began
        self._texts.append(str(schema))
        return template

    def _seeds(self) -> tuple[str, ...]:
        from pytest_spanemu.seeds import default_seeds

        return self.settings.seeds or default_seeds(self.root)

    def forget_templates(self) -> None:
        """Give up templates and keepers, before their emulator goes."""
        for keeper in self._keepers.values():
            with contextlib.suppress(Exception):  # The emulator may be gone already.
                keeper.close()
        self._keepers.clear()
        self._templates.clear()

    # ------------------------------------------------------------------ tests

    @contextmanager
    def lend(self, template: Template, isolation: Isolation) -> Iterator[Any]:
        """The handle of a test's database, for as long as the test runs."""
        from pytest_spanemu.isolation import keeper_for

        began = perf_counter()
        key = (id(template), isolation)
        keeper = self._keepers.get(key)
        if keeper is None:
            keeper = keeper_for(isolation, template, self.settings.database_prefix)
            self._keepers[key] = keeper
            began = perf_counter()  # What is done once is not charged to the first test.
        handle = keeper.enter()
        entered = perf_counter() - began
        try:
            yield handle
        finally:
            began = perf_counter()
            keeper.leave()
            self._setup_seconds.append(entered + perf_counter() - began)

    @property
    def was_used(self) -> bool:
        """Whether a test had a database."""
        return bool(self._setup_seconds)

    def summary(self) -> str:
        """One line on what was run and what set-up cost."""
        each = median(self._setup_seconds) * 1e3
        schema = self._texts[0] if self._texts else "no schema"
        return (
            f"spanner: {self.settings.target} · {schema} · seed {self.settings.seed} · template "
            f"{self._template_seconds:.2f} s · {len(self._setup_seconds)} databases, "
            f"{each:.2f} ms each"
        )


_RUN = pytest.StashKey[Run]()


def run_of(config: pytest.Config) -> Run:
    """The run's state. Raises pytest.UsageError when a setting makes no sense."""
    found = config.stash.get(_RUN, None)
    if found is None:
        found = config.stash[_RUN] = Run(read_settings(config), config.rootpath)
    return found


# ---------------------------------------------------------------------------- markers

_KEYWORDS = frozenset({"schema", "seeds", "isolation", "targets"})


def wishes_of(node: pytest.Item) -> Wishes:
    """What the `spanner` markers of a test ask for, the closest first."""
    found: dict[str, Any] = {}
    for marker in node.iter_markers("spanner"):
        wrong = [*map(repr, marker.args), *sorted(marker.kwargs.keys() - _KEYWORDS)]
        if wrong:
            raise pytest.UsageError(
                f"{node.nodeid}: marker spanner does not take {', '.join(wrong)}; "
                f"it takes {', '.join(sorted(_KEYWORDS))}."
            )
        found = dict(marker.kwargs) | found
    return checked_wishes(found, node.nodeid)


def checked_wishes(given: dict[str, Any], where: str) -> Wishes:
    """Keyword arguments of a marker or a factory, checked. Raises pytest.UsageError."""
    isolation = given.get("isolation")
    return Wishes(
        schema=words(given.get("schema")),
        seeds=words(given.get("seeds")),
        isolation=isolation and isolation_named(isolation, f"{where}: isolation"),
        targets=words(given.get("targets")),
    )


def words(given: Any) -> tuple[str, ...] | None:
    """One word or several, as a tuple; None stays None."""
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(str(each) for each in given)
