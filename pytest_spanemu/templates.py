"""The templates of a run: its own, and those of markers and factories, each built once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import spanemu
from pytest_spanemu.django_setup import unblocked
from pytest_spanemu.lint import PREFIX, problems
from pytest_spanemu.migrator import SpannerMigrator, ladder_of
from pytest_spanemu.options import Settings
from pytest_spanemu.progress import shown
from pytest_spanemu.report.book import Book
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.seeds import default_seeds, load_seeds
from pytest_spanemu.targets import SpannerEmulator
from pytest_spanemu.template import Schema, Template, schema_for
from pytest_spanemu.wishes import Recipe, Wishes

_NAME_CHARS = 24  # of the shared database's, before the number of another one


class Templates:
    """Builds templates and holds them until their emulator ends."""

    def __init__(self, config: pytest.Config, settings: Settings, book: Book) -> None:
        self._config = config
        self._settings = settings
        self._book = book
        self._made: list[Template] = []
        self._special: dict[tuple[int, Recipe], Template] = {}
        self._numbers = count(2)

    @property
    def _root(self) -> Path:
        return self._config.rootpath

    def schema_of(self, sources: tuple[str, ...], *, usual: bool = True) -> Schema:
        """The schema of sources, some of which other plugins may know."""

        def load(source: str) -> Any:
            return self._config.hook.pytest_spanemu_load_schema(config=self._config, source=source)

        return schema_for(sources, self._root, load, usual=usual)

    def factory(self, database: Any, **settings: Any) -> SpannerFactory:
        """Row factories with the run's seed, and the values that other plugins make."""
        made = SpannerFactory(database, seed=self._settings.seed, **settings)
        for providers in self._config.hook.pytest_spanemu_providers(config=self._config):
            for name, make in providers.items():
                made.provider(name, make)
        return made

    def default(self, emulator: SpannerEmulator, schema: Schema) -> Template:
        """The template of the run's own schema and seeds."""
        return self._built(emulator, schema, self._seeds(), self._settings.database)

    def special(self, emulator: SpannerEmulator, recipe: Recipe) -> Template:
        """The template of a recipe, built now or before."""
        key = id(emulator), recipe
        if key not in self._special:
            self._special[key] = self._cooked(emulator, recipe)
        return self._special[key]

    def forget(self, emulator: SpannerEmulator) -> list[Template]:
        """Give up an emulator's templates, and drop those that would stay; which those were."""
        gone = [template for template in self._made if template.emulator is emulator]
        for template in gone if not emulator.is_ours else ():
            with contextlib.suppress(Exception):
                template.handle.drop()
        self._made = [template for template in self._made if template not in gone]
        self._special = {key: made for key, made in self._special.items() if made not in gone}
        return gone

    @contextmanager
    def migrator(self, emulator: SpannerEmulator, wishes: Wishes) -> Iterator[SpannerMigrator]:
        """An empty database, and the migrations of the schema sources to run on it."""
        sources = self._settings.schema if wishes.schema is None else wishes.schema
        ladder = ladder_of(self.schema_of(sources).sources)
        template = Template(emulator, self._another_name(), Schema((), ()))
        try:
            yield SpannerMigrator(template, ladder, self.factory(template.database))
        finally:
            template.handle.drop()

    # ------------------------------------------------------------------ building

    def _cooked(self, emulator: SpannerEmulator, recipe: Recipe) -> Template:
        sources = self._settings.schema if recipe.schema is None else recipe.schema
        seeds = recipe.seeds
        if seeds is None:  # The usual rows would not fit another schema.
            seeds = self._seeds() if recipe.schema is None else ()
        schema = self.schema_of(sources, usual=recipe.schema is None)
        template = self._built(emulator, schema, seeds, self._another_name())
        if recipe.fill is not None:
            recipe.fill(self.factory(template.database))
        return template

    def _built(
        self, emulator: SpannerEmulator, schema: Schema, seeds: tuple[str, ...], name: str
    ) -> Template:
        began = perf_counter()
        try:
            with shown(self._config) as tell, unblocked(self._config):
                template = Template(emulator, name, schema, tell)
                self._made.append(template)
                tell("seeds")
                load_seeds(template.database, seeds, self._root)
            self._lint(schema, template)
        except (ValueError, spanemu.SchemaRejected) as problem:  # whose text says it all
            pytest.fail(str(problem), pytrace=False)
        self._book.template_seconds += perf_counter() - began
        self._book.schemas.append(str(schema))
        return template

    def _lint(self, schema: Schema, template: Template) -> None:
        """Fail for what the linter has against a schema, if the run's `fail_on` says so."""
        fail_on = self._settings.fail_on
        if any(word.startswith(PREFIX) for word in fail_on) and (
            found := problems(schema, template.handle.ddl(), self._root, fail_on)
        ):
            pytest.fail("\n".join(["lint:", *(f"  {text}" for text in found)]), pytrace=False)

    def _seeds(self) -> tuple[str, ...]:
        return self._settings.seeds or default_seeds(self._root)

    def _another_name(self) -> str:
        return f"{self._settings.database[:_NAME_CHARS]}-{next(self._numbers)}"
