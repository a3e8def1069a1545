"""Expressions: operators by precedence, field access, subscripts and parentheses.

Precedence as in the page "Operators in GoogleSQL"; higher numbers bind tighter:

    1 OR     2 AND     3 NOT     4 = < > <= >= != LIKE IN BETWEEN IS (not associative)
    5 |      6 ^       7 &       8 << >>       9 + -       10 * / ||      11 unary - + ~

Chains of one precedence are read in a loop, so a sum of thousands of terms costs no stack; the
tree of such a sum is as deep as the sum is long, and code that reads the tree must not recurse on
the left operand. An expression that is longer or deeper than the parser's bounds is refused at the
position where it exceeds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from spanemu.base.record import NamedTuple
from spanemu.sql.errors import IN_LIST_ITEMS, NESTED_OPERATORS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.call import CallParser
from spanemu.sql.syntax_tree import Kind

_LEVELS_UNCHECKED = 8  # chains of at most this many operators are not checked against the limit
_OR, _AND, _NOT, _COMPARISON, _UNARY = 1, 2, 3, 4, 11
ABOVE_COMPARISON = _COMPARISON + 1
_PRECEDENCE: Mapping[str, int] = {
    "OR": _OR, "AND": _AND,
    "=": 4, "!=": 4, "<>": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "LIKE": 4, "IN": 4, "BETWEEN": 4, "IS": 4, "NOT": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "||": 10,
}  # fmt: skip
_CONTINUES_QUERY = frozenset({"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "FOR", "|>"})
_SUBSCRIPT_MODES = frozenset({"OFFSET", "ORDINAL", "SAFE_OFFSET", "SAFE_ORDINAL", "KEY"})
_TRUTHS = ("FALSE", "NULL", "TRUE", "UNKNOWN")
_GRAPH_PREDICATES = frozenset({"DESTINATION", "LABELED", "SOURCE"})
_QUANTIFIERS = frozenset({"ANY", "SOME", "ALL"})


class _Compared(NamedTuple):
    """The left operand of IS, IN, LIKE or BETWEEN, with the positions of the comparison."""

    left: ast.Expression
    negated: bool
    start: int
    op_at: int  # of the operator, behind NOT


class ExpressionParser(CallParser):
    """The grammar of operators, fields, subscripts and parentheses."""

    def expression(
        self, lowest: int = 0, left: ast.Expression | None = None, start: int | None = None
    ) -> ast.Expression:
        """Parse an expression whose operators bind at least as tightly as `lowest`.

        `left` is an operand that has been parsed already and begins at `start`. Each level of
        parentheses costs three Python frames: `expression`, `operand` and `group`.
        """
        if start is None:
            start = self.token.at
        self.deeper()
        if left is not None:
            left = self.postfix(left, start)
        elif self.token.symbol == "NOT" and lowest <= _NOT:
            left = self.not_()
        else:
            left = self.operand()
        levels = 0
        while True:
            symbol = self.token.symbol
            power = _PRECEDENCE.get(symbol)
            if power is None or power < lowest:
                break
            levels += 1
            if levels > _LEVELS_UNCHECKED:
                self._check_levels(levels, start)
            if power > _COMPARISON:
                op_at = self.advance().at
                right = self.expression(power + 1)
                self.count_call(start)
                left = ast.Binary(symbol, left, right, op_at, at=start, end=self.end)
            elif power == _COMPARISON:
                left = self._comparison(left, start)
                if _PRECEDENCE.get(self.token.symbol) == _COMPARISON:
                    raise self.unexpected()
            else:
                operands = [left]
                while self.accept(symbol):
                    operands.append(self.expression(power + 1))
                left = ast.Junction(symbol, tuple(operands), at=start, end=self.end)
        self.depth -= 1
        return left

    def _check_levels(self, levels: int, at: int) -> None:
        """Refuse a chain of too many operators; a comparison among them may be no level."""
        limit = self.bounds.limits.operator_depth
        if levels > limit + 1:
            raise self.too_large(NESTED_OPERATORS, limit, at)

    def operand(self) -> ast.Expression:
        """Parse an operand with its prefix operators, fields and subscripts."""
        token = self.token
        if token.kind is Kind.IDENTIFIER:
            operand = self.path_or_call()
        elif token.symbol == "(":
            operand = self.as_expression(self.group(), token.at)
        elif rule := _OPERANDS.get(token.symbol):
            operand = rule(self)
        else:
            raise self.unexpected()
        symbol = self.token.symbol
        return self.postfix(operand, token.at) if symbol == "." or symbol == "[" else operand

    # ------------------------------------------------------------------------ operators

    def negate(self) -> ast.Expression:
        """Parse `-`, `+` or `~` and the operand behind it."""
        op = self.advance()
        number = op.symbol == "-" and self.token.kind in _NUMBERS
        operand = self.expression(_UNARY)
        # The sign belongs to the literal: -9223372036854775808 has no positive counterpart.
        if number and isinstance(operand, ast.IntLiteral):
            return replace(operand, value=-operand.value, text=f"-{operand.text}", at=op.at)
        if number and isinstance(operand, ast.FloatLiteral):
            return replace(operand, value=-operand.value, text=f"-{operand.text}", at=op.at)
        self.count_call(op.at)
        return ast.Unary(op.symbol, operand, at=op.at, end=self.end)

    def not_(self) -> ast.Expression:
        """Parse NOT and the operand behind it."""
        op = self.advance()
        operand = self.expression(_NOT)
        self.count_call(op.at)
        return ast.Unary("NOT", operand, at=op.at, end=self.end)

    def _comparison(self, left: ast.Expression, start: int) -> ast.Expression:
        negated = False
        if self.token.symbol == "NOT":
            if self.peek().symbol not in _NEGATABLE:
                raise self.unexpected()
            self.advance()
            negated = True
        rule = _COMPARISONS.get(self.token.symbol)
        if rule is not None:
            return rule(self, _Compared(left, negated, start, self.token.at))
        op = self.advance()
        right = self.expression(ABOVE_COMPARISON)
        name = "!=" if op.symbol == "<>" else op.symbol
        self.count_call(start)
        return ast.Binary(name, left, right, op.at, at=start, end=self.end)

    def _is(self, compared: _Compared) -> ast.Expression:
        left, start = compared.left, compared.start
        is_at = self.advance().at
        negated = self.accept("NOT")
        if self.token.symbol == "DISTINCT":
            raise self.not_in_spanner("IS DISTINCT FROM", self.token.at if negated else is_at)
        if self.token.symbol in _GRAPH_PREDICATES:
            return self.graph_predicate(left, negated, start)
        if self.token.symbol not in _TRUTHS:
            raise self.unexpected(*_TRUTHS)
        what = self.advance().symbol
        self._count_comparison(start, start if negated else None)
        return ast.Is(left, what, negated, at=start, end=self.end)

    def _between(self, compared: _Compared) -> ast.Expression:
        left, negated, start, op_at = compared
        self.advance()
        low = self.expression(ABOVE_COMPARISON)
        self.expect("AND")
        high = self.expression(ABOVE_COMPARISON)
        self._count_comparison(op_at, start if negated else None)
        return ast.Between(left, low, high, negated, op_at, at=start, end=self.end)

    def _in(self, compared: _Compared) -> ast.Expression:
        left, negated, start, op_at = compared
        self.advance()
        hint = self.hint()
        items, unnest, query = self._collection(start)
        if query is None:
            self._count_comparison(op_at, start if negated else None)
        return ast.In(left, items, unnest, query, negated, hint, op_at, at=start, end=self.end)

    def _like(self, compared: _Compared) -> ast.Expression:
        left, negated, start, _ = compared
        self.advance()
        if self.token.symbol in _QUANTIFIERS:
            raise self.not_in_spanner(f"LIKE {self.token.symbol}")
        pattern = self.expression(ABOVE_COMPARISON)
        self._count_comparison(start, start if negated else None)
        return ast.Like(left, pattern, negated, at=start, end=self.end)

    def graph_predicate(self, operand: ast.Expression, negated: bool, start: int) -> ast.Expression:
        """Parse LABELED, SOURCE OF or DESTINATION OF behind `operand IS [NOT]`."""
        raise NotImplementedError  # `QueryParser` has it

    def _count_comparison(self, at: int, not_at: int | None) -> None:
        """Count a comparison, and its negation if `not_at` is given."""
        self.count_call(at)
        if not_at is not None:
            self.count_call(not_at)

    def _collection(
        self, in_at: int
    ) -> tuple[tuple[ast.Expression, ...], ast.Expression | None, ast.Query | None]:
        """Parse (items), UNNEST(array), (query) or {query} of an IN expression at `in_at`."""
        if self.accept("UNNEST"):
            self.expect("(")
            array = self.expression()
            self.expect(")")
            return (), array, None
        if self.token.symbol == "{":
            query = self.graph_query_in_braces()
            self.count_subquery(query)
            return (), None, query
        if self.token.symbol != "(":
            raise self.unexpected("(", "UNNEST")
        self.deeper()
        inside = self.group(items_of=in_at)
        self.depth -= 1
        if isinstance(inside, ast.Query):
            self.count_subquery(inside)
            return (), None, inside
        assert isinstance(inside, ast.StructConstructor)
        return tuple(item for item, _ in inside.items), None, None

    # ------------------------------------------------------------------------ postfix

    def postfix(self, operand: ast.Expression, start: int) -> ast.Expression:
        """Parse the fields and subscripts behind an operand; each is a level of nesting."""
        depth = self.depth
        while True:
            self.deeper()
            if self.token.symbol == "[":
                operand = self._subscript(operand, start)
            elif self.token.symbol == "." and self.peek().kind in _FIELD_KINDS:
                self.advance()
                name = self.part()
                operand = ast.FieldAccess(operand, name, at=start, end=self.end)
            else:
                self.depth = depth
                return operand

    def _subscript(self, operand: ast.Expression, start: int) -> ast.Expression:
        self.advance()
        mode, inside_at = "", self.token.at
        if self.token.symbol in _SUBSCRIPT_MODES and self.peek().symbol == "(":
            mode = self.advance().symbol
            self.advance()
            index = self.expression()
            self.expect(")")
        else:
            index = self.expression()
        self.expect("]")
        return ast.Subscript(operand, index, mode, inside_at, at=start, end=self.end)

    # ------------------------------------------------------------------------ parentheses

    def group(self, *, items_of: int | None = None) -> ast.Expression | ast.Query:
        """Parse a query, an expression or a tuple in parentheses.

        Only the token behind an inner `)` distinguishes `((SELECT 1) + 1)` from
        `((SELECT 1) UNION ALL ...)`. The inner text is therefore parsed as a query, and the query
        becomes an operand when an operator follows. For an IN expression that begins at
        `items_of`, even a single expression is returned as a tuple.
        """

        def inmost() -> ast.Expression | ast.Query:
            return self.query() if self.starts_query() else self.expression()

        def close(
            inside: ast.Expression | ast.Query, start: int, is_outermost: bool
        ) -> ast.Expression | ast.Query:
            is_list = items_of is not None and is_outermost
            if isinstance(inside, ast.Expression) and (is_list or self.token.symbol == ","):
                inside = self._tuple(inside, start, items_of if is_list else None)
            self.expect(")", ",")
            return inside

        return self.in_nested_parentheses(inmost, close, self._continued)

    def _continued(
        self, inside: ast.Expression | ast.Query, start: int
    ) -> ast.Expression | ast.Query:
        """Parse what follows parentheses inside of others, as the rest of a query or a value."""
        if isinstance(inside, ast.Query) and self.token.symbol in _CONTINUES_QUERY:
            return self.query(inside)
        return self.expression(0, self.as_expression(inside, start), start)

    def as_expression(self, inside: ast.Expression | ast.Query, start: int) -> ast.Expression:
        """Return a scalar subquery if `inside` is a query, and `inside` itself if it is a value.

        `start` is the offset of the opening parenthesis.
        """
        if isinstance(inside, ast.Query):
            self.count_subquery(inside)
            return ast.ScalarSubquery(inside, at=start, end=inside.end)
        return inside

    def _tuple(self, first: ast.Expression, start: int, items_of: int | None) -> ast.Expression:
        items: list[tuple[ast.Expression, ast.Identifier | None]] = [(first, None)]
        limit = self.bounds.limits.in_list_items
        self.deeper()
        while self.accept(","):
            items.append((self.expression(), None))
            if items_of is not None and len(items) > limit:
                raise self.too_large(IN_LIST_ITEMS, limit, items_of)
        self.depth -= 1
        end = self.token.end
        return ast.StructConstructor(tuple(items), tuple_form=True, at=start, end=end)


_NUMBERS = frozenset({Kind.INTEGER, Kind.FLOAT})
_FIELD_KINDS = frozenset({Kind.IDENTIFIER, Kind.KEYWORD})
_NEGATABLE = frozenset({"LIKE", "IN", "BETWEEN"})
_COMPARISONS: Mapping[str, Callable[[ExpressionParser, _Compared], ast.Expression]] = {
    "IS": ExpressionParser._is,
    "IN": ExpressionParser._in,
    "LIKE": ExpressionParser._like,
    "BETWEEN": ExpressionParser._between,
}
_OPERANDS: Mapping[str, Callable[[ExpressionParser], ast.Expression]] = {
    str(Kind.INTEGER): ExpressionParser.integer,
    str(Kind.FLOAT): ExpressionParser.floating,
    str(Kind.STRING): ExpressionParser.string,
    str(Kind.BYTES): ExpressionParser.bytes_,
    "NULL": ExpressionParser.null,
    "TRUE": ExpressionParser.boolean,
    "FALSE": ExpressionParser.boolean,
    "@": ExpressionParser.parameter,
    "@@": ExpressionParser.system_variable,
    "?": ExpressionParser.positional_parameter,
    "-": ExpressionParser.negate,
    "+": ExpressionParser.negate,
    "~": ExpressionParser.negate,
    "[": ExpressionParser.array,
    "{": ExpressionParser.braced,
    "ARRAY": ExpressionParser.array,
    "STRUCT": ExpressionParser.struct,
    "NEW": ExpressionParser.new,
    "CASE": ExpressionParser.case,
    "CAST": ExpressionParser.cast,
    "EXTRACT": ExpressionParser.extract,
    "EXISTS": ExpressionParser.exists,
    "INTERVAL": ExpressionParser.interval,
    "WITH": ExpressionParser.with_expression,
    "COLLATE": ExpressionParser.keyword_call,
    "GROUPING": ExpressionParser.keyword_call,
    "IF": ExpressionParser.keyword_call,
    "LEFT": ExpressionParser.keyword_call,
    "RANGE": ExpressionParser.keyword_call,
    "RIGHT": ExpressionParser.keyword_call,
}
