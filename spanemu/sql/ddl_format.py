"""Formats DDL text: keywords in capitals, one column per line, comments in their places.

Only white space and the case of keywords change, so the meaning of the statements stays the same.
Formatted text does not change again. Queries of views keep their layout. A dialect supplies its
parser, its lexer and its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spanemu.sql.dialect import Dialect
from spanemu.sql.syntax_tree import Kind, Node, Token

_INDENT = "  "
_SEMICOLON = re.compile(r"\s*;")
_NO_SPACE_BEFORE = frozenset({",", ")", "]", ".", ";"})
_NO_SPACE_AFTER = frozenset({"(", "[", ".", "@"})
_SPACE_AFTER = frozenset({",", "="})
_AS_WRITTEN = frozenset({"(", "<", ">", "-", "@", "[", "=>", "::"})  # a space around them stays
_TYPES = frozenset({"ARRAY", "STRUCT"})
_CLOSING = frozenset({">", ">>"})
_BLOCKS = ("CREATE TABLE", "CREATE QUEUE")
# The first two words of the parts of an element table, besides LABEL name.
_CLAUSES = frozenset(
    {("SOURCE", "KEY"), ("DESTINATION", "KEY"), ("DEFAULT", "LABEL"), ("DYNAMIC", "LABEL"),
     ("DYNAMIC", "PROPERTIES")}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DdlStyle:
    """The words and commas of a dialect's schema statements.

    `reserved` words are capitalized, and `opening` words too where a statement begins. Other words
    may be names: they stay. With `trailing_comma`, the last entry of a table ends in a comma.
    """

    reserved: frozenset[str]
    opening: frozenset[str]
    trailing_comma: bool


def format_ddl(text: str, dialect: Dialect, style: DdlStyle) -> str:
    """Return the formatted text; each statement ends in a semicolon. Raises DdlSyntaxFailure."""
    formatter = _Formatter(dialect, style)
    out: list[str] = []
    end = 0
    for statement, offset in dialect.split_statements(text):
        name = getattr(dialect.parse_ddl(statement), "name", None)
        name_at = name.at if isinstance(name, Node) else len(statement)
        out.extend(_comments(text[end:offset]))
        out.append(formatter.statement(statement, name_at) + ";")
        out.append("")
        end = offset + len(statement)
        semicolon = _SEMICOLON.match(text, end)
        end = end if semicolon is None else semicolon.end()
    out.extend(_comments(text[end:]))
    return "\n".join(out).strip("\n") + "\n" if out else ""


def _comments(between: str) -> Iterator[str]:
    """Yield the lines of comments between statements."""
    lines = (line.strip() for line in between.strip().strip(";").splitlines())
    yield from (line for line in lines if line)


class _Formatter:
    """A formatter of the statements of one dialect."""

    def __init__(self, dialect: Dialect, style: DdlStyle) -> None:
        self._dialect = dialect
        self._style = style

    def statement(self, text: str, name_at: int) -> str:
        """Return a statement formatted, without a semicolon; its object's name is at `name_at`."""
        tokens = [token for token in self._dialect.tokenize(text) if token.kind is not Kind.END]
        head = " ".join(token.symbol for token in tokens[:5])
        if _is_verbatim(text, tokens, head):
            return text.strip()
        if _begins_graph(tokens):
            return self._graph(tokens, text, name_at)
        start = _block_start(tokens) if head.startswith(_BLOCKS) else None
        if start is None:
            return self._joined(tokens, text, opening_end=name_at)
        stop = _closing(tokens, start)
        elements = _split(tokens[start + 1 : stop])
        lines = [f"{self._joined(tokens[:start], text, opening_end=name_at)} ("]
        lines += [f"{_INDENT}{self._joined(element, text)}," for element in elements]
        if elements and not self._style.trailing_comma:
            lines[-1] = lines[-1].removesuffix(",")
        clauses = [self._joined(clause, text) for clause in _split(tokens[stop + 1 :])]
        starts_with_comma = stop + 1 < len(tokens) and tokens[stop + 1].symbol == ","
        first = ")," if starts_with_comma else f") {clauses.pop(0)}" if clauses else ")"
        if starts_with_comma:
            return "\n".join([*lines, f"{first}\n{_INDENT}" + f",\n{_INDENT}".join(clauses)])
        return "\n".join([*lines, f",\n{_INDENT}".join([first, *clauses])])

    def _graph(self, tokens: Sequence[Token], text: str, name_at: int) -> str:
        """Return CREATE PROPERTY GRAPH with a line for each element table and each of its ends."""
        lines: list[str] = []
        rest = list(tokens)
        while (start := _tables_start(rest)) is not None:
            stop = _closing(rest, start)
            head = self._joined(rest[: start - 2], text, opening_end=name_at)
            lines += [head] if head else []
            lines.append(f"{_INDENT}{self._joined(rest[start - 2 : start], text)} (")
            elements = [
                f"\n{_INDENT * 3}".join(self._joined(clause, text) for clause in _clauses(element))
                for element in _split(rest[start + 1 : stop])
                if element
            ]
            lines += [",\n".join(f"{_INDENT * 2}{element}" for element in elements), f"{_INDENT})"]
            rest = rest[stop + 1 :]
        return "\n".join(lines)

    def _joined(self, tokens: Sequence[Token], text: str, *, opening_end: int = 0) -> str:
        """Join tokens with one space or none between them.

        The opening words, which lie before `opening_end`, are capitalized.
        """
        out = ""
        before = ""
        brackets = _type_brackets(tokens)
        opening = True
        opening_words = self._style.opening | self._style.reserved
        for token in tokens:
            symbol, written = token.symbol, text[token.at : token.end]
            opening = opening and token.at < opening_end and symbol in opening_words
            if brackets.get(token.at, 0) < 0:
                symbol = ">"  # also that of several types at once
            elif symbol in ("<", ">") and token.at not in brackets:
                symbol = "<="  # a comparison
            if out and _has_space(before, symbol, text[token.at - 1 : token.at]):
                out += " "
            in_capitals = opening or (symbol in self._style.reserved and written.upper() == symbol)
            out += written.upper() if in_capitals else written
            before = symbol
        return out


