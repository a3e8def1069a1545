"""Where a schema comes from: files or text, cut into statements that remember their place.

    "schema.sql", Path("db/schema.sql")     a file
    "CREATE TABLE T (...) ...; CREATE ..."  the statements themselves
    SchemaStatement(...)                    one statement that was cut out before

A text that opens with a schema statement's first word, or holds nothing but comments, is DDL;
anything else is the path of a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spanemu.base.errors import Code, SpannerError
from spanemu.base.excerpts import excerpt, position_of_name
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import DdlSyntaxFailure, SyntaxFailure

_BLANK = r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)"
_DDL = re.compile(
    rf"{_BLANK}*(?:$|(?:CREATE|ALTER|DROP|RENAME|GRANT|REVOKE|ANALYZE)\b)", re.IGNORECASE
)
_ALTER_DATABASE = re.compile(
    rf"\A({_BLANK}*ALTER{_BLANK}+DATABASE{_BLANK}*)(?:`[^`\n]+`|\b[A-Z_][A-Z0-9_]*\b)"
    rf"(?={_BLANK}*SET\b)",
    re.IGNORECASE | re.ASCII,
)
TEXT_ORIGIN = "<schema>"


class NotUtf8(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The file is not in UTF-8: {reason}."
    reason: str


@dataclass(frozen=True, slots=True)
class SchemaStatement:
    """One statement, and where it begins; lines count from one."""

    text: str
    origin: str
    line: int

    def text_for(self, database: str) -> str:
        """Return the text with the id `database` as the name in ALTER DATABASE.

        A schema file serves databases of many names; Spanner refuses any name but its own.
        """
        return _ALTER_DATABASE.sub(lambda match: f"{match[1]}`{database}`", self.text)


Source = str | os.PathLike[str] | SchemaStatement


class SchemaRejected(SpannerError):
    """A statement of a schema file cannot be used; `failure` says why.

    `shown` is the line at fault with a caret below the place in it, "" where that is not known.
    """

    prose = "{origin}:{line}: {failure}"
    origin: str
    line: int
    failure: SpannerError
    shown: str = ""

    def __init__(self, origin: str, line: int, failure: SpannerError, shown: str = "") -> None:
        super().__init__(origin, line, failure, shown)
        self.code = failure.code  # type: ignore[misc]  # As many codes as causes.

    def __str__(self) -> str:
        said = str(self.failure)
        if isinstance(self.failure, DdlSyntaxFailure):
            said = f"Syntax error: {self.failure.message}"
        return "\n".join(filter(None, [f"{self.origin}:{self.line}: {said}", self.shown]))


def load_schema(sources: Source | Iterable[Source]) -> list[SchemaStatement]:
    """The statements of every source in order. Raises OSError for a file that is not there."""
    if isinstance(sources, str | os.PathLike | SchemaStatement):
        return _load(sources)
    return [statement for source in sources for statement in _load(source)]


def is_schema_text(source: str) -> bool:
    """Whether a text is DDL rather than the path of a file."""
    return _DDL.match(source) is not None


def rejected(statement: SchemaStatement, failure: SpannerError) -> SchemaRejected:
    """Return the failure together with its place in the file.

    The place is where the syntax breaks, or the name that the failure is about, or the beginning of
    the statement.
    """
    text = statement.text
    if isinstance(failure, DdlSyntaxFailure):
        text, place = failure.statement, (failure.line, failure.column)
    elif (found := position_of_name(text, str(failure))) is not None:
        place = found
    else:
        return SchemaRejected(statement.origin, statement.line, failure)
    line = statement.line + place[0] - 1
    return SchemaRejected(statement.origin, line, failure, excerpt(text, *place))


def _load(source: Source) -> list[SchemaStatement]:
    if isinstance(source, SchemaStatement):
        return [source]
    if isinstance(source, str) and is_schema_text(source):
        return split_schema(source, TEXT_ORIGIN)
    return split_schema(_text_of(Path(source)), os.fspath(source))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as problem:
        what = f"schema {os.fspath(path)!r} is neither DDL nor a file that can be read"
        raise type(problem)(f"{what}: {problem.strerror}, in {Path.cwd()}") from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise SchemaRejected(os.fspath(path), line, NotUtf8(problem.reason)) from problem


def split_schema(
    text: str, origin: str, line: int = 1, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
) -> list[SchemaStatement]:
    """The statements of a text that begins at a line of its origin, comments between left out.

    Raises SchemaRejected where it cannot be told where one ends, as in a string without an end.
    """
    try:
        cut = dialect_of(dialect).split_statements(text)
    except SyntaxFailure as failure:
        raise SchemaRejected(origin, line + failure.line - 1, failure) from failure
    statements = []
    counted = 0
    for statement, offset in cut:
        line += text.count("\n", counted, offset)
        counted = offset
        statements.append(SchemaStatement(statement, origin, line))
    return statements
