"""Operands of expressions: literals, parameters, constructors, CASE, casts and subqueries.

The next symbol alone decides which rule applies (the table is in `expression`). Each rule begins at
its first token and consumes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spanemu.sql.errors import CHILD_SUBQUERIES, PARAMETERS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.lexer import (
    decode_bytes,
    decode_float,
    decode_integer,
    decode_string,
)
from spanemu.sql.googlesql.syntax.names import NameParser
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import UNBOUNDED, Bounds

T = TypeVar("T")

_CAST_WORDS = {"CAST": False, "SAFE_CAST": True}
_STARTS_SUBQUERY = frozenset("({")


class OperandParser(NameParser):
    """The grammar of operands."""

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        super().__init__(text, bounds)
        self._parameters: set[str] = set()
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

    def graph_query_in_braces(self, *, in_exists: bool = False) -> ast.Query:
        """Parse `{graph query}`."""
        raise NotImplementedError  # `QueryParser` has it

    def starts_query(self) -> bool:
        """Return whether the next tokens begin a query that is not in parentheses."""
        symbol = self.token.symbol
        if symbol == "WITH":
            return self.peek().symbol != "("  # WITH(a AS 1, a + 1) is an expression
        return symbol in ("SELECT", "FROM")

    def query_in_parentheses(self) -> ast.Query:
        """Parse `(query)`."""
        if self.token.symbol != "(":
            raise self.unexpected("(")

        def close(query: ast.Query, _: int, __: bool) -> ast.Query:
            self.expect(")")
            return query

        return self.in_nested_parentheses(self.query, close, lambda query, _: self.query(query))

    def query_in_brackets(self, *, in_exists: bool = False) -> ast.Query:
        """Parse `(query)` or `{graph query}`."""
        if self.token.symbol == "{":
            return self.graph_query_in_braces(in_exists=in_exists)
        return self.query_in_parentheses()

    def graph_value(self, start: int) -> ast.Expression:
        """Parse {graph query} behind VALUE, which begins at `start`."""
        query = self.graph_query_in_braces()
        self.count_subquery(query)
        return ast.ScalarSubquery(query, at=start, end=self.end)

    # ------------------------------------------------------------------------ literals

    def null(self) -> ast.Expression:
        """Parse NULL."""
        token = self.advance()
        return ast.NullLiteral(at=token.at, end=token.end)

    def boolean(self) -> ast.Expression:
        """Parse TRUE or FALSE."""
        token = self.advance()
        return ast.BoolLiteral(token.symbol == "TRUE", at=token.at, end=token.end)

    def integer(self) -> ast.Expression:
        """Parse an integer literal: 12 or 0xC."""
        token = self.advance()
        value = self.decode(token, decode_integer)
        return ast.IntLiteral(value, token.text, at=token.at, end=token.end)

    def floating(self) -> ast.Expression:
        """Parse a floating point literal: 1.5e3."""
        token = self.advance()
        value = self.decode(token, decode_float)
        return ast.FloatLiteral(value, token.text, at=token.at, end=token.end)

    def string(self) -> ast.Expression:
        """Parse a string literal in any form of quoting."""
        start = self.token.at
        return ast.StringLiteral(self._alone(decode_string), at=start, end=self.end)

    def bytes_(self) -> ast.Expression:
        """Parse a bytes literal in any form of quoting."""
        start = self.token.at
        return ast.BytesLiteral(self._alone(decode_bytes), at=start, end=self.end)

    def _alone(self, decoder: Callable[[str], T]) -> T:
        """Decode a literal, which no other literal of its kind may follow.

        GoogleSQL concatenates adjacent literals; Spanner refuses them.
        """
        kind = self.token.kind
        value = self.decode(self.advance(), decoder)
        if self.token.kind is kind:
            if self.token.at == self.end:
                raise self.unexpected()
            raise self.not_in_spanner(f"Concatenation of subsequent {kind}s")
        return value

    def typed_literal(self) -> ast.Expression:
        """Parse a typed literal such as DATE '2025-01-31'."""
        word = self.advance()
        text = self.decode(self.advance(), decode_string)
        while self.token.kind is Kind.STRING and self.token.at > self.end:
            text += self.decode(self.advance(), decode_string)  # Spanner does concatenate these
        return ast.TypedLiteral(word.symbol, text, at=word.at, end=self.end)

    def interval(self) -> ast.Expression:
        """Parse INTERVAL amount part [TO part]."""
        start = self.advance().at
        amount = self.expression()
        part = self.identifier()
        to_part = self.identifier().name.upper() if self.accept("TO") else None
        return ast.IntervalExpression(
            amount, part.name.upper(), to_part, part.at, at=start, end=self.end
        )

    # ------------------------------------------------------------------------ parameters

    def parameter(self) -> ast.Expression:
        """Parse @name, where the name may be a reserved word."""
        start = self.advance().at
        name = self.part().name
        self._parameters.add(name.lower())
        limit = self.bounds.limits.parameters
        if len(self._parameters) > limit:
            raise self.too_large(PARAMETERS, limit, start)
        return ast.Parameter(name, at=start, end=self.end)

    def positional_parameter(self) -> ast.Expression:
        """Parse a positional parameter: `?`."""
        token = self.advance()
        return ast.PositionalParameter(at=token.at, end=token.end)

    def system_variable(self) -> ast.Expression:
        """Parse @@path."""
        start = self.advance().at
        return ast.SystemVariable(self.path(), at=start, end=self.end)

    # ------------------------------------------------------------------------ constructors

    def array(self) -> ast.Expression:
        """Parse `[...]`, `ARRAY[...]`, `ARRAY<T>[...]`, `ARRAY(query)` or `ARRAY{graph query}`."""
        start = self.token.at
        type_name = None
        if self.token.symbol == "ARRAY":
            if self.peek().symbol == "<":
                type_name = self.type_name()
            else:
                self.advance()
                hint = self.hint()
                if hint is not None or self.token.symbol in _STARTS_SUBQUERY:
                    query = self.query_in_brackets()
                    self.count_subquery(query)
                    return ast.ArraySubquery(query, hint, at=start, end=self.end)
        self.expect("[")
        items = self.nested(self.expression, "]")
        self.expect("]", ",")
        return ast.ArrayConstructor(items, type_name, at=start, end=self.end)

    def struct(self) -> ast.Expression:
        """Parse STRUCT(a AS x, ...) or STRUCT<...>(a, ...)."""
        start = self.token.at
        type_name = None
        if self.peek().symbol in ("<", "<>"):
            type_name = self.type_name()
        else:
            self.advance()
        self.expect("(")
        items = self.nested(self._struct_item, ")")
        self.expect(")", ",")
        return ast.StructConstructor(items, type_name, at=start, end=self.end)

    def _struct_item(self) -> tuple[ast.Expression, ast.Identifier | None]:
        value = self.expression()
        return value, self.identifier() if self.accept("AS") else None

    def new(self) -> ast.Expression:
        """Parse NEW Type(value AS field, ...) or NEW Type {field: value ...}."""
        start = self.advance().at
        path = self.path()
        type_name = ast.TypeName(path=path, at=path.at, end=path.end)
        if self.token.symbol == "{":
            return self._braced(type_name, start)
        self.expect("(")
        items = () if self.token.symbol == ")" else self.nested(self._new_item, ")")
        self.expect(")", ",")
        return ast.NewConstructor(type_name, items, at=start, end=self.end)

    def braced(self) -> ast.Expression:
        """Parse {field: value ...}, a message whose type follows from its context."""
        return self._braced(None, self.token.at)

    def _braced(self, type_name: ast.TypeName | None, start: int) -> ast.Expression:
        self.expect("{")
        self.deeper()
        items = []
        while self.token.symbol != "}":
            name = self.identifier()
            if self.token.symbol == "{":
                value = self.braced()
            else:
                self.expect(":")
                value = self.expression()
            items.append((name, value))
            self.accept(",")
        self.depth -= 1
        self.expect("}")
        return ast.BracedConstructor(type_name, tuple(items), at=start, end=self.end)

    def _new_item(self) -> tuple[ast.Expression, ast.Path | None]:
        value = self.expression()
        return value, self.path() if self.accept("AS") else None

    # ------------------------------------------------------------------------ special forms

    def case(self) -> ast.Expression:
        """Parse CASE [operand] WHEN ... THEN ... [ELSE ...] END."""
        start = self.advance().at
        operand = None if self.token.symbol == "WHEN" else self.expression()
        whens: list[tuple[ast.Expression, ast.Expression]] = []
        self.expect("WHEN")
        while True:
            condition = self.expression()
            self.expect("THEN")
            whens.append((condition, self.expression()))
            if operand is not None:
                self.count_call(start)
            if not self.accept("WHEN"):
                break
        otherwise = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return ast.Case(operand, tuple(whens), otherwise, at=start, end=self.end)

    def cast(self) -> ast.Expression:
        """Parse CAST(value AS type) or SAFE_CAST(value AS type)."""
        word = self.advance()
        self.expect("(")
        operand = self.expression()
        self.expect("AS")
        type_name = self.type_name()
        if self.token.symbol == "FORMAT":
            raise self.not_in_spanner("CAST with FORMAT")
        self.expect(")")
        safe = _CAST_WORDS[word.symbol]
        return ast.Cast(operand, type_name, safe, at=word.at, end=self.end)

    def _time_zone(self) -> ast.Expression | None:
        if not self.accept("AT"):
            return None
        self.expect_all("TIME", "ZONE")
        return self.expression()

    def extract(self) -> ast.Expression:
        """Parse EXTRACT(part FROM value [AT TIME ZONE zone])."""
        start = self.advance().at
        self.expect("(")
        word = self.identifier()
        part = word.name.upper()
        if self.accept("("):
            part = f"{part}({self.identifier().name.upper()})"
            self.expect(")")
        self.expect("FROM")
        operand = self.expression()
        zone = self._time_zone()
        self.expect(")")
        return ast.Extract(part, operand, zone, word.at, at=start, end=self.end)

    def exists(self) -> ast.Expression:
        """Parse EXISTS [hint] (query), or with a graph query in braces."""
        start = self.advance().at
        hint = self.hint()
        query = self.query_in_brackets(in_exists=True)
        self.count_subquery(query)
        return ast.Exists(query, hint, at=start, end=self.end)

    def with_expression(self) -> ast.Expression:
        """Parse WITH(name AS value, ..., result)."""
        start = self.advance().at
        self.expect("(")
        bindings: list[tuple[ast.Identifier, ast.Expression]] = []
        while self.token.kind is Kind.IDENTIFIER and self.peek().symbol == "AS":
            name = self.identifier()
            self.advance()
            bindings.append((name, self.expression()))
            self.expect(",")
        result = self.expression()
        self.expect(")", ",")
        return ast.WithExpression(tuple(bindings), result, at=start, end=self.end)

    def replace_fields(self) -> ast.Expression:
        """Parse REPLACE_FIELDS(value, new AS path, ...)."""
        start = self.advance().at
        self.expect("(")
        operand = self.expression()
        self.expect(",")
        items = self.nested(self._replaced_field)
        self.expect(")", ",")
        return ast.ReplaceFields(operand, items, at=start, end=self.end)

    def _replaced_field(self) -> tuple[ast.Expression, ast.Path]:
        value = self.expression()
        self.expect("AS")
        return value, self.path()
