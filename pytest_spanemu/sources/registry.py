"""The source that a text of the setting `spanner_schema` names, and the sample schemas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_spanemu.options import Dialect
from pytest_spanemu.sources import migrations, programs
from pytest_spanemu.sources.source import (
    SQL_SUFFIXES,
    FilesSource,
    Source,
    SourceError,
    TextSource,
    natural_order,
)
from spanemu.base.deferred import deferred
from spanemu.base.suggestions import did_you_mean

KIND = "sample"
_SAMPLES = {
    Dialect.GOOGLESQL: Path(__file__).parent / "sample_schemas",
    Dialect.POSTGRESQL: Path(__file__).parent / "sample_schemas" / "postgresql",
}
_FILES = {
    "singers": ("singers.sql",),
    "banking": ("banking.sql",),
    "finance": ("finance.sql",),
    "fingraph": ("finance.sql", "fingraph.sql"),
}


def sample(text: str, name: str, dialect: Dialect) -> Source:
    """Return the source of a sample schema. Raises SourceError.

    `text` is the whole setting, for the message.
    """
    if name not in _FILES:
        known = ", ".join(_FILES)
        raise SourceError(f"schema source {text!r}: the samples are {known}")
    files = [_SAMPLES[dialect] / file for file in _FILES[name]]
    if not all(file.is_file() for file in files):
        raise SourceError(f"schema source {text!r}: the sample needs GoogleSQL, not {dialect}")
    return FilesSource(text, files, dialect)


_GLOB = re.compile(r"[*?\[]")
# Kinds of sources, by the word before the colon. The libraries of programs write GoogleSQL.
_PROGRAMS: Mapping[str, Callable[[str, str, Path], Source]] = {
    "alembic": deferred(lambda: programs.AlembicSource),
    "metadata": deferred(lambda: programs.MetadataSource),
    "django": deferred(lambda: programs.DjangoSource),
}
_CALL = "call"
_MIGRATIONS: Mapping[str, Callable[[str, Path, Dialect], Source]] = {
    "goose": deferred(lambda: migrations.GooseSource)
}
KINDS = (*_PROGRAMS, _CALL, *_MIGRATIONS, KIND, "spanner")
_STATEMENTS = re.compile(r"\s*(?:CREATE|ALTER|DROP|RENAME|GRANT|REVOKE|ANALYZE)\s", re.I)


def source_of(text: str, root: Path, dialect: Dialect = Dialect.GOOGLESQL) -> Source:
    """Return the source that a setting names. Raises SourceError.

    Relative paths start at `root`. `dialect` is the dialect of the statements.
    """
    kind, colon, rest = text.partition(":")
    if text.startswith("spanner://"):
        return programs.RunningDatabaseSource(text, dialect)
    if colon and kind in _PROGRAMS:
        if dialect is not Dialect.GOOGLESQL:
            raise SourceError(
                f"schema source {text!r}: Spanner's {kind} writes GoogleSQL; a database of dialect "
                f"{dialect} needs files of SQL, goose: or call:"
            )
        return _PROGRAMS[kind](text, rest, root)
    if colon and kind == _CALL:
        return programs.CallSource(text, rest, root, dialect)
    if colon and kind == KIND:
        return sample(text, rest, dialect)
    if colon and kind in _MIGRATIONS:
        return _MIGRATIONS[kind](text, root / rest, dialect)
    if colon and kind.isidentifier() and len(kind) > 1 and not (root / text).exists():
        known = sorted(KINDS)
        raise SourceError(f"schema source {text!r}: {kind!r} is not one of {', '.join(known)}")
    return path_source(text, root, dialect)


def default_sources(root: Path) -> tuple[str, ...]:
    """Return the sources without a setting: the schema file at its default paths, if it exists."""
    for name in ("schema.sql", "db/schema.sql"):
        if (root / name).is_file():
            return (name,)
    return ()


def path_source(text: str, root: Path, dialect: Dialect) -> Source:
    """Return the source for a path or a glob below `root`, or for literal statements.

    Raises SourceError for a path without a file, and for a glob without a match.
    """
    if _STATEMENTS.match(text):
        return TextSource(text, dialect)
    if _GLOB.search(text):
        matches = [path for path in root.glob(text) if path.suffix in SQL_SUFFIXES]
        if not matches:
            raise SourceError(
                f"schema source {text!r}: no .sql, .ddl or .sdl file matches in {root}"
            )
        return FilesSource(text, sorted(matches, key=natural_order), dialect)
    path = root / text
    if path.is_dir():
        return migrations.directory_source(text, path, dialect)
    if not path.is_file():
        files = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, files)
        raise SourceError(f"schema source {text!r}: file {path} does not exist.{hint}")
    return FilesSource(text, [path], dialect)
