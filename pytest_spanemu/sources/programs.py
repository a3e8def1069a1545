"""Schemas built by Python code: Alembic, SQLAlchemy metadata, Django, functions; and the schema
of an existing database.

A source imports its library when the source is used. The error names a missing package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from google.cloud.spanner import Client

from pytest_spanemu.django.setup import ALIAS, DjangoMissing, SpannerDjango
from pytest_spanemu.options import Dialect
from pytest_spanemu.sources.known_facts import KnownFacts
from pytest_spanemu.sources.revisions import After, Upgrade
from pytest_spanemu.sources.source import (
    Choices,
    Ddl,
    Migration,
    Program,
    SourceError,
    Step,
    code_below,
    steps_of,
)
from spanemu.schema.dialect import DATABASE_DIALECTS

# Settings that Spanner needs in Alembic's env.py: text in the error without the setting, advice.
_ALEMBIC_ADVICE = (
    ("'spanner+spanner'",
     "Alembic does not know the dialect; add to env.py: "
     "class SpannerImpl(DefaultImpl): __dialect__ = 'spanner+spanner'"),
    ("column: version_num",
     "Alembic updates the primary key of its version table, which Spanner does not allow; add to "
     "env.py: context.configure(..., version_table_pk=False)"),
)  # fmt: skip


class AlembicSource:
    """Alembic migrations, up to a revision."""

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        path, _, revision = rest.partition("@")
        self._root = root
        self._path = root / (path or "alembic.ini")
        self._revision = revision or "head"
        if not self._path.is_file():
            raise SourceError(f"schema source {text!r}: file {self._path} does not exist")

    def steps(self) -> Sequence[Step]:
        """Return one program: the upgrade to the revision."""
        return [Program(self.text, lambda template: self._run(template, "upgrade", self._revision))]

    def migrations(self) -> Sequence[Migration]:
        """Return a migration for each revision, with its downgrade."""
        script = _library("alembic.script", self.text).ScriptDirectory
        revisions = reversed(list(script.from_config(self._config()).walk_revisions()))
        return [self._migration(each.revision, each.down_revision) for each in revisions]

    def _migration(self, revision: str, before: Any) -> Migration:
        def up(template: Any) -> None:
            self._run(template, "upgrade", revision)

        def down(template: Any) -> None:
            self._run(template, "downgrade", before or "base")

        is_merge = not (before is None or isinstance(before, str))  # several down revisions
        undo = None if is_merge else (Program(revision, down),)
        return Migration(revision, (Program(revision, up),), undo)

    def inputs(self) -> Sequence[bytes]:
        """Return the configuration and the project's code, which migrations may use."""
        return [self._path.read_bytes(), *code_below(self._root)]

    def upgrade(self, facts: KnownFacts) -> Upgrade | None:
        """Return the upgrade that `steps` runs, None if its revisions cannot be listed."""
        if ":" in self._revision:
            return None
        scripts = _library("alembic.script", self.text).ScriptDirectory
        try:
            settings = self._path.read_bytes()
            script = scripts.from_config(self._config())
            return Upgrade(script, self._revision, self._root, settings, facts)
        except Exception:  # Alembic's own upgrade names the problem.
            return None

    def run_upgrade(self, template: Any, upgrade: Upgrade, done: int, after: After) -> None:
        """Run the revisions of an upgrade after the first `done`. See `Upgrade.run`."""
        environment = _library("alembic.runtime.environment", self.text).EnvironmentContext
        with self._advice():
            upgrade.run(environment, self._config_for(template), done, after)

    def _run(self, template: Any, command: str, revision: str) -> None:
        run = getattr(_library("alembic.command", self.text), command)
        with self._advice():
            run(self._config_for(template), revision)

    @contextmanager
    def _advice(self) -> Iterator[None]:
        """Raise SourceError with advice for what Spanner needs in env.py."""
        try:
            yield
        except Exception as problem:
            for text, advice in _ALEMBIC_ADVICE:
                if any(text in str(each) for each in _chain(problem)):
                    raise SourceError(f"schema source {self.text!r}: {advice}") from problem
            raise

    def _config_for(self, template: Any) -> Any:
        config = self._config()
        config.set_main_option("sqlalchemy.url", template.sqlalchemy_url().replace("%", "%%"))
        config.attributes["configure_logger"] = False
        return config

    def _config(self) -> Any:
        return _library("alembic.config", self.text).Config(str(self._path))


class MetadataSource:
    """SQLAlchemy metadata, created by `create_all`."""

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        self._reference, self._root = rest, root

    def steps(self) -> Sequence[Step]:
        """Return one program: `create_all`."""
        return [Program(self.text, self._create)]

    def inputs(self) -> Sequence[bytes]:
        """Return the project's code."""
        return code_below(self._root)

    def choices(self) -> Choices:
        """Return the stored values of the columns of type `Enum`."""
        return {
            (table.fullname.lower(), column.name.lower()): values
            for table in self._metadata.tables.values()
            for column in table.columns
            if (values := _enum_values(column.type))
        }

    @property
    def _metadata(self) -> Any:
        value = _import_object(self._reference, self.text, self._root)
        return getattr(value, "metadata", value)

    def _create(self, template: Any) -> None:
        metadata = self._metadata
        engine = _library("sqlalchemy", self.text).create_engine(template.sqlalchemy_url())
        try:
            metadata.create_all(engine)
        finally:
            engine.dispose()


