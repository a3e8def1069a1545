"""What one pytest run (one xdist worker) holds: settings, templates, keepers, set-up times.

Kept in `config.stash`, made when somebody first asks. An emulator that starts before collection
(`spanner_start = eager`) is held here too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

import spanemu
from pytest_spanemu.kinds import Isolation, Unsupported
from pytest_spanemu.options import Settings, isolation_named, read_settings, words
from pytest_spanemu.report.book import Book
from pytest_spanemu.report.figures import Figures

if TYPE_CHECKING:
    from pytest_spanemu.isolation import Keeper
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.observation import Observation
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.targets import SpannerEmulator
    from pytest_spanemu.template import Schema, Template


COMMITS_JUDGED_MIN = 5  # No rule of the detector speaks below, so most tests need no report.


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

    config: pytest.Config
    settings: Settings
    _templates: dict[Any, Template] = field(default_factory=dict)
    _made: list[Template] = field(default_factory=list)
    _keepers: dict[Any, Keeper] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(2))
    _eager: ExitStack = field(default_factory=ExitStack)
    _started: SpannerEmulator | None = None
    book: Book = field(default_factory=Book)

    @property
    def root(self) -> Path:
        """Where relative paths of settings start."""
        return self.config.rootpath

    # ------------------------------------------------------------------ the emulator

    @contextmanager
    def emulator(self) -> Iterator[SpannerEmulator]:
        """The run's emulator: the one that was started before collection, or a new one."""
        from pytest_spanemu.targets import running

        if self._started is not None:
            yield self._started
            self._forget_templates(self._started)
        else:
            with running(self.settings) as started:
                yield started
                self._forget_templates(started)

    def start_eagerly(self) -> None:
        """Start before collection, and tell the environment, where module-level clients look."""
        from pytest_spanemu.targets import running

        started = self._started = self._eager.enter_context(running(self.settings))
        host = {"SPANNER_EMULATOR_HOST": started.host_port} if started.is_emulator else {}
        told = host | {
            "GOOGLE_CLOUD_PROJECT": self.settings.project,
            "SPANNER_PROJECT_ID": self.settings.project,
            "SPANNER_INSTANCE_ID": self.settings.instance,
            "SPANNER_DATABASE_ID": self.settings.database,
            "SPANNER_DISABLE_BUILTIN_METRICS": "true",
        }
        environment = self._eager.enter_context(pytest.MonkeyPatch.context())
        for name, value in told.items():
            environment.setenv(name, value)

    def stop(self) -> None:
        """End what was started before collection, and leave the environment as it was."""
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

    def schema_of(self, sources: tuple[str, ...], *, usual: bool = True) -> Schema:
        """The schema of sources, some of which other plugins may know."""
        from pytest_spanemu.template import schema_for

        def load(source: str) -> Any:
            return self.config.hook.pytest_spanemu_load_schema(config=self.config, source=source)

        return schema_for(sources, self.root, load, usual=usual)

    def factory(self, database: Any, **settings: Any) -> SpannerFactory:
        """Row factories with the run's seed, and the values that other plugins make."""
        from pytest_spanemu.rows.factory import SpannerFactory

        made = SpannerFactory(database, seed=self.settings.seed, **settings)
        for providers in self.config.hook.pytest_spanemu_providers(config=self.config):
            for name, make in providers.items():
                made.provider(name, make)
        return made

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
        key = (wishes.schema, wishes.seeds, fill)
        if key not in self._templates:
            sources = self.settings.schema if wishes.schema is None else wishes.schema
            seeds = wishes.seeds
            if seeds is None:  # The usual rows would not fit another schema.
                seeds = self._seeds() if wishes.schema is None else ()
            name = f"{self.settings.database[:24]}-{next(self._numbers)}"
            schema = self.schema_of(sources, usual=wishes.schema is None)
            self._templates[key] = self._template(emulator, schema, seeds, name)
            if fill is not None:
                fill(self.factory(self._templates[key].database))
        return self._templates[key]

    def _template(
        self, emulator: SpannerEmulator, schema: Schema, seeds: tuple[str, ...], name: str
    ) -> Template:
        from pytest_spanemu.django_setup import unblocked
        from pytest_spanemu.progress import shown
        from pytest_spanemu.seeds import load_seeds
        from pytest_spanemu.template import Template

        began = perf_counter()
        try:
            with shown(self.config) as tell, unblocked(self.config):
                template = Template(emulator, name, schema, tell)
                self._made.append(template)
                tell("seeds")
                load_seeds(template.database, seeds, self.root)
            self._lint(schema, template)
        except (ValueError, spanemu.SchemaRejected) as problem:  # whose text says it all
            pytest.fail(str(problem), pytrace=False)
        self.book.template_seconds += perf_counter() - began
        self.book.schemas.append(str(schema))
        return template

    def _lint(self, schema: Schema, template: Template) -> None:
        """Fail for what the linter has against a schema, if the run's `fail_on` says so."""
        fail_on = self.settings.fail_on
        if any(word.startswith("lint:") for word in fail_on):
            from pytest_spanemu.lint import problems

            if found := problems(schema, template.handle.ddl(), self.root, fail_on):
                pytest.fail("\n".join(["lint:", *(f"  {text}" for text in found)]), pytrace=False)

    def _seeds(self) -> tuple[str, ...]:
        from pytest_spanemu.seeds import default_seeds

        return self.settings.seeds or default_seeds(self.root)

    def _forget_templates(self, emulator: SpannerEmulator) -> None:
        """Give up templates and keepers; drop what was made where it would stay."""
        for keeper in self._keepers.values():
            with contextlib.suppress(Exception):  # A test may have dropped the database.
                keeper.close()
        for template in self._made if not emulator.is_ours else ():
            with contextlib.suppress(Exception):
                template.handle.drop()
        self._keepers.clear()
        self._templates.clear()
        self._made.clear()

    @contextmanager
    def migrator(self, emulator: SpannerEmulator, wishes: Wishes) -> Iterator[SpannerMigrator]:
        """An empty database, and the migrations of the schema sources to run on it."""
        from pytest_spanemu.migrator import SpannerMigrator, ladder_of
        from pytest_spanemu.template import Schema, Template

        sources = self.settings.schema if wishes.schema is None else wishes.schema
        ladder = ladder_of(self.schema_of(sources).sources)
        name = f"{self.settings.database[:24]}-{next(self._numbers)}"
        template = Template(emulator, name, Schema((), ()))
        try:
            yield SpannerMigrator(template, ladder, self.factory(template.database))
        finally:
            template.handle.drop()

    # ------------------------------------------------------------------ tests

    def keeper(self, template: Template, isolation: Isolation) -> Keeper:
        """Who gives tests their databases from a template, and undoes what they did."""
        from pytest_spanemu.isolation import keeper_for

        key = (id(template), isolation)
        if key not in self._keepers:
            self._keepers[key] = keeper_for(isolation, template, self.settings.database_prefix)
        return self._keepers[key]

    @contextmanager
    def lend(self, template: Template, isolation: Isolation, test: str) -> Iterator[Observation]:
        """A test's database, watched as the run's reports need it, for as long as the test runs."""
        keeper = self.keeper(template, isolation)  # Made once, and so not charged to a test.
        began = perf_counter()
        handle = keeper.enter()
        entered = perf_counter() - began
        observation = self._observed(template.emulator, handle)
        try:
            yield observation
        finally:
            try:
                self._write_down(observation, test)
            finally:
                began = perf_counter()
                keeper.leave()
            self.book.page(test).setup_seconds += entered + perf_counter() - began

    def _observed(self, emulator: SpannerEmulator, handle: Any) -> Observation:
        from pytest_spanemu.observation import Observation
        from pytest_spanemu.targets import HOTSPOTS, RECORDING

        observation = Observation(emulator, handle)
        told, fail_on = self.settings.report.are_wanted, self.settings.fail_on
        if (told or "full-scan" in fail_on) and emulator.can(RECORDING):
            _ = observation.recording
        if (told or "hotspot" in fail_on) and emulator.can(HOTSPOTS):
            _ = observation.hotspots
        return observation

    def _write_down(self, observation: Observation, test: str) -> None:
        from pytest_spanemu.leftovers import leftovers

        observation.end()
        page, recorded = self.book.page(test), observation.recorded
        if recorded is not None:
            page.take_recording(recorded)
        commits = COMMITS_JUDGED_MIN if recorded is None else len(recorded.commits)
        if observation.watched is not None and commits >= COMMITS_JUDGED_MIN:
            page.take_hotspots(observation.watched.report())
        if self.settings.report.html:
            self._tell_all(observation, page, commits)
        page.left_open += leftovers(observation.handle, recorded)

    def _tell_all(self, observation: Observation, page: Figures, commits: int) -> None:
        """What the HTML report shows of a test besides its figures."""
        from pytest_spanemu.report.details import details_of, findings_of, picture_of
        from pytest_spanemu.targets import PLANS

        details: dict[str, Any] = {}
        emulator = observation.emulator
        if observation.recorded is not None:
            database = observation.handle.client() if emulator.can(PLANS) else None
            details |= details_of(observation.recorded, database)
        if observation.watched is not None and commits >= COMMITS_JUDGED_MIN:
            details["findings"] = findings_of(observation.watched.report())
            self.book.add_picture(page.test, picture_of(observation.watched))
        page.databases.append(details)

    def finish(self, test: str, budget: Mapping[str, int] | None = None) -> None:
        """Take a test's figures as they are now; fail it for what the run's `fail_on` names."""
        page, fail_on = self.book.page(test), self.settings.fail_on
        page.take_budget(budget or {})
        page.remarks += self.config.hook.pytest_spanemu_report_row(
            config=self.config, test=test, figures=page.to_json()
        )
        told = [
            f"{title}:\n" + "\n".join(f"  {text}" for text in texts)
            for word, title, texts in (
                ("hotspot", "hotspots", page.hotspots),
                ("full-scan", "full scans", page.scans),
                ("open-transaction", "transactions left open", page.left_open),
            )
            if word in fail_on and texts
        ]
        if told:
            pytest.fail("\n".join(told), pytrace=False)

    @property
    def was_used(self) -> bool:
        """Whether a test had a database."""
        return bool(self.book.tests)

    def described(self) -> dict[str, Any]:
        """What was run, as plain data."""
        settings = self.settings
        return {"target": str(settings.target), "seed": settings.seed, "project": settings.project}

    def summary(self) -> str:
        """One line on what was run and what set-up cost."""
        book = self.book
        schema = book.schemas[0] if book.schemas else "no schema"
        tests = len(book.tests)
        return (
            f"spanner: {self.settings.target} · {schema} · seed {self.settings.seed} · template "
            f"{book.template_seconds:.2f} s · {tests} database{'s' * (tests > 1)}, "
            f"{book.setup_seconds * 1e3:.2f} ms each"
        )


_RUN = pytest.StashKey[Run]()


def run_of(config: pytest.Config) -> Run:
    """The run's state. Raises pytest.UsageError when a setting makes no sense."""
    found = config.stash.get(_RUN, None)
    if found is None:
        found = config.stash[_RUN] = Run(config, read_settings(config))
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
