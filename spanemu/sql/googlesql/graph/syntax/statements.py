"""The statements of a graph query: MATCH, FILTER, LET, FOR, WITH, ORDER BY, LIMIT, CALL, RETURN."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph import ast as graph_ast
from spanemu.sql.googlesql.graph.syntax.patterns import path_patterns
from spanemu.sql.googlesql.syntax.names import STEPS_MAX
from spanemu.sql.googlesql.syntax.select import SelectParser
from spanemu.sql.syntax_tree import Kind

_Items = tuple[ast.SelectItem | ast.SelectStar, ...]

_DESCENDING = {"ASC": False, "ASCENDING": False, "DESC": True, "DESCENDING": True}


def statements(parser: SelectParser) -> tuple[graph_ast.GraphStatement, ...]:
    """Parse the statements before RETURN."""
    parsed: list[graph_ast.GraphStatement] = []
    while rule := _RULES.get(parser.token.symbol):
        if len(parsed) == STEPS_MAX:
            raise parser.failure(f"More than {STEPS_MAX} graph statements")
        parsed.append(rule(parser, parser.token.at))
    if parser.token.symbol == "TABLESAMPLE":
        raise parser.not_in_spanner("TABLESAMPLE in a graph query")
    return tuple(parsed)


# ---------------------------------------------------------------------------- MATCH


def pattern_match(parser: SelectParser) -> graph_ast.Match:
    """Parse the pattern of EXISTS {pattern [WHERE condition]}."""
    return _patterns(parser, parser.token.at, is_bare=True)


def _match(parser: SelectParser, start: int, *, optional: bool = False) -> graph_ast.Match:
    parser.advance()
    return _patterns(parser, start, hint=parser.hint(), optional=optional)


def _patterns(
    parser: SelectParser,
    start: int,
    *,
    hint: ast.Hint | None = None,
    optional: bool = False,
    is_bare: bool = False,
) -> graph_ast.Match:
    patterns = path_patterns(parser)
    where_at = parser.token.at
    where = parser.expression() if parser.accept("WHERE") else None
    return graph_ast.Match(
        patterns, where, optional, hint, is_bare, where_at, at=start, end=parser.end
    )


def _optional(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    if parser.token.symbol == "MATCH":
        return _match(parser, start, optional=True)
    if parser.token.symbol == "CALL":
        return _call(parser, start, optional=True)
    raise parser.unexpected("CALL", "MATCH")


# ---------------------------------------------------------------------------- rows and columns


def _filter(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    parser.accept("WHERE")
    return graph_ast.Filter(parser.expression(), at=start, end=parser.end)


def _let(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    def item() -> graph_ast.LetItem:
        name = parser.identifier()
        parser.expect("=")
        return graph_ast.LetItem(name, parser.expression(), at=name.at, end=parser.end)

    parser.advance()
    return graph_ast.Let(parser.item_list(item), at=start, end=parser.end)


def _for(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    name = parser.identifier()
    parser.expect("IN")
    array = parser.expression()
    with_offset = parser.accept("WITH")
    offset_alias = None
    if with_offset:
        parser.expect("OFFSET")
        if parser.accept("AS") or _at_alias(parser):
            offset_alias = parser.identifier()
    return graph_ast.For(name, array, with_offset, offset_alias, at=start, end=parser.end)


def _at_alias(parser: SelectParser) -> bool:
    """Return whether the next token is a name, and not the word that begins what follows."""
    symbol = parser.token.symbol
    return parser.token.kind is Kind.IDENTIFIER and symbol not in _RULES and symbol != "RETURN"


def _with(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    distinct = _distinct(parser)
    hint = parser.hint()
    items = _items(parser)
    group_by = _group_by(parser)
    return graph_ast.With(items, distinct, group_by, hint, at=start, end=parser.end)


def _order_by(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    items, hint = _order_items(parser)
    return graph_ast.OrderBy(items, hint, at=start, end=parser.end)


def _limit(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    return graph_ast.Limit(_count(parser), at=start, end=parser.end)


def _offset(parser: SelectParser, start: int) -> graph_ast.GraphStatement:
    parser.advance()
    return graph_ast.Offset(_count(parser), at=start, end=parser.end)


# ---------------------------------------------------------------------------- CALL


def _call(
    parser: SelectParser, start: int, *, optional: bool = False
) -> graph_ast.CallQuery | graph_ast.CallFunction:
    parser.advance()
    per = _names(parser) if parser.accept("PER") else None
    names = _names(parser) if per is None and parser.token.symbol == "(" else None
    if names is not None or parser.token.symbol == "{":
        query = parser.graph_query_in_braces()
        return graph_ast.CallQuery(
            query, names, optional, per is not None, at=start, end=parser.end
        )
    function = parser.path()
    parser.deeper()
    parser.expect("(")
    arguments = () if parser.token.symbol == ")" else parser.item_list(parser.argument)
    parser.expect(")", ",")
    parser.depth -= 1
    items = parser.item_list(lambda: _yield_item(parser)) if parser.accept("YIELD") else None
    return graph_ast.CallFunction(
        function, arguments, items, optional, per, at=start, end=parser.end
    )


def _names(parser: SelectParser) -> tuple[ast.Identifier, ...]:
    """Parse `(name, ...)`, possibly without names."""
    if parser.accept_all("(", ")"):
        return ()
    return parser.identifiers_in_parentheses()


def _yield_item(parser: SelectParser) -> graph_ast.YieldItem:
    column = parser.identifier()
    alias = parser.identifier() if parser.accept("AS") else None
    return graph_ast.YieldItem(column, alias, at=column.at, end=parser.end)


# ---------------------------------------------------------------------------- RETURN


def returned(parser: SelectParser) -> graph_ast.Return:
    """Parse RETURN with every clause up to LIMIT."""
    start = parser.expect("RETURN").at
    hint = parser.hint()
    distinct = _distinct(parser)
    items = _items(parser)
    group_by = _group_by(parser)
    order_by, order_hint = _order_items(parser) if parser.token.symbol == "ORDER" else ((), None)
    skips = parser.accept("OFFSET") or parser.accept("SKIP")
    offset = _count(parser) if skips else None
    limit = _count(parser) if parser.accept("LIMIT") else None
    return graph_ast.Return(
        items, distinct, group_by, order_by, offset, limit, hint, order_hint,
        at=start, end=parser.end,
    )  # fmt: skip


def _distinct(parser: SelectParser) -> bool:
    """Parse [ALL | DISTINCT]."""
    if parser.accept("DISTINCT"):
        return True
    parser.accept("ALL")
    return False


def _items(parser: SelectParser) -> _Items:
    return parser.item_list(lambda: _item(parser))


def _item(parser: SelectParser) -> ast.SelectItem | ast.SelectStar:
    """Parse `*` or `value [AS alias]`; unlike in SELECT, an alias needs AS."""
    start = parser.token.at
    if parser.accept("*"):
        return ast.SelectStar(at=start, end=parser.end)
    value = parser.expression()
    if parser.follows(".", "*"):
        parser.advance()
        raise parser.unexpected()
    alias = parser.identifier() if parser.accept("AS") else None
    return ast.SelectItem(value, alias, at=start, end=parser.end)


def _group_by(parser: SelectParser) -> ast.GroupBy | None:
    group_by = parser.group_by()
    if group_by is not None and group_by.all:
        raise parser.not_in_spanner("GROUP BY ALL", group_by.at)
    return group_by


def _order_items(
    parser: SelectParser,
) -> tuple[tuple[graph_ast.GraphOrderItem, ...], ast.Hint | None]:
    """Parse ORDER [hint] BY items."""
    clause_at = parser.advance().at
    hint = parser.hint()
    parser.expect("BY")

    def item() -> graph_ast.GraphOrderItem:
        start = parser.token.at
        value = parser.expression()
        collation = parser.collation() if parser.accept("COLLATE") else None
        descending = _DESCENDING.get(parser.token.symbol)
        if descending is not None:
            parser.advance()
        nulls = parser.null_order()
        return graph_ast.GraphOrderItem(
            value, bool(descending), collation, clause_at, nulls, at=start, end=parser.end
        )

    return parser.item_list(item), hint


def _count(parser: SelectParser) -> ast.Expression:
    """Parse an integer literal or a parameter, or a cast of one of them."""
    rule = _COUNTS.get(parser.token.symbol)
    if rule is None:
        raise parser.unexpected()
    return rule(parser)


_COUNTS: Mapping[str, Callable[[SelectParser], ast.Expression]] = {
    str(Kind.INTEGER): SelectParser.integer,
    "@": SelectParser.parameter,
    "?": SelectParser.positional_parameter,
    "CAST": SelectParser.cast,
}
_RULES: Mapping[str, Callable[[SelectParser, int], graph_ast.GraphStatement]] = {
    "CALL": _call,
    "FILTER": _filter,
    "FOR": _for,
    "LET": _let,
    "LIMIT": _limit,
    "MATCH": _match,
    "OFFSET": _offset,
    "OPTIONAL": _optional,
    "ORDER": _order_by,
    "SKIP": _offset,
    "WITH": _with,
}
