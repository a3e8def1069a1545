"""The source of a schema: files or text, divided into statements that know their position.

    "schema.sql", Path("db/schema.sql")     a file
    "CREATE TABLE T (...) ...; CREATE ..."  the statements themselves
    SchemaStatement(...)                    a statement divided out before

A text that begins with the first word of a schema statement, or contains only comments, is DDL.
Any other text is the path of a file.

A PostgreSQL schema file may hold commands of psql, such as `\\connect shop`, each on its own line.
They are skipped with a warning.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from pathlib import Path

from spanemu.base import excerpts
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import dataclass
from spanemu.base.text_files import read_text
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import DdlSyntaxFailure, SyntaxFailure

_BLANK = r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)"
_DDL = lazy_pattern(
    rf"{_BLANK}*(?:$|(?:CREATE|ALTER|DROP|RENAME|GRANT|REVOKE|ANALYZE)\b)", re.IGNORECASE
)


def _alter_database(quote: str, verbs: str) -> re.Pattern[str]:
    """Return a pattern for ALTER DATABASE with the name of the database."""
    name = rf"{quote}[^{quote}\n]+{quote}|\b[A-Z_][A-Z0-9_]*\b"
    return lazy_pattern(
        rf"\A({_BLANK}*ALTER{_BLANK}+DATABASE{_BLANK}*)(?:{name})(?={_BLANK}*(?:{verbs})\b)",
        re.IGNORECASE | re.ASCII,
    )


_NAME_QUOTES = {GOOGLE_STANDARD_SQL: "`", POSTGRESQL: '"'}
_ALTER_DATABASE = {
    GOOGLE_STANDARD_SQL: _alter_database("`", "SET"),
    POSTGRESQL: _alter_database('"', "SET|RESET"),
}
TEXT_ORIGIN = "<schema>"


_PSQL_COMMAND = lazy_pattern(r"^[ \t]*\\(\S*)[^\n]*", re.MULTILINE)


class PsqlCommandSkipped(UserWarning):
    """A command of psql in a schema file, which has no effect."""


class NotUtf8(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The file is not in UTF-8: {reason}."
    reason: str


@dataclass(frozen=True, slots=True)
class SchemaStatement:
    """A statement and the line, counted from one, on which it begins."""

    text: str
    origin: str
    line: int
    dialect: DatabaseDialect = GOOGLE_STANDARD_SQL

    def text_for(self, database: str) -> str:
        """Return the text with the id `database` as the name in ALTER DATABASE.

        A schema file serves databases of many names, but Spanner requires the database's own name.
        """
        name = quoted_database(database, self.dialect)
        return _ALTER_DATABASE[self.dialect].sub(lambda match: match[1] + name, self.text)


Source = str | os.PathLike[str] | SchemaStatement


def quoted_database(database: str, dialect: DatabaseDialect) -> str:
    """Return a database id as CREATE DATABASE and ALTER DATABASE name it."""
    quote = _NAME_QUOTES[dialect]
    return f"{quote}{database}{quote}"


class SchemaRejected(SpannerError):
    """The rejection of a statement of a schema file, for the reason `failure`.

    `shown` is the faulty line with a caret below the position; "" where the position is not known.
    """

    prose = "{origin}:{line}: {failure}"
    origin: str
    line: int
    failure: SpannerError
    shown: str = ""

    def __init__(self, origin: str, line: int, failure: SpannerError, shown: str = "") -> None:
        super().__init__(origin, line, failure, shown)
        self.code = failure.code  # type: ignore[misc]  # The code is that of the cause.

    def __str__(self) -> str:
        reason = str(self.failure)
        if isinstance(self.failure, DdlSyntaxFailure):
            reason = f"Syntax error: {self.failure.message}"
        return "\n".join(filter(None, [f"{self.origin}:{self.line}: {reason}", self.shown]))


def load_schema(
    sources: Source | Iterable[Source], dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
) -> list[SchemaStatement]:
    """Return the statements of every source in order. Raises OSError for a missing file."""
    if isinstance(sources, str | os.PathLike | SchemaStatement):
        return _load(sources, dialect)
    return [statement for source in sources for statement in _load(source, dialect)]


def is_schema_text(source: str) -> bool:
    """Return whether a text is DDL rather than the path of a file."""
    return _DDL.match(source) is not None


def rejected(statement: SchemaStatement, failure: SpannerError) -> SchemaRejected:
    """Return the failure together with its position in the file.

    The position is that of the syntax error, of the name that the failure is about, or of the
    beginning of the statement.
    """
    text = statement.text
    if isinstance(failure, DdlSyntaxFailure):
        text, position = failure.statement, (failure.line, failure.column)
    elif (name_position := excerpts.position_of_name(text, str(failure))) is not None:
        position = name_position
    else:
        return SchemaRejected(statement.origin, statement.line, failure)
    line = statement.line + position[0] - 1
    return SchemaRejected(statement.origin, line, failure, excerpts.excerpt(text, *position))


def _load(source: Source, dialect: DatabaseDialect) -> list[SchemaStatement]:
    if isinstance(source, SchemaStatement):
        return [source]
    if isinstance(source, str) and is_schema_text(source):
        return split_schema(source, TEXT_ORIGIN, dialect=dialect)
    return split_schema(_text_of(Path(source)), os.fspath(source), dialect=dialect)


def _text_of(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as problem:
        what = f"schema {os.fspath(path)!r} is neither DDL nor a file that can be read"
        raise type(problem)(f"{what}: {problem.strerror}, in {Path.cwd()}") from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise SchemaRejected(os.fspath(path), line, NotUtf8(problem.reason)) from problem


def split_schema(
    text: str, origin: str, line: int = 1, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
) -> list[SchemaStatement]:
    """Return the statements of a text that begins at `line` of `origin`, without comments between.

    Raises SchemaRejected where the end of a statement cannot be found, as in an unclosed string.
    """
    text = without_psql_commands(text, origin, line, dialect)
    try:
        divided = dialect_of(dialect).split_statements(text)
    except SyntaxFailure as failure:
        raise SchemaRejected(origin, line + failure.line - 1, failure) from failure
    statements = []
    counted = 0
    for statement, offset in divided:
        line += text.count("\n", counted, offset)
        counted = offset
        statements.append(SchemaStatement(statement, origin, line, dialect))
    return statements


def without_psql_commands(text: str, origin: str, line: int, dialect: DatabaseDialect) -> str:
    """Return a text with blanks in place of the commands of psql, and warn about each command.

    A line that begins with a backslash inside a string or a comment is no command.
    """
    if dialect is not POSTGRESQL or "\\" not in text:
        return text
    tokenize = dialect_of(dialect).tokenize
    checked = 0  # the offset up to which the text consists of whole tokens
    for command in list(_PSQL_COMMAND.finditer(text)):
        try:
            tokenize(text[checked : command.start()])
        except SyntaxFailure:  # an unclosed string or comment
            continue
        checked = command.end()
        at = line + text.count("\n", 0, command.start())
        message = f"{origin}:{at}: the psql command \\{command[1]} is skipped"
        warnings.warn(PsqlCommandSkipped(message), stacklevel=2)
        blank = " " * (command.end() - command.start())
        text = text[: command.start()] + blank + text[command.end() :]
    return text
