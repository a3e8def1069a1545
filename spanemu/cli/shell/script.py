r"""The input of the shell: SQL statements, and commands that begin with a backslash.

    SELECT 1; SELECT 2;       a statement ends with a semicolon, or with the input
    \d Singers                a command ends with the line

Both read a line at a time, from a terminal, a file or the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

from spanemu.interchange.statements import divide, without_comments
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect

_WORDS: Mapping[str, str] = {"exit": "q", "quit": "q", "help": "?"}
_COMMAND = re.compile(r"\s*\\(\S*)\s*(.*?)[\s;]*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without its semicolon, and the line of the input on which it begins."""

    text: str
    line: int = 1


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name without the backslash, and the text behind the name."""

    name: str
    argument: str = ""
    line: int = 1


class InputReader:
    """A reader of lines that returns statements and commands as they become complete."""

    def __init__(self, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> None:
        self.dialect = dialect
        self._pending = ""
        self._line = 1  # of the beginning of the pending text

    @property
    def is_pending(self) -> bool:
        """True while a statement has begun and not ended."""
        return bool(without_comments(self._pending, self.dialect))

    def feed(self, line: str) -> Iterator[Statement | Command]:
        """Yield what a further line completes."""
        line = line.rstrip("\r\n")
        if not self.is_pending and (command := command_of(line)) is not None:
            number = self._line + self._pending.count("\n")
            self._pending, self._line = "", number + 1
            yield replace(command, line=number)
            return
        self._pending += f"{line}\n"
        if ";" in line:
            yield from self._complete()

    def finish(self) -> Iterator[Statement]:
        """Yield the last statement, which needs no semicolon."""
        self._pending += ";"
        yield from self._complete()
        if self.is_pending:  # An open quotation: the server says what is wrong with it.
            yield Statement(self._pending.removesuffix(";").strip(), self._line)
        self.clear()

    def clear(self) -> None:
        """Forget the statement that has begun."""
        self._pending = ""

    def _complete(self) -> Iterator[Statement]:
        statements, rest = divide(self._pending, self.dialect)
        first = self._line
        self._line += self._pending.count("\n") - rest.count("\n")
        self._pending = rest
        for text, line in statements:
            yield Statement(text, first + line - 1)


def command_of(line: str) -> Command | None:
    r"""Return the command in a line, None if the line is SQL.

    >>> command_of(r"\d Singers;")
    Command(name='d', argument='Singers', line=1)
    """
    if match := _COMMAND.match(line):
        return Command(match[1].rstrip(";"), match[2])
    name = _WORDS.get(line.strip().rstrip(";").strip().lower())
    return None if name is None else Command(name)


# ---------------------------------------------------------------------------- statements


class Kind(Enum):
    """The request that a statement needs."""

    QUERY = auto()
    DML = auto()
    DDL = auto()
    BEGIN = auto()
    COMMIT = auto()
    ROLLBACK = auto()


class InvalidStatement(Exception):
    """A statement of the shell itself that is not valid; the message says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """A statement as it is run: the kind, and the text for the server.

    `explain` and `analyze` ask for the plan. BEGIN has `read_only`, and `bound` is the staleness or
    the timestamp of a read-only transaction.
    """

    kind: Kind
    text: str
    explain: bool = False
    analyze: bool = False
    read_only: bool = False
    bound: str = ""


_BEGIN = re.compile(
    r"(?:BEGIN|START)(?:\s+TRANSACTION)?(?:\s+(READ\s+ONLY|RO|READ\s+WRITE|RW)\b)?\s*(.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_END = re.compile(r"(COMMIT|ROLLBACK|CLOSE)(?:\s+TRANSACTION)?\s*\Z", re.IGNORECASE)
_EXPLAIN = re.compile(r"EXPLAIN(\s+ANALY[ZS]E)?\s+(?=\S)", re.IGNORECASE)
_HINTS = re.compile(r"\s*@\{[^}]*\}")
_WORD = re.compile(r"[A-Za-z]*")
_DDL = frozenset({"ALTER", "ANALYZE", "COMMENT", "CREATE", "DROP", "GRANT", "RENAME", "REVOKE"})
_DML = frozenset({"DELETE", "INSERT", "UPDATE"})


def request_of(statement: str, dialect: DatabaseDialect) -> Request:
    """Return the request of a statement. Raises InvalidStatement."""
    text = without_comments(statement, dialect)
    if match := _EXPLAIN.match(text):
        inner = request_of(text[match.end() :], dialect)
        if inner.kind not in (Kind.QUERY, Kind.DML) or inner.explain:
            raise InvalidStatement("only queries and DML statements have plans")
        return replace(inner, explain=True, analyze=match[1] is not None)
    if match := _END.match(text):
        return Request(Kind.COMMIT if match[1].upper() == "COMMIT" else Kind.ROLLBACK, text)
    word = _first_word(text, dialect)
    if word in ("BEGIN", "START"):
        return _begin(text)
    if word in _DDL:
        return Request(Kind.DDL, text)
    return Request(Kind.DML if word in _DML else Kind.QUERY, text)


def _first_word(text: str, dialect: DatabaseDialect) -> str:
    while hint := _HINTS.match(text):
        text = without_comments(text[hint.end() :], dialect)
    match = _WORD.match(text)
    return "" if match is None else match[0].upper()


def _begin(text: str) -> Request:
    match = _BEGIN.match(text)
    mode = "" if match is None else (match[1] or "").upper()
    bound = "" if match is None else match[2].strip().strip("'\"")
    read_only = mode.endswith(("ONLY", "RO"))
    if match is None or (bound and not read_only):
        raise InvalidStatement("BEGIN [READ WRITE | READ ONLY [SECONDS | TIMESTAMP]] is the form")
    return Request(Kind.BEGIN, text, read_only=read_only, bound=bound)
