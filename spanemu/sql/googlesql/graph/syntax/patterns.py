"""Graph patterns: paths of nodes, edges and subpaths, with quantifiers, prefixes and modes.

The tokens `->`, `-`, `<`, `*`, `+` and `{` are those of expressions: only a pattern gives them its
meaning. A node `(a)` and a subpath `((a)->(b))` differ in the token behind the parenthesis.
"""

from __future__ import annotations

from typing import TypedDict

from spanemu.sql.errors import GraphPatternInvalid, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph.ast import (
    Direction,
    EdgePattern,
    NodePattern,
    PathMode,
    PathPattern,
    PropertyFilter,
    Quantifier,
    SearchPrefix,
    Subpath,
    Term,
)
from spanemu.sql.googlesql.graph.syntax.predicates import label_expression
from spanemu.sql.googlesql.syntax.lexer import decode_integer
from spanemu.sql.googlesql.syntax.select import SelectParser
from spanemu.sql.syntax_tree import Kind, Token

_STARTS_TERM = ("(", "-", "<", "->")
_STARTS_QUANTIFIER = frozenset({"{", "*", "+"})
_MODES = frozenset(PathMode)
_PATH_WORDS = frozenset({"PATH", "PATHS"})
_NOT_VARIABLES = _MODES | _PATH_WORDS  # a pattern reads these words as keywords
_SELECTIVE = frozenset({"SHORTEST", "CHEAPEST"})
_COUNTS = frozenset({str(Kind.INTEGER), "@"})
_STARTS_PREFIX = frozenset({"ALL", "ANY"})


class _Filler(TypedDict):
    """The fields that node and edge patterns share."""

    variable: ast.Identifier | None
    labels: ast.LabelExpression | None
    properties: tuple[PropertyFilter, ...]
    where: ast.Expression | None
    cost: ast.Expression | None
    table_hint: ast.Hint | None
    where_at: int
    cost_at: int


_NO_FILLER = _Filler(
    variable=None, labels=None, properties=(), where=None, cost=None, table_hint=None,
    where_at=0, cost_at=0,
)  # fmt: skip


def starts_pattern(parser: SelectParser) -> bool:
    """Return whether the next tokens begin a path pattern, and no statement."""
    token, following = parser.token, parser.peek()
    if token.symbol in _STARTS_TERM or token.symbol in _STARTS_PREFIX:
        return True
    if token.kind is not Kind.IDENTIFIER:
        return False
    return token.symbol in _NOT_VARIABLES or following.symbol == "="


def path_patterns(parser: SelectParser) -> tuple[PathPattern, ...]:
    """Parse `pattern, [hint] pattern, ...`."""
    patterns = [_path_pattern(parser, None)]
    further = parser.counted(lambda: _path_pattern(parser, parser.hint()))
    while parser.accept(","):
        patterns.append(further())
    return tuple(patterns)


# ---------------------------------------------------------------------------- paths


def _path_pattern(parser: SelectParser, hint: ast.Hint | None) -> PathPattern:
    """Parse `[variable =] [prefix] [mode] [PATH | PATHS] terms`."""
    start = parser.token.at
    variable = None
    if _at_variable(parser) and parser.peek().symbol == "=":
        variable = parser.identifier()
        parser.advance()
    prefix_at = parser.token.at
    prefix = _search_prefix(parser)
    mode_at = parser.token.at
    mode = _mode(parser)
    terms = _terms(parser)
    return PathPattern(
        terms=terms, variable=variable, prefix=prefix, mode=mode, hint=hint,
        prefix_at=prefix_at, mode_at=mode_at, at=start, end=parser.end,
    )  # fmt: skip


def _search_prefix(parser: SelectParser) -> SearchPrefix | None:
    word, following = parser.token, parser.peek()
    if word.symbol in _SELECTIVE and following.symbol in _COUNTS:
        raise parser.not_in_spanner("Path search prefix with path count")
    if word.symbol not in _STARTS_PREFIX:
        return None
    if following.symbol in _COUNTS:
        raise parser.not_in_spanner("Path search prefix with path count")
    parser.advance()
    if following.symbol not in _SELECTIVE:
        return SearchPrefix(word.symbol)
    if word.symbol == "ALL":
        raise parser.not_in_spanner(f"ALL {following.symbol}", word.at)
    parser.advance()
    return SearchPrefix(f"ANY {following.symbol}")


