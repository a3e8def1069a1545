"""Schema files as the linter reads them: statements with their places, and comments that steer it.

    -- spanemu: ignore=SPN202 reason="10 rows a day"     rules that the statement is spared
    -- spanemu: ignore=SPN102,SPN2
    -- spanemu: low-rate                                 spares all that only hurts at high rates
    -- spanemu: high-rate                                the table is expected to be hot

A comment steers the statement that it stands in, that it follows on the same line, or that comes
next.
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from spanemu.base.errors import Code, SpannerError
from spanemu.schema_source import TEXT_ORIGIN, is_schema_text
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.googlesql.syntax.lexer import Kind, Token, tokenize

Source = str | os.PathLike[str]

SUFFIXES = (".sql", ".ddl")
STANDARD_INPUT = "-"

_DIRECTIVE = re.compile(r"(?:--|\#|/\*)\s*spanemu:\s*(?P<text>[^\r\n]*)")
_IGNORE = re.compile(r"""ignore\s*(?:=\s*|\[)(?P<ids>[A-Za-z0-9]+(?:\s*,\s*[A-Za-z0-9]+)*)\]?""")
_REASON = re.compile(r"""reason\s*=\s*("[^"]*"|'[^']*'|\S+)""")
_WORD = re.compile(r"(?P<word>low-rate|high-rate)\b")


class SourceMissing(SpannerError):
    """A schema file cannot be read."""

    code = Code.NOT_FOUND
    prose = "{path}: {reason}"
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Directive:
    """What a steering comment says."""

    ignore: tuple[str, ...] = ()
    low_rate: bool = False
    high_rate: bool = False
    unknown: str = ""  # a text that is none of the above


@dataclass(eq=False)
class Text:
    """A schema file's text and name."""

    text: str
    origin: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from one."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def without_statement(self, failure: SyntaxFailure, *, to_end: bool) -> Text:
        """Return this text with blanks for the statement that fails, or for all from there on."""
        at = self._starts[failure.line - 1] + failure.column - 1
        ends = [token.end for token in tokenize(self.text[:at]) if token.symbol == ";"]
        start, end = ends[-1] if ends else 0, self.text.find(";", at + 1)
        if to_end or end < 0:
            end = len(self.text)
        blank = re.sub(r"[^\n]", " ", self.text[start:end])
        return Text(self.text[:start] + blank + self.text[end:], self.origin)


@dataclass(eq=False)
class Statement:
    """One statement; `offset` is where it begins in its source."""

    text: str
    offset: int
    source: Text
    directives: list[Directive] = field(default_factory=list)

    @property
    def ignored(self) -> Iterator[str]:
        """Ids, or beginnings of ids, of the rules that its comments switch off."""
        for directive in self.directives:
            yield from directive.ignore

    @property
    def low_rate(self) -> bool:
        """Whether a comment says that little is written."""
        return any(directive.low_rate for directive in self.directives)

    @property
    def high_rate(self) -> bool:
        """Whether a comment says that much is written."""
        return any(directive.high_rate for directive in self.directives)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a statement."""

    statement: Statement
    at: int = 0

    @property
    def place(self) -> tuple[str, int, int]:
        """(file, line, column), the numbers from one."""
        source = self.statement.source
        return source.origin, *source.place(self.statement.offset + self.at)


def read_sources(sources: Source | Iterable[Source]) -> list[Text]:
    """Every text in order. A directory stands for its .sql and .ddl files, "-" for what comes in.

    Raises SourceMissing.
    """
    listed = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    return [text for source in listed for text in _read(source)]


def _read(source: Source) -> Iterator[Text]:
    if isinstance(source, str) and is_schema_text(source):
        yield Text(source, TEXT_ORIGIN)
    elif str(source) == STANDARD_INPUT:
        yield Text(_decoded("<stdin>", _standard_input), "<stdin>")
    else:
        for file in _files(Path(source)):
            yield Text(_decoded(str(file), file.read_bytes), str(file))


def _decoded(origin: str, read: Callable[[], bytes]) -> str:
    """What is read, as text with the line ends of this page."""
    try:
        text = read().decode("utf-8-sig")
    except OSError as problem:
        raise SourceMissing(origin, problem.strerror or str(problem)) from problem
    except UnicodeDecodeError as problem:
        raise SourceMissing(origin, f"it is not in UTF-8: {problem}") from problem
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _standard_input() -> bytes:
    if sys.stdin is None:  # as after `<&-`
        raise OSError("nothing comes in")
    return sys.stdin.buffer.read()


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [each for each in path.rglob("*") if each.suffix in SUFFIXES and each.is_file()]
    if not found:
        raise SourceMissing(str(path), f"no file in it ends with {' or '.join(SUFFIXES)}")
    return sorted(found, key=_natural)


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Sorts 2_b.sql before 10_a.sql."""
    parts = re.findall(r"\d+|\D+", str(path))
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def statements_of(source: Text) -> list[Statement]:
    """The statements of a text with what its comments say. Raises SyntaxFailure."""
    tokens = tokenize(source.text)
    found = list(_cut(source, tokens))
    for offset, directive in _directives(source.text, tokens):
        steered = _steered(source, found, offset)
        if steered is not None:
            steered.directives.append(directive)
    return found


def _cut(source: Text, tokens: list[Token]) -> Iterator[Statement]:
    first = last = None
    for token in tokens:
        if token.symbol != ";" and token.kind is not Kind.END:
            first, last = first or token, token
        elif first is not None and last is not None:
            yield Statement(source.text[first.at : last.end], first.at, source)
            first = last = None


def _directives(text: str, tokens: list[Token]) -> Iterator[tuple[int, Directive]]:
    """Steering comments with their offsets: they stand where there is no token."""
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


def _steered(source: Text, statements: list[Statement], offset: int) -> Statement | None:
    line = source.place(offset)[0]
    before = None
    for statement in statements:
        if offset < statement.offset:
            return statement if before is None else before
        end = statement.offset + len(statement.text)
        if offset < end or source.place(end)[0] == line:
            before = statement
            if offset < end:
                return statement
        else:
            before = None
    return before
