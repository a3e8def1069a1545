"""Expressions: operators by precedence.

Precedence as in PostgreSQL's manual; higher numbers bind tighter:

    1 OR     2 AND     3 NOT     4 IS ISNULL NOTNULL     5 < > = <= >= <>
    6 BETWEEN IN LIKE ILIKE SIMILAR     7 any other operator     8 + -     9 * / %     10 ^
    11 AT TIME ZONE     12 COLLATE     13 unary + -     14 []     15 ::     16 .

Levels 4 to 6 are not associative where their right side is an expression: `a < b < c` is an error,
and `a IS NULL IS NULL` is none. All other levels are left-associative, `^` too.

Chains of one precedence are read in a loop, so a long sum costs no stack. The tree of such a sum is
as deep as the sum is long, and code that reads the tree must not recurse on the left operand of a
`Binary`. An expression that is longer or deeper than the parser's bounds is refused at the position
where it exceeds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.record import NamedTuple
from spanemu.sql.errors import NESTED_OPERATORS
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.keywords import NEEDS_AS, RESERVED
from spanemu.sql.postgresql.syntax.operand import negated_number
from spanemu.sql.postgresql.syntax.primary import PrimaryParser
from spanemu.sql.syntax_tree import Binary, Expression, In, Junction, Kind, Unary
from spanemu.sql.token_cursor import DEPTH_MAX

_LEVELS_UNCHECKED = 8  # chains of at most this many operators are not checked against the limit
_OR, _AND, _NOT, _IS, _COMPARISON, _LIKE, _OTHER = 1, 2, 3, 4, 5, 6, 7
_AT, _COLLATE, _UNARY, _SUBSCRIPT, _CAST = 11, 12, 13, 14, 15
_PRECEDENCE: Mapping[str, int] = {
    "OR": _OR, "AND": _AND, "IS": _IS, "ISNULL": _IS, "NOTNULL": _IS,
    "=": _COMPARISON, "<>": _COMPARISON, "<": _COMPARISON, "<=": _COMPARISON,
    ">": _COMPARISON, ">=": _COMPARISON,
    "BETWEEN": _LIKE, "IN": _LIKE, "LIKE": _LIKE, "ILIKE": _LIKE, "SIMILAR": _LIKE, "NOT": _LIKE,
    "OPERATOR": _OTHER, "+": 8, "-": 8, "*": 9, "/": 9, "%": 9, "^": 10,
    "AT": _AT, "COLLATE": _COLLATE, "::": _CAST,
}  # fmt: skip
# Words that are operators only if the right word follows.
_FOLLOWED_BY = {
    "AT": frozenset({"TIME"}),
    "OPERATOR": frozenset({"("}),
    "NOT": frozenset({"BETWEEN", "IN", "LIKE", "ILIKE", "SIMILAR"}),
}
# What may stand behind an item of SELECT or of a list.
ENDS_ITEM = frozenset(
    {",", "FROM", ")", "]", ";", str(Kind.END), "WHERE", "GROUP", "HAVING", "WINDOW", "UNION",
     "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "INTO", "ON", "RETURNING"}
)  # fmt: skip
_WORDS = frozenset(symbol for symbol in _PRECEDENCE if symbol.isalpha()) - NEEDS_AS
_QUANTIFIERS = frozenset({"ANY", "SOME", "ALL"})
_QUANTIFIED_LIKE = {"LIKE": "~~", "ILIKE": "~~*"}
_TRUTHS = frozenset({"NULL", "TRUE", "FALSE", "UNKNOWN"})
_NORMAL_FORMS = frozenset({"NORMALIZED", "NFC", "NFD", "NFKC", "NFKD"})


class _Compared(NamedTuple):
    """The left operand of IN, LIKE or BETWEEN, with the positions of the comparison."""

    left: Expression
    negated: bool
    start: int
    op_at: int  # of the operator, behind NOT


class ExpressionParser(PrimaryParser):
    """The grammar of operators and predicates."""

    def expression(
        self, lowest: int = 0, left: Expression | None = None, start: int | None = None
    ) -> Expression:
        """Parse an expression whose operators bind at least as tightly as `lowest`.

        `left` is an operand that has been parsed already and begins at `start`. Each level of
        parentheses costs three Python frames: `expression`, `operand` and `group`.
        """
        if start is None:
            start = self.token.at
        self.deeper()
        if left is None:
            left = self.operand()
        levels = 0
        while True:
            symbol = self.token.symbol
            power = _PRECEDENCE.get(symbol)
            if power is None:
                if self.token.kind is not Kind.OPERATOR:
                    break
                power = _OTHER
            if power < lowest or (symbol in _WORDS and not self._is_operator(symbol)):
                break
            levels += 1
            if levels > _LEVELS_UNCHECKED:
                self._check_levels(levels, start)
            if power > _AND:
                left = self._operation(symbol, power, left, start)
            else:
                left = self._junction(symbol, power, left, start)
        self.depth -= 1
        return left

    def _junction(self, symbol: str, power: int, left: Expression, start: int) -> Expression:
        """Parse a chain of AND or of OR."""
        operands = [left]
        operand = self.counted(lambda: self.expression(power + 1))
        while self.accept(symbol):
            operands.append(operand())
        return Junction(symbol, tuple(operands), at=start, end=self.end)

    def _is_operator(self, word: str) -> bool:
        """Return whether the next word is an operator here, not the name of an output column."""
        following = self.peek().symbol
        if word in _FOLLOWED_BY:
            return following in _FOLLOWED_BY[word]
        return following not in ENDS_ITEM

    def _check_levels(self, levels: int, at: int) -> None:
        """Refuse a chain of too many operators; a comparison among them may be no level."""
        limit = min(self.bounds.limits.operator_depth, DEPTH_MAX)
        if levels > limit + 1:
            raise self.too_large(NESTED_OPERATORS, limit, at)

    def _operation(self, symbol: str, power: int, left: Expression, start: int) -> Expression:
        """Parse an operator, or a predicate made of words, and its right side."""
        if rule := _PREDICATES.get(symbol):
            return rule(self, _Compared(left, False, start, self.token.at))
        if symbol == "NOT":
            self.advance()
            rule = _PREDICATES[self.token.symbol]
            return rule(self, _Compared(left, True, start, self.token.at))
        op_at = self.token.at
        op = self.qualified_operator()
        self.count_call(start)
        if self.token.symbol in _QUANTIFIERS:
            return self._quantified(op, left, start, op_at)
        right = self.expression(power + 1)
        if power == _COMPARISON:
            self._require_end_of(power)
        return Binary(op, left, right, op_at, at=start, end=self.end)

    def _require_end_of(self, power: int) -> None:
        """Refuse a second operator of a level that is not associative."""
        symbol = self.token.symbol
        if _PRECEDENCE.get(symbol) == power and (symbol != "NOT" or self._is_operator(symbol)):
            raise self.unexpected()

    def b_expression(self) -> Expression:
        start = self.token.at
        if self.token.symbol == "NOT":
            raise self.unexpected()
        left = self.expression(_OTHER)
        if _PRECEDENCE.get(self.token.symbol) == _COMPARISON:
            left = self._operation(self.token.symbol, _OTHER, left, start)
            self._require_end_of(_COMPARISON)
        return left

    # ------------------------------------------------------------------------ operands

    def operand(self) -> Expression:
        """Parse an operand with its prefix operators, fields and subscripts."""
        token = self.token
        kind = token.kind
        if kind is Kind.IDENTIFIER:
            return self.named_operand()
        if rule := _OPERANDS.get(token.symbol):
            return rule(self)
        if kind is Kind.OPERATOR:
            return self.prefix_operator()
        if kind is Kind.KEYWORD and token.symbol not in RESERVED:
            return self.named_function()
        raise self.unexpected()

    # ------------------------------------------------------------------------ prefix operators

    def not_(self) -> Expression:
        """Parse NOT and the operand behind it."""
        op = self.advance()
        operand = self.expression(_NOT)
        self.count_call(op.at)
        return Unary("NOT", operand, at=op.at, end=self.end)

    def sign(self) -> Expression:
        """Parse `-` or `+` and the operand behind it; `-` belongs to the number that it negates."""
        op = self.advance()
        operand = self.expression(_UNARY)
        if op.symbol == "-" and (number := negated_number(operand, op.at)):
            return number
        self.count_call(op.at)
        return Unary(op.symbol, operand, at=op.at, end=self.end)

    def prefix_operator(self) -> Expression:
        start = self.token.at
        op = self.qualified_operator()
        operand = self.expression(_UNARY if op in ("+", "-") else _OTHER + 1)
        self.count_call(start)
        return Unary(op, operand, at=start, end=self.end)

    # ------------------------------------------------------------------------ predicates

    def _is(self, compared: _Compared) -> Expression:
        left, _, start, _ = compared
        self.advance()
        negated = self.accept("NOT")
        self.count_call(start)
        if self.accept("DISTINCT"):
            self.expect("FROM")
            right = self.expression(_IS + 1)
            self._require_end_of(_IS)
            return ast.IsDistinct(left, right, negated, at=start, end=self.end)
        symbol = self.token.symbol
        if symbol == "DOCUMENT":
            self.refuse_later("The Postgres Type is not supported: xml")
            self.advance()
            return left
        if symbol in _NORMAL_FORMS:
            self.refuse_later("IS NORMALIZED is not supported")
            if self.advance().symbol != "NORMALIZED":
                self.expect("NORMALIZED")
            return left
        if symbol not in _TRUTHS:
            raise self.unexpected()
        self.advance()
        return ast.Is(left, symbol, negated, at=start, end=self.end)

    def _is_null(self, compared: _Compared) -> Expression:
        """Parse ISNULL or NOTNULL."""
        word = self.advance()
        self.count_call(compared.start)
        negated = word.symbol == "NOTNULL"
        return ast.Is(compared.left, "NULL", negated, at=compared.start, end=self.end)

    def _between(self, compared: _Compared) -> Expression:
        left, negated, start, op_at = compared
        self.advance()
        symmetric = self.accept("SYMMETRIC")
        if not symmetric:
            self.accept("ASYMMETRIC")
        low = self.b_expression()
        self.expect("AND")
        high = self.expression(_LIKE + 1)
        self._require_end_of(_LIKE)
        self.count_call(op_at)
        return ast.Between(left, low, high, negated, op_at, symmetric, at=start, end=self.end)

    def _in(self, compared: _Compared) -> Expression:
        left, negated, start, op_at = compared
        self.advance()
        hint = self.hint()
        if self.token.symbol != "(":
            raise self.unexpected()
        self.deeper()
        inside = self.group(items_of=start)
        self.depth -= 1
        self.count_call(op_at)
        if isinstance(inside, ast.Query):
            self.count_subquery(inside)
            return In(
                left, query=inside, negated=negated, hint=hint, op_at=op_at, at=start, end=self.end
            )
        if hint is not None:
            raise self.failure("HINTs cannot be specified on IN clause with value list", hint.at)
        assert isinstance(inside, ast.Row)
        return In(left, inside.items, negated=negated, op_at=op_at, at=start, end=self.end)

    def _like(self, compared: _Compared) -> Expression:
        left, negated, start, op_at = compared
        kind = self.advance().symbol
        self.count_call(start)
        if kind == "SIMILAR":
            self.expect("TO")
            kind = "SIMILAR TO"
        elif self.token.symbol in _QUANTIFIERS:
            op = f"!{_QUANTIFIED_LIKE[kind]}" if negated else _QUANTIFIED_LIKE[kind]
            return self._quantified(op, left, start, op_at)
        pattern = self.expression(_LIKE + 1)
        escape = self.expression(_LIKE + 1) if self.accept("ESCAPE") else None
        self._require_end_of(_LIKE)
        return ast.Like(left, pattern, kind, escape, negated, op_at, at=start, end=self.end)

    def _quantified(self, op: str, left: Expression, start: int, op_at: int) -> Expression:
        """Parse ANY, SOME or ALL with an array or a query in parentheses."""
        is_all = self.advance().symbol == "ALL"
        if self.token.symbol != "(":
            raise self.unexpected()
        inside = self.group()
        if isinstance(inside, ast.Query):
            self.count_subquery(inside)
            return ast.Quantified(
                left, op, is_all, query=inside, op_at=op_at, at=start, end=self.end
            )
        return ast.Quantified(left, op, is_all, array=inside, op_at=op_at, at=start, end=self.end)

    # ------------------------------------------------------------------------ postfix operators

    def _cast(self, compared: _Compared) -> Expression:
        self.advance()
        type_ = self.type_reference()
        return ast.Cast(compared.left, type_, at=compared.start, end=self.end)

    def _at_time_zone(self, compared: _Compared) -> Expression:
        start = compared.start
        self.expect_all("AT", "TIME", "ZONE")
        zone = self.expression(_AT + 1)
        self.count_call(start)
        return self.call_of("timezone", (zone, compared.left), start, self.end)

    def _collate(self, compared: _Compared) -> Expression:
        self.advance()
        return ast.Collate(compared.left, self.path(), at=compared.start, end=self.end)


_PREDICATES: Mapping[str, Callable[[ExpressionParser, _Compared], Expression]] = {
    "::": ExpressionParser._cast,
    "AT": ExpressionParser._at_time_zone,
    "BETWEEN": ExpressionParser._between,
    "COLLATE": ExpressionParser._collate,
    "ILIKE": ExpressionParser._like,
    "IN": ExpressionParser._in,
    "IS": ExpressionParser._is,
    "ISNULL": ExpressionParser._is_null,
    "LIKE": ExpressionParser._like,
    "NOTNULL": ExpressionParser._is_null,
    "SIMILAR": ExpressionParser._like,
}
_VALUE_FUNCTIONS = frozenset(
    {"CURRENT_CATALOG", "CURRENT_DATE", "CURRENT_ROLE", "CURRENT_TIME", "CURRENT_TIMESTAMP",
     "CURRENT_USER", "LOCALTIME", "LOCALTIMESTAMP", "SESSION_USER", "USER"}
)  # fmt: skip
_OPERANDS: Mapping[str, Callable[[ExpressionParser], Expression]] = {
    str(Kind.INTEGER): ExpressionParser.number,
    str(Kind.FLOAT): ExpressionParser.number,
    str(Kind.STRING): ExpressionParser.string,
    str(Kind.BITS): ExpressionParser.bits,
    str(Kind.PARAMETER): ExpressionParser.subscripted_parameter,
    "(": ExpressionParser.parenthesized,
    "+": ExpressionParser.sign,
    "-": ExpressionParser.sign,
    "NOT": ExpressionParser.not_,
    "ARRAY": ExpressionParser.array,
    "CASE": ExpressionParser.case,
    "CAST": ExpressionParser.cast,
    "FALSE": ExpressionParser.boolean,
    "NULL": ExpressionParser.null,
    "TRUE": ExpressionParser.boolean,
    "UNIQUE": ExpressionParser.unique,
    **dict.fromkeys(_VALUE_FUNCTIONS, ExpressionParser.value_function),
}
