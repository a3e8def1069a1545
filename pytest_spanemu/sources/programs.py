"""Schemas that Python code makes: Alembic, SQLAlchemy metadata, Django, functions; and a schema
copied from a database that is running.

Each imports its library when it runs, and says which package is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from google.cloud.spanner import Client

from pytest_spanemu.django.setup import ALIAS, DjangoMissing, SpannerDjango
from pytest_spanemu.sources.files import code_below, steps_of
from pytest_spanemu.sources.source import (
    Choices,
    Ddl,
    Migration,
    Program,
    Source,
    SourceError,
    Step,
)

# What Spanner asks of Alembic's env.py: a word of the failure without it, and what to write.
_ALEMBIC_ADVICE = (
    ("'spanner+spanner'",
     "Alembic does not know the dialect; put into env.py: "
     "class SpannerImpl(DefaultImpl): __dialect__ = 'spanner+spanner'"),
    ("column: version_num",
     "Alembic updates its version table, whose primary key Spanner does not let change; put into "
     "env.py: context.configure(..., version_table_pk=False)"),
)  # fmt: skip


class AlembicSource:
    """Alembic migrations, run once against the template."""

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        path, _, revision = rest.partition("@")
        self._root = root
        self._path = root / (path or "alembic.ini")
        self._revision = revision or "head"
        if not self._path.is_file():
            raise SourceError(f"schema source {text!r}: there is no file {self._path}")

    def steps(self) -> Sequence[Step]:
        """One program: the upgrade."""
        return [
            Program(self.text, lambda template: self._move(template, "upgrade", self._revision))
        ]

    def migrations(self) -> Sequence[Migration]:
        """One for each revision, with the way down."""
        script = _library("alembic.script", self.text).ScriptDirectory
        found = reversed(list(script.from_config(self._config()).walk_revisions()))
        return [self._rung(each.revision, each.down_revision) for each in found]

    def _rung(self, revision: str, before: Any) -> Migration:
        def up(template: Any) -> None:
            self._move(template, "upgrade", revision)

        def down(template: Any) -> None:
            self._move(template, "downgrade", before or "base")

        has_one_below = before is None or isinstance(before, str)  # a merge has several
        undo = (Program(revision, down),) if has_one_below else None
        return Migration(revision, (Program(revision, up),), undo)

    def inputs(self) -> Sequence[bytes]:
        """The configuration and the project's code, which migrations may use."""
        return [self._path.read_bytes(), *code_below(self._root)]

    def _move(self, template: Any, command: str, revision: str) -> None:
        config = self._config()
        config.set_main_option("sqlalchemy.url", template.sqlalchemy_url().replace("%", "%%"))
        config.attributes["configure_logger"] = False
        move = getattr(_library("alembic.command", self.text), command)
        try:
            move(config, revision)
        except Exception as problem:
            for word, advice in _ALEMBIC_ADVICE:
                if any(word in str(each) for each in _chain(problem)):
                    raise SourceError(f"schema source {self.text!r}: {advice}") from problem
            raise

    def _config(self) -> Any:
        return _library("alembic.config", self.text).Config(str(self._path))


class MetadataSource:
    """SQLAlchemy metadata, created in one go."""

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        self._place, self._root = rest, root

    def steps(self) -> Sequence[Step]:
        """One program: `create_all`."""
        return [Program(self.text, self._create)]

    def inputs(self) -> Sequence[bytes]:
        """The project's code."""
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
        found = _object(self._place, self.text, self._root)
        return getattr(found, "metadata", found)

    def _create(self, template: Any) -> None:
        metadata = self._metadata
        engine = _library("sqlalchemy", self.text).create_engine(template.sqlalchemy_url())
        try:
            metadata.create_all(engine)
        finally:
            engine.dispose()


class DjangoSource:
    """Django's migrations: `django:`, or `django:SETTINGS_MODULE` where nothing else names it;
    `django:@ALIAS` those of another database than the default one. `django:syncdb` makes the
    tables of the models as they are, without migrations.
    """

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        rest, _, alias = rest.partition("@")
        self._is_by_models = rest == "syncdb"
        self._settings = "" if self._is_by_models else rest
        self._alias, self._root = alias or ALIAS, root

    def steps(self) -> Sequence[Step]:
        """One program: `migrate`."""
        return [Program(self.text, self._migrate)]

    def inputs(self) -> Sequence[bytes]:
        """The project's code, and the settings that are used."""
        named = os.environ.get("DJANGO_SETTINGS_MODULE", "")
        return [named.encode(), *code_below(self._root)]

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
    """A function that returns statements, or is given the official client's `Database`."""

    def __init__(self, text: str, rest: str, root: Path) -> None:
        self.text = text
        self._place, self._root = rest, root

    def steps(self) -> Sequence[Step]:
        """The statements it returns, or one program that runs it."""
        function = _object(self._place, self.text, self._root)
        if not callable(function):
            return _statements(function, self.text)
        if function.__code__.co_argcount if hasattr(function, "__code__") else False:
            return [Program(self.text, lambda template: function(template.database))]
        return _statements(function(), self.text)

    def inputs(self) -> Sequence[bytes]:
        """The project's code."""
        return code_below(self._root)


class RunningDatabaseSource:
    """The schema of a database on a real Spanner or another emulator."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._name = text.removeprefix("spanner://")
        parts = self._name.split("/")
        if len(parts) != 6 or parts[::2] != ["projects", "instances", "databases"]:
            raise SourceError(
                f"schema source {text!r} is not of the form "
                "spanner://projects/PROJECT/instances/INSTANCE/databases/DATABASE"
            )

    def steps(self) -> Sequence[Step]:
        """Its statements."""
        _, project, _, instance, _, database = self._name.split("/")
        client = Client(project=project, disable_builtin_metrics=True)
        found = client.instance(instance).database(database)
        found.reload()
        return [Ddl(statement, self.text, 1) for statement in found.ddl_statements]

    def inputs(self) -> None:
        """It may have changed since."""


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    """A failure and what led to it."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__


def _enum_values(type_: Any) -> tuple[str, ...]:
    """Return the texts that an `Enum` stores, also inside a `TypeDecorator`."""
    return tuple(getattr(getattr(type_, "impl", type_), "enums", None) or ())


def _statements(found: Any, text: str) -> list[Step]:
    listed = [found] if isinstance(found, str) else list(found or ())
    if not all(isinstance(each, str) for each in listed):
        raise SourceError(f"schema source {text!r} must give statements as text")
    return [step for each in listed for step in steps_of(each, text)]


def _object(place: str, text: str, root: Path) -> Any:
    """What "module:name" names, the project's directory being importable."""
    module_name, colon, name = place.partition(":")
    if not colon or not module_name or not name:
        raise SourceError(f"schema source {text!r} is not of the form KIND:MODULE:NAME")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        found: Any = import_module(module_name)
    except ImportError as problem:
        raise SourceError(f"schema source {text!r}: {problem}") from problem
    for part in name.split("."):
        if not hasattr(found, part):
            raise SourceError(f"schema source {text!r}: {module_name} has no {name}")
        found = getattr(found, part)
    return found


def _library(module: str, text: str) -> Any:
    try:
        return import_module(module)
    except ImportError as problem:
        package = module.partition(".")[0]
        raise SourceError(
            f"schema source {text!r} needs {package}: pip install 'spanemu[{package}]' ({problem})"
        ) from problem


KINDS: Mapping[str, Callable[[str, str, Path], Source]] = {
    "alembic": AlembicSource,
    "metadata": MetadataSource,
    "django": DjangoSource,
    "call": CallSource,
}
