"""Schema files as the linter reads them: statements with positions, and directives in comments.

    -- spanemu: ignore=SPN202 reason="10 rows a day"     rules to ignore for the statement
    -- spanemu: ignore=SPN102,SPN2
    -- spanemu: low-rate                                 ignores rules about high write rates
    -- spanemu: high-rate                                the table is expected to be hot

A directive applies to the statement that contains its comment, that the comment follows on the same
line, or that comes next. Statements that declare no schema are skipped.
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from spanemu.base.errors import Code, SpannerError
from spanemu.base.name_hints import words_of
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema_source import TEXT_ORIGIN, is_schema_text
from spanemu.sql.dialect import Dialect
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.syntax_tree import Kind, Token

Source = str | os.PathLike[str]

SUFFIXES = (".sql", ".ddl")
STANDARD_INPUT = "-"

_DIRECTIVE = re.compile(r"(?:--|\#|/\*)\s*spanemu:\s*(?P<text>[^\r\n]*)")
_IGNORE = re.compile(r"""ignore\s*(?:=\s*|\[)(?P<ids>[A-Za-z0-9]+(?:\s*,\s*[A-Za-z0-9]+)*)\]?""")
_REASON = re.compile(r"""reason\s*=\s*("[^"]*"|'[^']*'|\S+)""")
_WORD = re.compile(r"(?P<word>low-rate|high-rate)\b")