def _mode(parser: SelectParser) -> PathMode | None:
    """Parse `[mode] [PATH | PATHS]`."""
    mode = PathMode(parser.advance().symbol) if parser.token.symbol in _MODES else None
    if parser.token.symbol in _PATH_WORDS:
        parser.advance()
    return mode


def _terms(parser: SelectParser) -> tuple[Term, ...]:
    """Parse one or more terms, with hints between them."""
    if parser.token.symbol not in _STARTS_TERM:
        if _at_variable(parser):  # a path variable without a path
            parser.advance()
            raise parser.unexpected("=")
        raise parser.unexpected()
    parser.deeper()
    next_term = parser.counted(lambda: _term(parser, None))
    terms = [next_term()]
    while True:
        if parser.token.symbol in _STARTS_TERM:
            terms.append(next_term())
        elif parser.follows("@", "{"):
            terms.append(_hinted_term(parser, terms[-1]))
        else:
            parser.depth -= 1
            return tuple(terms)


def _hinted_term(parser: SelectParser, previous: Term) -> Term:
    """Parse a hint and the term behind it; one of its neighbours must be an edge."""
    hint = parser.hint()
    assert hint is not None
    if parser.token.symbol not in _STARTS_TERM:
        raise parser.unexpected(*_STARTS_TERM)
    term = _term(parser, hint)
    if isinstance(previous, EdgePattern) and isinstance(term, EdgePattern):
        raise _invalid(parser, "Hint cannot be used in between two GraphEdgePatterns", hint.at)
    if not isinstance(previous, EdgePattern) and not isinstance(term, EdgePattern):
        raise _invalid(parser, "Hint must stand next to an edge pattern", hint.at)
    return term


def _term(parser: SelectParser, hint: ast.Hint | None) -> Term:
    if parser.token.symbol != "(":
        return _edge(parser, hint)
    inside = parser.peek()
    if inside.symbol in _STARTS_TERM:
        return _subpath(parser, hint)
    if inside.symbol in _STARTS_PREFIX:
        raise _invalid(parser, "Path search prefix is not supported in a subpath", inside.at)
    if inside.kind is Kind.IDENTIFIER:
        if inside.symbol in _NOT_VARIABLES:
            return _subpath(parser, hint)
        if parser.peek(2).symbol == "=":
            raise _invalid(parser, "Path variables cannot be assigned on subpaths", inside.at)
    return _node(parser, hint)


def _subpath(parser: SelectParser, hint: ast.Hint | None) -> Term:
    """Parse `([mode] terms [WHERE condition])` and its quantifier."""
    start = parser.advance().at
    mode_at = parser.token.at
    mode = _mode(parser)
    terms = _terms(parser)
    where_at = parser.token.at
    where = parser.expression() if parser.accept("WHERE") else None
    parser.expect(")")
    quantifier = _quantifier(parser)
    return Subpath(
        terms=terms, mode=mode, where=where, quantifier=quantifier, hint=hint,
        mode_at=mode_at, where_at=where_at, at=start, end=parser.end,
    )  # fmt: skip


# ---------------------------------------------------------------------------- elements


def _node(parser: SelectParser, hint: ast.Hint | None) -> Term:
    start = parser.advance().at
    filler = _filler(parser)
    if filler["table_hint"] is not None and parser.token.symbol in _STARTS_TERM:
        raise _invalid(
            parser, "Hint cannot be used at beginning of path pattern", filler["table_hint"].at
        )
    parser.expect(")")
    if parser.token.symbol in _STARTS_QUANTIFIER:
        raise _invalid(parser, "Quantifier cannot be used on a node pattern", start)
    return NodePattern(**filler, hint=hint, at=start, end=parser.end)


def _edge(parser: SelectParser, hint: ast.Hint | None) -> Term:
    """Parse an edge; its parts must not have white space between them."""
    start = parser.token.at
    direction, filler = _arrow(parser)
    quantifier = _quantifier(parser)
    return EdgePattern(
        **filler, direction=direction, quantifier=quantifier, hint=hint, at=start, end=parser.end
    )


