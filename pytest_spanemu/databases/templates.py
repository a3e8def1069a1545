"""The templates of a run: its own, and those of markers and factories, each built once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from pytest_spanemu.clean_errors import clean_errors
from pytest_spanemu.databases.progress import ShowStep, show_progress
from pytest_spanemu.databases.template import Schema, Template, schema_for
from pytest_spanemu.databases.template_cache import Image, cache_of
from pytest_spanemu.django.setup import allow_django_database
from pytest_spanemu.migrator import SpannerMigrator, migration_source_of
from pytest_spanemu.options import LINT_PREFIX
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.requested_options import Recipe, RequestedOptions
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.seeds import default_seeds, load_seeds
from pytest_spanemu.setting_values import Reuse
from pytest_spanemu.settings import Settings
from pytest_spanemu.sources import MigrationSource, Source
from pytest_spanemu.sources.source import Choices, choices_of_sources
from pytest_spanemu.targets.target import SpannerEmulator

_NAME_CHARS = 24  # of the shared database's, before the number of another one
_OTHER_SCHEMA = (
    "{where} has a spanner_schema of its own, but spanner_factory_session has filled the template "
    "of another one: pytest makes what lives as long as the session once. Put the rows in seeds, "
    "or give these tests @pytest.mark.spanner(schema=...)."
)


class Templates:
    """Builds templates and holds them until their emulator ends."""

    def __init__(self, config: pytest.Config, settings: Settings, report: RunReport) -> None:
        self._config = config
        self._settings = settings
        self._report = report
        self._made: set[Template] = set()
        # With the schema that each is made of: while it is here, no other can have its id.
        self._special: dict[tuple[int, Recipe, int], tuple[Any, Template]] = {}
        self._default: list[tuple[Any, Template]] = []  # with the schema that they are made of
        self._own: dict[pytest.Collector | None, Template | None] = {}  # None: the common one
        self._sources: list[Source] = []  # of the schemas of templates
        self._numbers = count(2)
        self._linted: set[str] = set()  # what the linter has said of any schema
        self._cache = cache_of(config) if settings.reuse is Reuse.ON else None

    @property
    def _root(self) -> Path:
        return self._config.rootpath

    def schema_of(self, sources: tuple[str, ...], *, usual: bool = True) -> Schema:
        """The schema of sources, some of which other plugins may know."""

        def load(source: str) -> Any:
            return self._config.hook.pytest_spanemu_load_schema(config=self._config, source=source)

        with clean_errors():
            return schema_for(sources, self._root, load, usual=usual)

    def factory(self, database: Any, **settings: Any) -> SpannerFactory:
        """Row factories with the run's seed, and the values that other plugins make."""
        seed = self._settings.seed
        made = SpannerFactory(database, seed=seed, choices=self._choices, **settings)
        for providers in self._config.hook.pytest_spanemu_providers(config=self._config):
            for name, make in providers.items():
                made.provider(name, make)
        return made

    def _choices(self) -> Choices:
        """Return the values that models admit, those of `spanner_models` and of all templates."""
        models = self._settings.models
        with clean_errors():
            named = self.schema_of(models).sources if models else ()
            return choices_of_sources((*named, *self._sources))

    def default(self, emulator: SpannerEmulator, given: Any) -> Template:
        """The template of what a fixture `spanner_schema` gives, and the run's seeds."""
        for known, template in self._default:
            if known is given and template.emulator is emulator:
                return template
        name = self._another_name() if self._default else self._settings.database
        template = Template(emulator, name)
        self._build(template, given, self.seeds)
        self._default.append((given, template))
        return template

    def for_tests_of(
        self, parent: pytest.Collector | None, found: Any, schema: Callable[[], Any]
    ) -> Template:
        """The template for the tests of a module or class, of which pytest has `found` one.

        That is made of the `spanner_schema` that the first test of the session saw. `schema` gives
        the one that these tests see: a conftest.py nearer to them may have another.
        """
        if not isinstance(found, Template):
            raise pytest.UsageError(
                f"fixture spanner_template gave {found!r}; it must return the template, as in "
                "`return spanner_template`."
            )
        if parent not in self._own:
            given, own = schema(), None
            # One that the project has made by itself is what the project wants.
            made_of = next((known for known, made in self._default if made is found), given)
            if made_of is not given:
                if found.is_extended:
                    where = getattr(parent, "nodeid", "A test")
                    pytest.fail(_OTHER_SCHEMA.format(where=where), pytrace=False)
                own = self.default(found.emulator, given)
            self._own[parent] = own
        return self._own[parent] or found

    def special(
        self, emulator: SpannerEmulator, recipe: Recipe, own: Callable[[], Any] = tuple
    ) -> Template:
        """The template of a recipe, built now or before.

        `own` gives the `spanner_schema` that stands in for a schema that is not said; none without.
        """
        given = own() if any(layer.schema is None for layer in recipe.layers) else None
        key = id(emulator), recipe, id(given)
        if key not in self._special:
            self._special[key] = given, self._build_layers(emulator, recipe, given)
        return self._special[key][1]

    def forget(self, emulator: SpannerEmulator) -> set[Template]:
        """Give up an emulator's templates, and drop those that would stay; which those were."""
        gone = {template for template in self._made if template.emulator is emulator}
        for template in gone if not emulator.is_started_here else ():
            with contextlib.suppress(Exception):
                template.handle.drop()
        self._made -= gone
        self._special = {key: made for key, made in self._special.items() if made[1] not in gone}
        self._default = [known for known in self._default if known[1] not in gone]
        self._own.clear()
        return gone

    def ladder(self, requested: RequestedOptions) -> MigrationSource:
        """The migrations among the schema sources. Raises SourceError when there are none."""
        sources = self._settings.schema if requested.schema is None else requested.schema
        return migration_source_of(self.schema_of(sources).sources)

    @contextmanager
    def migrator(
        self, emulator: SpannerEmulator, requested: RequestedOptions
    ) -> Iterator[SpannerMigrator]:
        """An empty database, and the migrations of the schema sources to run on it."""
        with clean_errors():
            ladder = self.ladder(requested)
        with self.scratch(emulator, Schema((), ())) as template:
            yield SpannerMigrator(template, ladder, self.factory(template.database))

    @contextmanager
    def scratch(self, emulator: SpannerEmulator, schema: Any) -> Iterator[Template]:
        """A database of a schema, without seeds, for as long as the block runs.

        `schema` is what a fixture `spanner_schema` gives.
        """
        with clean_errors(), allow_django_database(self._config):
            template = Template(emulator, self._another_name()).build(Schema.given(schema))
        try:
            yield template
        finally:
            template.handle.drop()

    # ------------------------------------------------------------------ building

    def _build_layers(self, emulator: SpannerEmulator, recipe: Recipe, own: Any) -> Template:
        template = Template(emulator, self._another_name())
        for layer in recipe.layers:
            given, seeds = own, layer.seeds
            if layer.schema is not None:
                given = self.schema_of(layer.schema, usual=False)
            if seeds is None:  # The usual rows would not fit another schema.
                seeds = self.seeds if layer.schema is None else ()
            self._build(template, given, seeds)
            if layer.fill is not None:
                layer.fill(self.factory(template.database))
        return template

    def _build(self, template: Template, given: Any, seeds: tuple[str, ...]) -> None:
        """Add a schema and seeds to a template."""
        began = perf_counter()
        with clean_errors():
            schema = Schema.given(given)
            self._sources += schema.sources
            with show_progress(self._config) as tell, allow_django_database(self._config):
                self._fill(template, schema, tell)
                self._made.add(template)
                tell("seeds")
                load_seeds(template.database, seeds, self._root, tell)
            self._lint(schema, template)
        self._report.template_seconds += perf_counter() - began
        self._report.schemas.append(str(schema))

    def _fill(self, template: Template, schema: Schema, tell: ShowStep) -> None:
        """Build a schema, from what an earlier run has kept of it where that is possible."""
        cache = (
            self._cache if template.handle is None and template.emulator.is_started_here else None
        )
        key = None if cache is None else cache.key(schema)
        if cache is None or key is None:
            template.build(schema, tell)
        elif (image := cache.load(key)) is not None:
            image.build(template, schema)
        else:
            template.build(schema, tell)
            if (image := Image.of(template)) is not None:
                cache.save(key, image)

    def _lint(self, schema: Schema, template: Template) -> None:
        """Note what the linter has against a schema, if the run's `fail_on` says so."""
        fail_on = self._settings.fail_on
        if any(word.startswith(LINT_PREFIX) for word in fail_on):
            from pytest_spanemu.lint import lint_failures

            with clean_errors():
                found = lint_failures(schema, template.handle.ddl(), self._root, fail_on)
            self._report.lint += [text for text in found if text not in self._linted]
            self._linted.update(found)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The files and directories of the run's seeds."""
        return self._settings.seeds or default_seeds(self._root)

    def _another_name(self) -> str:
        return f"{self._settings.database[:_NAME_CHARS]}-{next(self._numbers)}"
