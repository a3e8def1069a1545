"""Operands that begin with a name or a parenthesis: columns, calls, literals, rows and queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.errors import IN_LIST_ITEMS
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.call import FORMS, CallParser
from spanemu.sql.postgresql.syntax.keywords import COLUMN_NAMES
from spanemu.sql.postgresql.syntax.names import STARTS_TYPE
from spanemu.sql.syntax_tree import Expression, Identifier, IntLiteral, Kind, Name, Path
from spanemu.sql.token_cursor import DEPTH_MAX

_CONTINUES_QUERY = frozenset(
    {"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR"}
)


class PrimaryParser(CallParser):
    """The grammar of names, subscripts and parentheses."""

    # ------------------------------------------------------------------------ names

    def named_operand(self) -> Expression:
        """Parse a column, a call, or a literal behind the name of its type."""
        token, following = self.token, self.peek()
        symbol = token.symbol
        if symbol in STARTS_TYPE and self.begins_typed_literal():
            return self.builtin_literal()
        if following.symbol == "(" and symbol in COLUMN_NAMES:
            if symbol in FORMS:
                return self.form()
            if rule := _COLUMN_NAME_RULES.get(symbol):
                return rule(self)
            raise self.unexpected(at=following)
        if symbol == "OPERATOR" and following.symbol == "(":
            return self.prefix_operator()
        first = self.identifier_of(self.advance())
        symbol = following.symbol
        if symbol == "." or symbol == "[":
            return self._indirection_of_name(first)
        path = self.path_from(first)
        if symbol == "(":
            return self._call_or_literal(path)
        if following.kind is Kind.STRING and token.symbol not in COLUMN_NAMES:
            return self.typed_literal(self._type_of(path))
        return Name(path, at=first.at, end=first.end)

    def named_function(self) -> Expression:
        """Parse a call of a function whose name is no column's: left('abc', 1)."""
        if self.token.symbol == "COLLATION" and self.peek().symbol == "FOR":
            return self._collation_for()
        if self.token.symbol == "CURRENT_SCHEMA" and self.peek().symbol != "(":
            return self.value_function()
        path = self.path_from(self.function_part())
        if self.token.symbol == "(":
            return self._call_or_literal(path)
        if self.token.kind is Kind.STRING:
            return self.typed_literal(self._type_of(path))
        raise self.unexpected()

    def _collation_for(self) -> Expression:
        start = self.token.at
        self.expect_all("COLLATION", "FOR", "(")
        operand = self.expression()
        self.expect(")")
        return self.call_of("pg_collation_for", (operand,), start, self.end)

    def _call_or_literal(self, path: Path) -> Expression:
        """Parse a call; `name(1) 'text'` is a literal of a type with a modifier."""
        call = self.call(path)
        if self.token.kind is not Kind.STRING or call.distinct or call.over or not call.arguments:
            return call
        modifiers = [each.value for each in call.arguments if isinstance(each, IntLiteral)]
        if len(modifiers) < len(call.arguments):
            raise self.failure("type modifiers must be simple constants or identifiers", path.at)
        return self.typed_literal(self._type_of(path, tuple(modifiers)))

    def _type_of(self, path: Path, modifiers: tuple[int, ...] = ()) -> ast.TypeReference:
        *schemas, name = path.names
        schema = ".".join(schemas)
        return ast.TypeReference(
            name,
            modifiers,
            schema="" if schema == "pg_catalog" else schema,
            at=path.at,
            end=self.end,
        )

    def prefix_operator(self) -> Expression:
        """Parse an operator without a left side, and its operand."""
        raise NotImplementedError  # `ExpressionParser` has it

    def _indirection_of_name(self, first: Identifier) -> Expression:
        """Parse the fields and subscripts of a name; `a.*` stands for all columns of a table."""
        parts = [first]
        while self.token.symbol == ".":
            if self.peek().symbol == "*":
                self.expect_all(".", "*")
                path = Path(tuple(parts), at=first.at, end=self.end)
                self.refuse_later("Whole-row references are not supported", first.at)
                return ast.Star(path, at=first.at, end=self.end)
            self.advance()
            parts.append(self.part())
            if len(parts) > DEPTH_MAX:
                raise self.too_complex()
        path = Path(tuple(parts), at=first.at, end=self.end)
        if self.token.symbol == "(":
            return self._call_or_literal(path)
        if self.token.kind is Kind.STRING:
            return self.typed_literal(self._type_of(path))
        return self.indirection(Name(path, at=first.at, end=self.end), first.at)

    def indirection(self, operand: Expression, start: int) -> Expression:
        """Parse the subscripts and fields behind an operand; each is a level of nesting."""
        depth = self.depth
        while True:
            self.deeper()
            if self.token.symbol == "[":
                operand = self._subscript(operand, start)
            elif self.accept("."):
                if self.token.symbol == "*":
                    raise self.unexpected()
                operand = ast.FieldSelection(operand, self.part(), at=start, end=self.end)
            else:
                self.depth = depth
                return operand

    def _subscript(self, operand: Expression, start: int) -> Expression:
        """Parse `[index]` or `[low:high]`."""
        self.advance()
        low = None if self.token.symbol == ":" else self.expression()
        if low is not None and self.accept("]"):
            return ast.Subscript(operand, low, at=start, end=self.end)
        self.expect(":")
        high = None if self.token.symbol == "]" else self.expression()
        self.expect("]")
        return ast.Slice(operand, low, high, at=start, end=self.end)

    def subscripted_parameter(self) -> Expression:
        """Parse `$1` with its subscripts."""
        start = self.token.at
        return self.indirection(self.parameter(), start)

    # ------------------------------------------------------------------------ parentheses

    def parenthesized(self) -> Expression:
        """Parse an expression, a row or a query in parentheses, with its subscripts."""
        start = self.token.at
        operand = self.as_expression(self.group(), start)
        symbol = self.token.symbol
        if symbol == "[" or symbol == ".":
            return self.indirection(operand, start)
        if symbol == "OVERLAPS" and isinstance(operand, ast.Row):
            return self._overlaps(operand, start)
        return operand

    def _explicit_row(self) -> Expression:
        start = self.token.at
        row = self.row()
        return self._overlaps(row, start) if self.token.symbol == "OVERLAPS" else row

    def _overlaps(self, left: Expression, start: int) -> Expression:
        """Parse `(start, end) OVERLAPS (start, end)`."""
        self.advance()
        assert isinstance(left, ast.Row)
        if self.token.symbol != "ROW" and self.token.symbol != "(":
            raise self.unexpected()
        right = self.row() if self.token.symbol == "ROW" else self.group()
        if not isinstance(right, ast.Row):
            raise self.unexpected()
        return self.call_of("overlaps", (*left.items, *right.items), start, self.end)

    def query_in_parentheses(self) -> ast.Query:
        if self.token.symbol != "(":
            raise self.unexpected()
        self.deeper()
        inside = self.group()
        self.depth -= 1
        if not isinstance(inside, ast.Query):
            raise self.unexpected()
        return inside

    def group(self, *, items_of: int | None = None) -> Expression | ast.Query:
        """Parse a query, an expression or a row in parentheses.

        Only the token behind an inner `)` distinguishes `((SELECT 1) + 1)` from
        `((SELECT 1) UNION ALL ...)`. The inner text is therefore parsed as a query, and the query
        becomes an operand when an operator follows. For an IN expression that begins at
        `items_of`, even a single expression is returned as a row.
        """

        def inmost() -> Expression | ast.Query:
            return self.query() if self.starts_query() else self.expression()

        def close(
            inside: Expression | ast.Query, start: int, is_outermost: bool
        ) -> Expression | ast.Query:
            is_list = items_of is not None and is_outermost
            if isinstance(inside, Expression) and (is_list or self.token.symbol == ","):
                inside = self._row_items(inside, start, items_of if is_list else None)
            self.expect(")")
            return inside

        return self.in_nested_parentheses(inmost, close, self._continued)

    def _continued(self, inside: Expression | ast.Query, start: int) -> Expression | ast.Query:
        """Parse what follows parentheses inside of others, as the rest of a query or a value."""
        if isinstance(inside, ast.Query) and self.token.symbol in _CONTINUES_QUERY:
            return self.query(inside)
        operand = self.as_expression(inside, start)
        if self.token.symbol in (".", "["):
            operand = self.indirection(operand, start)
        elif self.token.symbol == "OVERLAPS" and isinstance(operand, ast.Row):
            operand = self._overlaps(operand, start)
        return self.expression(0, operand, start)

    def as_expression(self, inside: Expression | ast.Query, start: int) -> Expression:
        """Return a scalar subquery if `inside` is a query, and `inside` itself if it is a value.

        `start` is the offset of the opening parenthesis.
        """
        if isinstance(inside, ast.Query):
            self.count_subquery(inside)
            return ast.ScalarSubquery(inside, at=start, end=self.end)
        return inside

    def _row_items(self, first: Expression, start: int, items_of: int | None) -> Expression:
        items = [first]
        limit = self.bounds.limits.in_list_items
        self.deeper()
        while self.accept(","):
            items.append(self.expression())
            if items_of is not None and len(items) > limit:
                raise self.too_large(IN_LIST_ITEMS, limit, items_of)
        self.depth -= 1
        return ast.Row(tuple(items), at=start, end=self.token.end)


# Words that may name a column, and are expressions of their own in front of a parenthesis.
_COLUMN_NAME_RULES: Mapping[str, Callable[[PrimaryParser], Expression]] = {
    "EXISTS": PrimaryParser.exists,
    "ROW": PrimaryParser._explicit_row,
}