def _arrow(parser: SelectParser) -> tuple[Direction, _Filler]:
    """Parse `->`, `<-` or `-`, or one of them around `[filler]`."""
    if parser.accept("->"):
        return Direction.RIGHT, _NO_FILLER
    first = parser.advance()
    is_left = first.symbol == "<"
    if is_left:
        if parser.token.symbol != "-":
            raise parser.unexpected("-")
        _require_adjacent(parser, first)
        first = parser.advance()
    if parser.token.symbol != "[":
        return Direction.LEFT if is_left else Direction.ANY, _NO_FILLER
    _require_adjacent(parser, first)
    parser.advance()
    filler = _filler(parser)
    bracket = parser.expect("]")
    ends = ("-",) if is_left else ("-", "->")
    if parser.token.symbol not in ends:
        raise parser.unexpected(*ends)
    _require_adjacent(parser, bracket)
    if parser.advance().symbol == "->":
        return Direction.RIGHT, filler
    return Direction.LEFT if is_left else Direction.ANY, filler


def _require_adjacent(parser: SelectParser, previous: Token) -> None:
    token = parser.token
    if token.at != previous.end:
        message = f'Unexpected whitespace between "{previous.text}" and "{token.text}"'
        raise parser.failure(message, previous.at)


def _filler(parser: SelectParser) -> _Filler:
    """Parse `[hint] [variable] [{IS | :} labels] [{properties}] [WHERE condition] [COST value]`."""
    table_hint = parser.hint()
    variable = parser.identifier() if _at_variable(parser) else None
    labels = None
    if parser.token.symbol == "IS" or parser.token.symbol == ":":
        parser.advance()
        labels = label_expression(parser)
    properties = _properties(parser) if parser.token.symbol == "{" else ()
    where_at = parser.token.at
    where = None
    if parser.token.symbol == "WHERE":
        if properties:
            message = "WHERE clause cannot be used together with property specification"
            raise _invalid(parser, message, where_at)
        parser.advance()
        where = parser.expression()
    cost_at = parser.token.at
    cost = parser.expression() if parser.accept("COST") else None
    return _Filler(
        variable=variable, labels=labels, properties=properties, where=where, cost=cost,
        table_hint=table_hint, where_at=where_at, cost_at=cost_at,
    )  # fmt: skip


def _at_variable(parser: SelectParser) -> bool:
    token = parser.token
    return token.kind is Kind.IDENTIFIER and token.symbol not in _NOT_VARIABLES


def _properties(parser: SelectParser) -> tuple[PropertyFilter, ...]:
    """Parse `{name: value, ...}`."""

    def item() -> PropertyFilter:
        name = parser.identifier()
        parser.expect(":")
        value = parser.expression()
        return PropertyFilter(name, value, at=name.at, end=parser.end)

    parser.expect("{")
    properties = parser.item_list(item)
    parser.expect("}", ",")
    return properties


def _quantifier(parser: SelectParser) -> Quantifier | None:
    """Parse `{n}`, `{[m],[n]}`, `*` or `+`, if one of them follows."""
    token = parser.token
    if token.symbol not in _STARTS_QUANTIFIER:
        return None
    parser.advance()
    if token.symbol != "{":
        lower = 1 if token.symbol == "+" else 0
        return Quantifier(lower, None, at=token.at, end=token.end)
    first = _bound(parser)
    if first is not None and parser.accept("}"):
        return Quantifier(first, first, at=token.at, end=parser.end)
    parser.expect(",", *(["}"] if first is not None else []))
    upper = _bound(parser)
    parser.expect("}")
    return Quantifier(first or 0, upper, at=token.at, end=parser.end)


def _bound(parser: SelectParser) -> int | None:
    if parser.token.kind is not Kind.INTEGER:
        return None
    return parser.decode(parser.advance(), decode_integer)


def _invalid(parser: SelectParser, message: str, at: int) -> GraphPatternInvalid:
    return GraphPatternInvalid(message, *line_and_column(parser.text, at))
