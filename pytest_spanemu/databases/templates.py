"""The templates of a run: the default template, and those of markers and factories.

Each template is built once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from pytest_spanemu import migrator
from pytest_spanemu import seeds as seed_files
from pytest_spanemu.clean_errors import clean_errors
from pytest_spanemu.databases.kept_revisions import KeptRevisions
from pytest_spanemu.databases.progress import ShowStep, show_progress
from pytest_spanemu.databases.template import Schema, Template
from pytest_spanemu.databases.template_cache import Image, cache_of
from pytest_spanemu.django.pytest_django import allow_django_database
from pytest_spanemu.options import LINT_PREFIX, Dialect, Reuse
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.requested_options import RequestedOptions, TemplateSpec
from pytest_spanemu.rows import factory as factories
from pytest_spanemu.settings import Settings
from pytest_spanemu.sources import MigrationSource, Source, default_sources
from pytest_spanemu.sources.source import Choices, choices_of_sources
from pytest_spanemu.targets.target import SpannerEmulator

_NAME_CHARS = 24  # of `spanner_database` that the ids of further templates begin with
_OTHER_SCHEMA = (
    "{where} overrides spanner_schema, but spanner_factory_session has written rows into the "
    "template of another schema: pytest creates a session fixture once. Put the rows in seeds, or "
    "mark these tests with @pytest.mark.spanner(schema=...)."
)


class Templates:
    """The templates of a run, held until their emulator stops."""

    def __init__(self, config: pytest.Config, settings: Settings, report: RunReport) -> None:
        self._config = config
        self._settings = settings
        self._report = report
        self._built: set[Template] = set()
        # By the ids of emulator and schema. The reference to the schema keeps its id from reuse.
        self._special: dict[tuple[int, TemplateSpec, int], tuple[Any, Template]] = {}
        self._default: list[tuple[Any, Template]] = []  # with the schema of each
        # Templates of collectors that override spanner_schema; None for the session's template.
        self._overrides: dict[pytest.Collector | None, Template | None] = {}
        self._sources: list[Source] = []  # of the schemas of all templates
        self._numbers = count(2)
        self._reported: set[str] = set()  # findings of the linter, for all schemas
        self._cache = cache_of(config) if settings.reuse is Reuse.ON else None

    @property
    def _root(self) -> Path:
        return self._config.rootpath

    def schema_of(
        self,
        sources: tuple[str, ...],
        dialect: Dialect | None = None,
        *,
        use_default: bool = True,
    ) -> Schema:
        """Read schema sources in a dialect, by default in that of the run.

        Other plugins may load a source by their hook. Without sources, read the default schema
        file if `use_default` is set.
        """

        def load(source: str) -> Any:
            return self._config.hook.pytest_spanemu_load_schema(config=self._config, source=source)

        if not sources and use_default:
            sources = default_sources(self._root)
        with clean_errors():
            return Schema.of(sources, self._root, load, dialect or self._settings.dialect)

    def factory(self, database: Any, **settings: Any) -> factories.SpannerFactory:
        """Return row factories with the run's seed and the value providers of other plugins."""
        seed = self._settings.seed
        factory = factories.SpannerFactory(database, seed=seed, choices=self._choices, **settings)
        for providers in self._config.hook.pytest_spanemu_providers(config=self._config):
            for name, make in providers.items():
                factory.register(name, make)
        return factory

    def _choices(self) -> Choices:
        """Return the values that models permit: those of `spanner_models` and of all templates."""
        models = self._settings.models
        with clean_errors():
            named = self.schema_of(models).sources if models else ()
            return choices_of_sources((*named, *self._sources))

    def for_schema(self, emulator: SpannerEmulator, given: Any) -> Template:
        """Return the template of a `spanner_schema` fixture's value and the run's seeds.

        The template is built on the first call for a value.
        """
        for known, template in self._default:
            if known is given and template.emulator is emulator:
                return template
        name = self._next_database_id() if self._default else self._settings.database
        template = Template(emulator, name)
        self._build(template, given, self.seeds)
        self._default.append((given, template))
        return template

    def for_tests_of(
        self, parent: pytest.Collector | None, session_template: Any, schema: Callable[[], Any]
    ) -> Template:
        """Return the template for the tests of a module or class.

        `session_template` is the value of the fixture `spanner_template`, which pytest creates
        once, from the `spanner_schema` of the session's first test. `schema` returns the
        `spanner_schema` that the tests of `parent` see: a nearer conftest.py may override it.
        """
        if not isinstance(session_template, Template):
            raise pytest.UsageError(
                f"fixture spanner_template gave {session_template!r}; it must return the template, "
                "as in `return spanner_template`."
            )
        if parent not in self._overrides:
            self._overrides[parent] = self._override(parent, session_template, schema())
        return self._overrides[parent] or session_template

    def _override(
        self, parent: pytest.Collector | None, session_template: Template, schema: Any
    ) -> Template | None:
        """Return the template of an overridden `spanner_schema`, None if it is not overridden.

        A template that the project has built by itself in `spanner_template` is used as it is.
        """
        of_session = (known for known, built in self._default if built is session_template)
        if next(of_session, schema) is schema:
            return None
        if session_template.is_extended:
            where = getattr(parent, "nodeid", "A test")
            pytest.fail(_OTHER_SCHEMA.format(where=where), pytrace=False)
        return self.for_schema(session_template.emulator, schema)

    def for_spec(
        self,
        emulator: SpannerEmulator,
        spec: TemplateSpec,
        default_schema: Callable[[], Any] = tuple,
    ) -> Template:
        """Return the template of a specification, built on the first call.

        `default_schema` returns the value of `spanner_schema`, for layers without a schema.
        """
        needs_default = any(layer.schema is None for layer in spec.layers)
        given = default_schema() if needs_default else None
        key = id(emulator), spec, id(given)
        if key not in self._special:
            self._special[key] = given, self._build_layers(emulator, spec, given)
        return self._special[key][1]

    def forget(self, emulator: SpannerEmulator) -> set[Template]:
        """Remove and return an emulator's templates. Drop the databases if they would outlive it.

        Databases outlive the run on targets that the run has not started.
        """
        removed = {template for template in self._built if template.emulator is emulator}
        for template in removed if not emulator.is_started_here else ():
            with contextlib.suppress(Exception):
                template.handle.drop()
        self._built -= removed
        self._special = {
            key: entry for key, entry in self._special.items() if entry[1] not in removed
        }
        self._default = [entry for entry in self._default if entry[1] not in removed]
        self._overrides.clear()
        return removed

    def migration_source(self, requested: RequestedOptions) -> MigrationSource:
        """Return the migrations among the schema sources. Raises SourceError without any."""
        sources = self._settings.schema if requested.schema is None else requested.schema
        schema = self.schema_of(sources, requested.dialect)
        return migrator.migration_source_of(schema.sources)

    @contextmanager
    def migrator(
        self, emulator: SpannerEmulator, requested: RequestedOptions
    ) -> Iterator[migrator.SpannerMigrator]:
        """Yield a migrator of the schema sources' migrations on an empty database."""
        with clean_errors():
            source = self.migration_source(requested)
        empty = Schema((), (), requested.dialect or self._settings.dialect)
        with self.scratch(emulator, empty) as template:
            yield migrator.SpannerMigrator(template, source, self.factory(template.database))

    @contextmanager
    def scratch(self, emulator: SpannerEmulator, schema: Any) -> Iterator[Template]:
        """Create a database without seeds, and drop it at the end of the block.

        `schema` is the value of a fixture `spanner_schema`.
        """
        with clean_errors(), allow_django_database(self._config):
            given = Schema.given(schema, self._settings.dialect)
            template = Template(emulator, self._next_database_id()).build(given)
        try:
            yield template
        finally:
            template.handle.drop()

    # ------------------------------------------------------------------ building

    def _build_layers(
        self, emulator: SpannerEmulator, spec: TemplateSpec, default_schema: Any
    ) -> Template:
        template = Template(emulator, self._next_database_id())
        dialect = self._dialect_of(spec, default_schema)
        for layer in spec.layers:
            given, seeds = default_schema, layer.seeds
            if layer.schema is not None:
                given = self.schema_of(layer.schema, dialect, use_default=False)
            if seeds is None:  # The run's seeds do not fit another schema.
                seeds = self.seeds if layer.schema is None else ()
            self._build(template, given, seeds)
            if layer.fill is not None:
                layer.fill(self.factory(template.database))
        return template

    def _dialect_of(self, spec: TemplateSpec, default_schema: Any) -> Dialect:
        """Return the dialect of a specification. Raises pytest.UsageError for two dialects."""
        of_run = self._settings.dialect
        named = {layer.dialect or of_run for layer in spec.layers if layer.schema is not None}
        if any(layer.schema is None for layer in spec.layers):
            named |= {Schema.given(default_schema, of_run).dialect}
            named |= {layer.dialect for layer in spec.layers if layer.dialect is not None}
        if len(named) > 1:
            raise pytest.UsageError(
                "spanner: the schema of the run and the test's dialect differ: a database has one "
                f"dialect, not {' and '.join(sorted(named))}. Name a schema with the dialect."
            )
        return named.pop()

    def _build(self, template: Template, given: Any, seeds: tuple[str, ...]) -> None:
        """Add a schema and seeds to a template."""
        began = perf_counter()
        with clean_errors():
            schema = Schema.given(given, self._settings.dialect)
            self._sources += schema.sources
            progress = show_progress(self._config)
            with progress as show_step, allow_django_database(self._config):
                self._build_schema(template, schema, show_step)
                self._built.add(template)
                if seeds:
                    show_step("seeds")
                    seed_files.load_seeds(template.database, seeds, self._root, show_step)
            self._lint(schema, template)
        self._report.template_seconds += perf_counter() - began
        self._report.schemas.append(str(schema))

    def _build_schema(self, template: Template, schema: Schema, show_step: ShowStep) -> None:
        """Build a schema, from the cache of an earlier run where possible."""
        can_reuse = template.handle is None and template.emulator.is_started_here
        cache = self._cache if can_reuse else None
        key = None if cache is None else cache.key(schema)
        if cache is None or key is None:
            template.build(schema, show_step)
        elif (image := cache.load(key)) is not None:
            image.build(template, schema)
        else:
            states = KeptRevisions.of(cache, schema)
            if states is None:
                template.build(schema, show_step)
            else:
                states.build(template, show_step)
            if (image := Image.of(template)) is not None:
                cache.save(key, image)
                if states is not None:
                    states.save(image)

    def _lint(self, schema: Schema, template: Template) -> None:
        """Add new findings of the linter to the report, if `spanner_fail_on` names the linter."""
        fail_on = self._settings.fail_on
        if any(condition.startswith(LINT_PREFIX) for condition in fail_on):
            from pytest_spanemu.lint import lint_failures

            with clean_errors():
                failures = lint_failures(schema, template.handle.ddl(), self._root, fail_on)
            self._report.lint += [text for text in failures if text not in self._reported]
            self._reported.update(failures)

    @property
    def seeds(self) -> tuple[str, ...]:
        """Files and directories of the run's seeds."""
        return self._settings.seeds or _default_seeds(self._root)

    def _next_database_id(self) -> str:
        return f"{self._settings.database[:_NAME_CHARS]}-{next(self._numbers)}"


def _default_seeds(root: Path) -> tuple[str, ...]:
    """Return the seeds of a project whose settings name none: the directory `seeds`, if any."""
    return ("seeds",) if (root / "seeds").is_dir() else ()
