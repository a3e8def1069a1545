"""Where a schema comes from: files or text, cut into statements that remember their place.

    "schema.sql", Path("db/schema.sql")     a file
    "CREATE TABLE T (...) ...; CREATE ..."  the statements themselves

A text that opens with a schema statement's first word, or holds nothing but comments, is DDL;
anything else is the path of a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spanemu.base.errors import SpannerError
from spanemu.sql.errors import DdlSyntaxFailure
from spanemu.sql.syntax.ddl import split_statements

Source = str | os.PathLike[str]

_DDL = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"(?:$|(?:CREATE|ALTER|DROP|RENAME|GRANT|REVOKE|ANALYZE)\b)",
    re.IGNORECASE,
)
TEXT_ORIGIN = "<schema>"


@dataclass(frozen=True, slots=True)
class SchemaStatement:
    """One statement, and where it begins; lines count from one."""

    text: str
    origin: str
    line: int


class SchemaRejected(SpannerError):
    """A statement of a schema file cannot be used; `failure` says why."""

    prose = "{origin}:{line}: {failure}"
    origin: str
    line: int
    failure: SpannerError

    def __init__(self, origin: str, line: int, failure: SpannerError) -> None:
        super().__init__(origin, line, failure)
        self.code = failure.code  # type: ignore[misc]  # As many codes as causes.


def load_schema(sources: Source | Iterable[Source]) -> list[SchemaStatement]:
    """The statements of every source in order. Raises OSError for a file that is not there."""
    listed = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    return [statement for source in listed for statement in _load(source)]


def rejected(statement: SchemaStatement, failure: SpannerError) -> SchemaRejected:
    """The failure together with its place in the file."""
    inside = failure.line - 1 if isinstance(failure, DdlSyntaxFailure) else 0
    return SchemaRejected(statement.origin, statement.line + inside, failure)


def _load(source: Source) -> list[SchemaStatement]:
    if isinstance(source, str) and _DDL.match(source):
        return _split(source, TEXT_ORIGIN)
    return _split(Path(source).read_text(encoding="utf-8-sig"), os.fspath(source))


def _split(text: str, origin: str) -> list[SchemaStatement]:
    statements = []
    line, counted = 1, 0
    for statement, offset in split_statements(text):
        line += text.count("\n", counted, offset)
        counted = offset
        statements.append(SchemaStatement(statement, origin, line))
    return statements