class DjangoSource:
    """Django's migrations.

    django:                     with the settings that DJANGO_SETTINGS_MODULE names
    django:SETTINGS_MODULE      with these settings, unless DJANGO_SETTINGS_MODULE is set
    django:@ALIAS               for another database alias than the default alias
    django:syncdb               the tables of the models, without migrations
    """

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        rest, _, alias = rest.partition("@")
        self._is_by_models = rest == "syncdb"
        self._settings = "" if self._is_by_models else rest
        self._alias, self._root = alias or ALIAS, root

    def steps(self) -> Sequence[Step]:
        """Return one program: `migrate`."""
        return [Program(self.text, self._migrate)]

    def inputs(self) -> Sequence[bytes]:
        """Return the project's code and the name of the settings module."""
        module = os.environ.get("DJANGO_SETTINGS_MODULE", "")
        return [module.encode(), *code_below(self._root)]

    def _migrate(self, template: Any) -> None:
        if self._settings:
            os.environ.setdefault("DJANGO_SETTINGS_MODULE", self._settings)
        if str(self._root) not in sys.path:
            sys.path.insert(0, str(self._root))
        try:
            with SpannerDjango(template.emulator) as django:
                django.use(template.handle, alias=self._alias)
                django.migrate(self._alias, by_models=self._is_by_models)
        except DjangoMissing as problem:
            raise SourceError(f"schema source {self.text!r}: {problem}") from problem


class CallSource:
    """A function that returns statements, or that takes the official client's `Database`."""

    def __init__(self, text: str, rest: str, root: Path, dialect: Dialect) -> None:
        self.text = text
        self._reference, self._root, self._dialect = rest, root, dialect

    def steps(self) -> Sequence[Step]:
        """Return the statements of the function, or one program that calls the function."""
        function = _import_object(self._reference, self.text, self._root)
        if not callable(function):
            return self._steps_of(function)
        if function.__code__.co_argcount if hasattr(function, "__code__") else False:
            return [Program(self.text, lambda template: function(template.database))]
        return self._steps_of(function())

    def _steps_of(self, value: Any) -> list[Step]:
        statements = [value] if isinstance(value, str) else list(value or ())
        if not all(isinstance(each, str) for each in statements):
            raise SourceError(f"schema source {self.text!r} must return statements as text")
        return [
            step for each in statements for step in steps_of(each, self.text, dialect=self._dialect)
        ]

    def inputs(self) -> Sequence[bytes]:
        """Return the project's code."""
        return code_below(self._root)


class RunningDatabaseSource:
    """The schema of a database on a real Spanner or another emulator."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text, self._dialect = text, dialect
        self._name = text.removeprefix("spanner://")
        parts = self._name.split("/")
        if len(parts) != 6 or parts[::2] != ["projects", "instances", "databases"]:
            raise SourceError(
                f"schema source {text!r} is not of the form "
                "spanner://projects/PROJECT/instances/INSTANCE/databases/DATABASE"
            )

    def steps(self) -> Sequence[Step]:
        """Return the schema statements of the database."""
        _, project, _, instance, _, database = self._name.split("/")
        client = Client(project=project, disable_builtin_metrics=True)
        running = client.instance(instance).database(database)
        running.reload()
        dialect = DATABASE_DIALECTS[running.database_dialect].option
        if dialect != self._dialect:
            raise SourceError(
                f"schema source {self.text!r}: the database has the dialect {dialect}; the tests "
                f"use {self._dialect} (spanner_dialect)"
            )
        return [Ddl(statement, self.text, 1) for statement in running.ddl_statements]

    def inputs(self) -> None:
        """Return None: the schema of the database may change at any time."""


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and the exceptions that caused it."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


def _enum_values(type_: Any) -> tuple[str, ...]:
    """Return the texts that an `Enum` stores, also inside a `TypeDecorator`."""
    return tuple(getattr(getattr(type_, "impl", type_), "enums", None) or ())


def _import_object(reference: str, text: str, root: Path) -> Any:
    """Import the object that "module:name" names, also from the project's directory."""
    module_name, colon, name = reference.partition(":")
    if not colon or not module_name or not name:
        raise SourceError(f"schema source {text!r} is not of the form KIND:MODULE:NAME")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        value: Any = import_module(module_name)
    except ImportError as problem:
        raise SourceError(f"schema source {text!r}: {problem}") from problem
    for part in name.split("."):
        if not hasattr(value, part):
            raise SourceError(f"schema source {text!r}: {module_name} has no {name}")
        value = getattr(value, part)
    return value


def _library(module: str, text: str) -> Any:
    try:
        return import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise SourceError(
            f"schema source {text!r} needs {package}: pip install 'spanemu[{package}]' ({problem})"
        ) from problem