def _is_verbatim(text: str, tokens: Sequence[Token], head: str) -> bool:
    """Return whether a statement keeps its layout: it holds a comment or a query."""
    gaps = (text[a.end : b.at] for a, b in pairwise(tokens))
    return " VIEW " in f" {head} " or any(gap.strip() for gap in gaps)


def _begins_graph(tokens: Sequence[Token]) -> bool:
    words = [token.symbol for token in tokens[:6]]
    return words[:1] == ["CREATE"] and ("PROPERTY", "GRAPH") in pairwise(words)


def _tables_start(tokens: Sequence[Token]) -> int | None:
    """Return the position of the parenthesis behind NODE TABLES or EDGE TABLES."""
    for number in range(2, len(tokens)):
        kind, word, opening = (token.symbol for token in tokens[number - 2 : number + 1])
        if kind in ("NODE", "EDGE") and word == "TABLES" and opening == "(":
            return number
    return None


def _clauses(element: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of an element table, split before its ends, labels and dynamic parts."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for number, token in enumerate(element):
        depth += {"(": 1, ")": -1}.get(token.symbol, 0)
        following = element[number + 1].symbol if number + 1 < len(element) else ""
        begins = (token.symbol, following) in _CLAUSES or _begins_label(element, number)
        if parts[-1] and not depth and begins:
            parts.append([])
        parts[-1].append(token)
    return parts


def _begins_label(element: Sequence[Token], number: int) -> bool:
    """Return whether LABEL name begins at a position; LABEL may also be a name."""
    words = ("DEFAULT", "DYNAMIC", "LABEL", "AS", "REFERENCES", ".")
    return element[number].symbol == "LABEL" and element[number - 1].symbol not in words


def _block_start(tokens: Sequence[Token]) -> int | None:
    return next((n for n, token in enumerate(tokens) if token.symbol == "("), None)


def _closing(tokens: Sequence[Token], start: int) -> int:
    depth = 0
    for number in range(start, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[number].symbol, 0)
        if depth == 0:
            return number
    return len(tokens) - 1


def _split(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens, split at the commas outside parentheses and the brackets of types."""
    parts: list[list[Token]] = [[]]
    brackets = _type_brackets(tokens)
    depth = 0
    for token in tokens:
        depth += brackets.get(token.at, 0)
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.symbol, 0)
        if token.symbol == "," and depth <= 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _type_brackets(tokens: Sequence[Token]) -> Mapping[int, int]:
    """Return by position how many types an angle bracket opens, or closes if negative.

    Other signs of this shape compare or shift.
    """
    brackets: dict[int, int] = {}
    depth = 0
    before = ""
    for token in tokens:
        symbol = token.symbol
        if symbol == "<" and before in _TYPES:
            brackets[token.at] = 1
        elif symbol in _CLOSING and depth >= len(symbol):
            brackets[token.at] = -len(symbol)
        depth += brackets.get(token.at, 0)
        before = symbol
    return brackets


def _has_space(before: str, symbol: str, gap: str) -> bool:
    if symbol in _NO_SPACE_BEFORE or before in _NO_SPACE_AFTER:
        return False
    if before in _SPACE_AFTER:
        return True
    if symbol in _AS_WRITTEN or before in _AS_WRITTEN:
        return gap.isspace()
    return True
