"""Operands of expressions: literals, parameters, constructors, CASE, casts and subqueries.

The next symbol alone decides which rule applies (the table is in `expression`). Each rule begins at
its first token and consumes it.
"""

from __future__ import annotations

from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import CHILD_SUBQUERIES, PARAMETERS, line_and_column
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.ast import CastForm, TypeReference
from spanemu.sql.postgresql.syntax.lexer import PostgreSqlSyntaxFailure
from spanemu.sql.postgresql.syntax.literals import decode_string
from spanemu.sql.postgresql.syntax.names import TypeParser
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    BoolLiteral,
    Expression,
    FloatLiteral,
    IntLiteral,
    Kind,
    NullLiteral,
    StringLiteral,
)
from spanemu.sql.token_cursor import UNBOUNDED, Bounds

INT64_MAX = 2**63 - 1
_INT64_DIGITS_MAX = 19
_STARTS_QUERY = frozenset({"SELECT", "WITH", "TABLE"})


class NoSuchParameter(PostgreSqlSyntaxFailure, sql_state=SqlState.UNDEFINED_PARAMETER):
    """A parameter has the number 0, or one that no parameter can have."""


class OperandParser(TypeParser):
    """The grammar of operands."""

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        super().__init__(text, bounds)
        self._parameters: set[int] = set()
        self.subqueries = 0  # scalar subqueries directly below the query that is being parsed

    def count_subquery(self, query: ast.Query) -> None:
        """Count a query that is used as a value; refuse more than the limit."""
        self.subqueries += 1
        limit = self.bounds.limits.subqueries
        if self.subqueries > limit:
            raise self.too_large(CHILD_SUBQUERIES, limit, query.at)

    def query(self, first: ast.Query | None = None) -> ast.Query:
        """Parse a query that is not in parentheses."""
        raise NotImplementedError  # `QueryParser` has it

    def expression(
        self, lowest: int = 0, left: Expression | None = None, start: int | None = None
    ) -> Expression:
        """Parse an expression whose operators bind at least as tightly as `lowest`."""
        raise NotImplementedError  # `ExpressionParser` has it

    def starts_query(self) -> bool:
        """Return whether the next tokens begin a query that is not in parentheses."""
        symbol = self.token.symbol
        return symbol in _STARTS_QUERY or (symbol == "VALUES" and self.peek().symbol == "(")

    def query_in_parentheses(self) -> ast.Query:
        """Parse `(query)`, with any number of parentheses."""
        raise NotImplementedError  # `ExpressionParser` has it

    # ------------------------------------------------------------------------ literals

    def null(self) -> Expression:
        """Parse NULL."""
        token = self.advance()
        return NullLiteral(at=token.at, end=token.end)

    def boolean(self) -> Expression:
        """Parse TRUE or FALSE."""
        token = self.advance()
        return BoolLiteral(token.symbol == "TRUE", at=token.at, end=token.end)

    def number(self) -> Expression:
        """Parse a number: an integer if it fits in 64 bits, else a numeric."""
        token = self.advance()
        return number_literal(token.text, token.at, token.end)

    def string(self) -> Expression:
        """Parse a string literal in any form of quoting."""
        token = self.advance()
        return StringLiteral(self.decode(token, decode_string), at=token.at, end=token.end)

    def bits(self) -> Expression:
        """Parse a bit string, whose type Spanner lacks."""
        token = self.advance()
        self.refuse_later("The Postgres Type is not supported: bit", token.at)
        return NullLiteral(at=token.at, end=token.end)

    def typed_literal(self, type_: TypeReference) -> Expression:
        """Parse the string of a literal whose type was parsed: DATE '2024-01-01'."""
        text = self.string()
        return ast.Cast(text, type_, CastForm.LITERAL, at=type_.at, end=self.end)

    def builtin_literal(self) -> Expression:
        """Parse a literal that follows a type with its own syntax."""
        type_ = self.simple_type()
        if self.token.kind is not Kind.STRING:
            raise self.unexpected()
        if type_.name != "interval" or type_.modifiers or type_.interval_fields:
            return self.typed_literal(type_)
        text = self.string()
        fields, precision = self.interval_fields()
        if fields:
            type_ = TypeReference(type_.name, precision, 0, fields, at=type_.at, end=type_.end)
        return ast.Cast(text, type_, CastForm.LITERAL, at=type_.at, end=self.end)

    def parameter(self) -> Expression:
        """Parse `$1`."""
        token = self.advance()
        digits = token.text[1:].lstrip("0")
        if not digits or len(digits) > len(str(2**31)):
            message = f"there is no parameter ${digits or 0}"
            raise NoSuchParameter(message, *line_and_column(self.text, token.at))
        number = int(digits)
        self._parameters.add(number)
        limit = self.bounds.limits.parameters
        if len(self._parameters) > limit:
            raise self.too_large(PARAMETERS, limit, token.at)
        return ast.Parameter(number, at=token.at, end=token.end)

    # ------------------------------------------------------------------------ constructors

    def array(self) -> Expression:
        """Parse `ARRAY[...]` or `ARRAY(query)`."""
        start = self.advance().at
        if self.token.symbol == "(":
            query = self.query_in_parentheses()
            self.count_subquery(query)
            return ast.ArraySubquery(query, at=start, end=self.end)
        return self._array_items(start)

    def _array_items(self, start: int) -> Expression:
        self.expect("[")
        items = self.nested(self._array_item, "]")
        self.expect("]")
        return ArrayConstructor(items, at=start, end=self.end)

    def _array_item(self) -> Expression:
        """Parse an expression, or the brackets of an inner array."""
        if self.token.symbol != "[":
            return self.expression()
        self.deeper()
        inner = self._array_items(self.token.at)
        self.depth -= 1
        return inner

    def row(self) -> Expression:
        """Parse ROW(a, ...)."""
        start = self.advance().at
        self.expect("(")
        items = self.nested(self.expression, ")")
        self.expect(")")
        return ast.Row(items, explicit=True, at=start, end=self.end)

    # ------------------------------------------------------------------------ special forms

    def case(self) -> Expression:
        """Parse CASE [operand] WHEN ... THEN ... [ELSE ...] END."""
        start = self.advance().at
        operand = None if self.token.symbol == "WHEN" else self.expression()
        whens: list[tuple[Expression, Expression]] = []
        branch = self.counted(self._branch)
        self.expect("WHEN")
        while True:
            whens.append(branch())
            if operand is not None:
                self.count_call(start)
            if not self.accept("WHEN"):
                break
        otherwise = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return ast.Case(operand, tuple(whens), otherwise, at=start, end=self.end)

    def _branch(self) -> tuple[Expression, Expression]:
        condition = self.expression()
        self.expect("THEN")
        return condition, self.expression()

    def cast(self) -> Expression:
        """Parse CAST(value AS type)."""
        start = self.advance().at
        self.expect("(")
        operand = self.expression()
        self.expect("AS")
        type_ = self.type_reference()
        self.expect(")")
        return ast.Cast(operand, type_, CastForm.FUNCTION, at=start, end=self.end)

    def exists(self) -> Expression:
        """Parse EXISTS (query)."""
        start = self.advance().at
        query = self.query_in_parentheses()
        self.count_subquery(query)
        return ast.Exists(query, at=start, end=self.end)

    def unique(self) -> Expression:
        """Parse UNIQUE (query), which PostgreSQL has no meaning for."""
        start = self.advance().at
        self.query_in_parentheses()
        self.refuse_later("[ERROR] UNIQUE predicate is not yet implemented", start)
        return NullLiteral(at=start, end=self.end)

    def value_function(self) -> Expression:
        """Parse CURRENT_TIMESTAMP and its kind, with or without a precision."""
        token = self.advance()
        if self.token.symbol == "(" and token.symbol in _WITH_PRECISION:
            self.advance()
            self.integer_value()
            self.expect(")")
            self.refuse_later(
                "Unsupported Postgres expression. Expression type: SQLValueFunction", token.at
            )
        return ast.ValueFunction(token.symbol.lower(), at=token.at, end=self.end)


_WITH_PRECISION = frozenset({"CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"})


def number_literal(text: str, at: int, end: int) -> Expression:
    """Return the literal of a number with or without a sign."""
    digits = text.removeprefix("-")
    if digits.isdigit() and len(digits.lstrip("0")) <= _INT64_DIGITS_MAX:
        value = int(text)
        if -INT64_MAX - 1 <= value <= INT64_MAX:
            return IntLiteral(value, text, at=at, end=end)
    return FloatLiteral(float(text), text, at=at, end=end)


def negated_number(literal: Expression, at: int) -> Expression | None:
    """Return the literal of a number with a sign in front; None for any other expression.

    The sign belongs to the literal: -9223372036854775808 has no positive counterpart.
    """
    if not isinstance(literal, IntLiteral | FloatLiteral):
        return None
    text = literal.text
    opposite = text[1:] if text.startswith("-") else f"-{text}"
    return number_literal(opposite, at, literal.end)