class SourceMissing(SpannerError, code=Code.NOT_FOUND):
    prose = "{path}: {reason}"
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive to the linter in a comment."""

    ignore: tuple[str, ...] = ()
    low_rate: bool = False
    high_rate: bool = False
    unknown: str = ""  # text that is no known directive


@dataclass(eq=False)
class SourceText:
    """The text and the name of a schema file."""

    text: str
    origin: str
    dialect: Dialect = field(default_factory=lambda: dialect_of(GOOGLE_STANDARD_SQL))

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", self.text))]

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from one."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def without_statement(self, failure: SyntaxFailure, *, to_end: bool) -> SourceText:
        """Return this text with the failing statement blanked out, or all text from there on."""
        at = self._starts[failure.line - 1] + failure.column - 1
        ends = [token.end for token in self.dialect.tokenize(self.text[:at]) if token.symbol == ";"]
        start, end = ends[-1] if ends else 0, self.text.find(";", at + 1)
        if to_end or end < 0:
            end = len(self.text)
        blank = re.sub(r"[^\n]", " ", self.text[start:end])
        return replace(self, text=self.text[:start] + blank + self.text[end:])


@dataclass(eq=False)
class Statement:
    """A statement that begins at `offset` of its source."""

    text: str
    offset: int
    source: SourceText
    directives: list[Directive] = field(default_factory=list)

    @property
    def ignored(self) -> Iterator[str]:
        """The ids, or prefixes of ids, of rules that the statement's comments ignore."""
        for directive in self.directives:
            yield from directive.ignore

    @property
    def low_rate(self) -> bool:
        """True if a comment declares a low write rate."""
        return any(directive.low_rate for directive in self.directives)

    @property
    def high_rate(self) -> bool:
        """True if a comment declares a high write rate."""
        return any(directive.high_rate for directive in self.directives)


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a statement."""

    statement: Statement
    at: int = 0

    @property
    def dialect(self) -> Dialect:
        """The dialect of the statement."""
        return self.statement.source.dialect

    @property
    def location(self) -> tuple[str, int, int]:
        """The file, line and column, both numbers from one."""
        source = self.statement.source
        return source.origin, *source.line_and_column(self.statement.offset + self.at)


def read_sources(
    sources: Source | Iterable[Source], dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
) -> list[SourceText]:
    """Return every text in order.

    A directory stands for its .sql and .ddl files, "-" for standard input. Raises SourceMissing.
    """
    listed = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    syntax = dialect_of(dialect)
    return [SourceText(text, origin, syntax) for source in listed for text, origin in _read(source)]


def _read(source: Source) -> Iterator[tuple[str, str]]:
    """Yield each text of a source with its origin."""
    if isinstance(source, str) and is_schema_text(source):
        yield source, TEXT_ORIGIN
    elif str(source) == STANDARD_INPUT:
        yield _decoded("<stdin>", _standard_input), "<stdin>"
    else:
        for file in _files(Path(source)):
            yield _decoded(str(file), file.read_bytes), str(file)


def _decoded(origin: str, read: Callable[[], bytes]) -> str:
    """Return the decoded bytes of `read`, with `\\n` for every line end."""
    try:
        text = read().decode("utf-8-sig")
    except OSError as error:
        raise SourceMissing(origin, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise SourceMissing(origin, f"the file is not in UTF-8: {error}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _standard_input() -> bytes:
    if sys.stdin is None:  # as after `<&-`
        raise OSError("standard input is closed")
    return sys.stdin.buffer.read()


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = [file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file()]
    if not files:
        raise SourceMissing(str(path), f"the directory has no {' or '.join(SUFFIXES)} file")
    return sorted(files, key=_natural_order)


def _natural_order(path: Path) -> list[tuple[int, int, str]]:
    """Return a sort key that puts 2_b.sql before 10_a.sql."""
    parts = re.findall(r"\d+|\D+", str(path))
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def statements_of(source: SourceText) -> list[Statement]:
    """Return the statements of a text with their directives. Raises SyntaxFailure."""
    tokens = source.dialect.tokenize(source.text)
    statements = list(_split(source, tokens))
    for offset, directive in _directives(source.text, tokens):
        statement = _statement_of(source, statements, offset)
        if statement is not None:
            statement.directives.append(directive)
    return statements


def _split(source: SourceText, tokens: list[Token]) -> Iterator[Statement]:
    first = last = None
    for token in tokens:
        if token.symbol != ";" and token.kind is not Kind.END:
            first, last = first or token, token
        elif first is not None and last is not None:
            yield Statement(source.text[first.at : last.end], first.at, source)
            first = last = None


def _directives(text: str, tokens: list[Token]) -> Iterator[tuple[int, Directive]]:
    """Yield directives with their offsets; comments stand between tokens."""
    if "spanemu:" not in text:
        return
    end = 0
    for token in tokens:
        for match in _DIRECTIVE.finditer(text, end, token.at):
            yield match.start(), _directive(match["text"])
        end = token.end


def _directive(text: str) -> Directive:
    rest = _REASON.sub("", text.removesuffix("*/"))
    ignored = tuple(
        part.strip().upper() for match in _IGNORE.finditer(rest) for part in match["ids"].split(",")
    )
    words = {match["word"] for match in _WORD.finditer(rest)}
    left = _WORD.sub("", _IGNORE.sub("", rest)).strip(" ,;*/")
    return Directive(ignored, "low-rate" in words, "high-rate" in words, left)


def _statement_of(source: SourceText, statements: list[Statement], offset: int) -> Statement | None:
    """Return the statement to which a directive at `offset` applies."""
    line = source.line_and_column(offset)[0]
    before = None
    for statement in statements:
        if offset < statement.offset:
            return statement if before is None else before
        end = statement.offset + len(statement.text)
        if offset < end or source.line_and_column(end)[0] == line:
            before = statement
            if offset < end:
                return statement
        else:
            before = None
    return before


_DATA = words_of("INSERT UPDATE DELETE SELECT WITH FROM GRAPH CALL")
_TRANSACTIONS = words_of("BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE")
_BATCHES = words_of("RUN ABORT")  # START BATCH begins with a word of _TRANSACTIONS
_SESSION = words_of("SET SHOW RESET USE EXPLAIN DESCRIBE PARTITION")

_SKIPPED = _DATA | _TRANSACTIONS | _BATCHES | _SESSION  # no DDL begins with these words
_FIRST_WORD = re.compile(r"(?:@\s*\{[^}]*\}\s*)?([A-Za-z]+)")  # after a statement hint


def is_client_statement(text: str) -> bool:
    """Return whether `text`, which begins with a token, is DML, a query or a client's command.

    Migration files hold more than DDL: rows that belong to the schema, and the statements by which
    JDBC, Liquibase, Go's database/sql driver and the command-line clients control a connection,
    such as START BATCH DDL, RUN BATCH and SET PROTO_DESCRIPTORS. The linter skips them.
    """
    word = _FIRST_WORD.match(text)
    return word is not None and word[1].upper() in _SKIPPED
