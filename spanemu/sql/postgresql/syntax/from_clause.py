"""FROM clauses: tables, subqueries, set-returning functions, and joins."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.ast import JoinKind
from spanemu.sql.postgresql.syntax.call import FORMS
from spanemu.sql.postgresql.syntax.expression import ExpressionParser
from spanemu.sql.syntax_tree import Expression, Identifier, Kind, Path
from spanemu.sql.token_cursor import DEPTH_MAX

_KINDS: Mapping[str, JoinKind] = {
    "INNER": JoinKind.INNER,
    "LEFT": JoinKind.LEFT,
    "RIGHT": JoinKind.RIGHT,
    "FULL": JoinKind.FULL,
}
_STARTS_JOIN = frozenset({"JOIN", "NATURAL", "CROSS", *_KINDS})
_SEVERAL_FUNCTIONS = "UNNEST of multiple arrays and ROWS FROM expressions are not supported"
_CONTINUES_QUERY = frozenset(
    {"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR"}
)


class FromParser(ExpressionParser):
    """The grammar of FROM."""

    def from_items(self) -> ast.FromItem:
        """Parse the items of a FROM clause; a comma binds less tightly than a join."""
        start = self.token.at
        left = self.joined()
        count = 0
        while self.accept(","):
            right = self.joined()
            count += 1
            if count > DEPTH_MAX:  # the tree is as deep as the list is long
                raise self.too_complex()
            left = ast.Join(JoinKind.COMMA, left, right, at=start, end=self.end)
        return left

    # ------------------------------------------------------------------------ joins

    def joined(self, left: ast.FromItem | None = None, start: int | None = None) -> ast.FromItem:
        """Parse items joined from left to right; `left` is the first item if already parsed."""
        if start is None:
            start = self.token.at
        if left is None:
            left = self.from_item()
        depth = self.depth
        while self.token.symbol in _STARTS_JOIN:
            self.deeper()  # the tree is as deep as the chain is long
            left = self._join(left, start)
        self.depth = depth
        return left

    def _join(self, left: ast.FromItem, start: int) -> ast.FromItem:
        """Parse a join operator, its right side and its condition.

        `a JOIN b JOIN c ON x ON y` is `a JOIN (b JOIN c ON x) ON y`: a join without a condition so
        far takes the joins that follow into its right side.
        """
        natural = self.token.symbol == "NATURAL"
        if natural:
            self.refuse_later("[ERROR] Natural join is not supported")
            self.advance()
        elif self.accept("CROSS"):
            self.expect("JOIN")
            hint = self.hint()
            right = self.from_item()
            return ast.Join(JoinKind.CROSS, left, right, hint=hint, at=start, end=self.end)
        kind = _KINDS.get(self.token.symbol, JoinKind.INNER)
        if self.token.symbol in _KINDS:
            self.advance()
            if kind is not JoinKind.INNER:
                self.accept("OUTER")
        self.expect("JOIN")
        hint = self.hint()
        if natural:
            right = self.from_item()
            return ast.Join(kind, left, right, hint=hint, at=start, end=self.end)
        right = self.joined()
        on, using = self._join_condition()
        return ast.Join(kind, left, right, on, using, hint=hint, at=start, end=self.end)

    def _join_condition(self) -> tuple[Expression | None, tuple[Identifier, ...]]:
        """Parse ON condition or USING (columns), one of which must follow."""
        if self.accept("USING"):
            columns = self.identifiers_in_parentheses()
            if self.token.symbol == "AS":
                self.refuse_later("An alias of JOIN USING is not supported")
                self.advance()
                self.identifier()
            return None, columns
        self.expect("ON")
        return self.expression(), ()

    # ------------------------------------------------------------------------ items

    def from_item(self) -> ast.FromItem:
        """Parse an item of a FROM clause with its alias."""
        if self.accept("LATERAL"):
            if self.token.symbol == "(":
                self.refuse_later("Lateral subqueries are not supported")
                return self._grouped_item()
            if self.token.kind is Kind.IDENTIFIER and self.token.symbol not in FORMS:
                return self._function(self.token.at)  # every function is lateral
        symbol = self.token.symbol
        if symbol == "(":
            return self._grouped_item()
        if symbol == "ROWS" and self.peek().symbol == "FROM":
            return self._rows_from()
        if symbol in FORMS and self.peek().symbol == "(":
            return self._form()
        start = self.token.at
        if symbol == "ONLY":
            return self._only(start)
        if self.token.kind is Kind.KEYWORD:
            return self._function(start)
        path = self.path()
        if self.token.symbol == "(":
            return self._function_ref(self.call(path), start)
        self.accept("*")
        return self._table(path, start)

    def _table(self, path: Path, start: int) -> ast.FromItem:
        hint = self.hint()
        alias = self.alias()
        if self.token.symbol == "TABLESAMPLE":
            self._sample()
        return ast.TableRef(path, alias, hint, at=start, end=self.end)

    def _only(self, start: int) -> ast.FromItem:
        """Parse ONLY table or ONLY (table); Spanner's tables have no descendants."""
        self.advance()
        if self.accept("("):
            path = self.path()
            self.expect(")")
        else:
            path = self.path()
        return self._table(path, start)

    def alias(self) -> ast.Alias | None:
        """Parse `[AS] name [(column, ...)]`; return None if it does not follow."""
        start = self.token.at
        if not self.accept("AS") and not self.at_name():
            return None
        name = self.identifier()
        columns = self.identifiers_in_parentheses() if self.token.symbol == "(" else ()
        return ast.Alias(name, columns, at=start, end=self.end)

    def _sample(self) -> None:
        self.refuse_later("TABLESAMPLE is not supported")
        self.advance()
        self.path_from(self.function_part())
        self.in_parentheses(self.expression)
        if self.accept("REPEATABLE"):
            self.expect("(")
            self.expression()
            self.expect(")")

    # ------------------------------------------------------------------------ functions

    def _function(self, start: int) -> ast.FromItem:
        """Parse a function whose name may be no table's."""
        path = self.path_from(self.function_part())
        if self.token.symbol != "(":
            raise self.unexpected()
        return self._function_ref(self.call(path), start)

    def _function_ref(self, call: ast.FunctionCall, start: int) -> ast.FromItem:
        ordinality = self.accept_all("WITH", "ORDINALITY")
        alias = self._function_alias()
        return ast.FunctionRef(call, alias, ordinality, at=start, end=self.end)

    def _function_alias(self) -> ast.Alias | None:
        """Parse an alias, whose columns may have types: AS t(a bigint)."""
        start = self.token.at
        if not self.accept("AS") and not self.at_name():
            return None
        name = Identifier("", at=start, end=start)
        if self.token.symbol != "(":
            name = self.identifier()
            if self.token.symbol != "(":
                return ast.Alias(name, at=start, end=self.end)
        columns = self.in_parentheses(self.counted(self._column_definition))
        if not name.name and self.refusal is None:
            raise self.unexpected(at=self.tokens[self.position - 1])
        return ast.Alias(name, columns, at=start, end=self.end)

    def _column_definition(self) -> Identifier:
        name = self.identifier()
        if self.token.symbol not in (",", ")"):
            self.refuse_later("Functions with column definition lists are not supported")
            self.type_reference()
            if self.accept("COLLATE"):
                self.path()
        return name

    def _rows_from(self) -> ast.FromItem:
        start = self.token.at
        self.expect_all("ROWS", "FROM", "(")
        calls = self.nested(lambda: self.call(self.path_from(self.function_part())))
        self.expect(")")
        if len(calls) > 1:
            self.reject_later(_SEVERAL_FUNCTIONS, start)
        return self._function_ref(calls[0], start)

    def _form(self) -> ast.FromItem:
        """Parse a function that has a syntax of its own and returns no rows."""
        start = self.token.at
        call = self.form()
        self.reject_later("Unsupported function call in FROM clause", start)
        if isinstance(call, ast.FunctionCall):
            return self._function_ref(call, start)
        return self._function_ref(self.call_of("", (call,), start, self.end), start)

    # ------------------------------------------------------------------------ parentheses

    def _grouped_item(self) -> ast.FromItem:
        """Parse a subquery with its alias, or a join in parentheses with or without an alias."""
        start = self.token.at
        inside = self._group_of_items()
        return self._aliased(inside, start)

    def _aliased(self, inside: ast.FromItem | ast.Query, start: int) -> ast.FromItem:
        if isinstance(inside, ast.Query):
            return self._subquery(inside, start)
        alias = self.alias()
        if alias is None:
            return inside
        assert isinstance(inside, ast.Join)
        return ast.Join(
            inside.kind,
            inside.left,
            inside.right,
            inside.on,
            inside.using,
            alias,
            inside.hint,
            at=start,
            end=self.end,
        )

    def _subquery(self, query: ast.Query, start: int) -> ast.FromItem:
        alias = self.alias()
        if alias is None:
            raise self.failure("subquery in FROM must have an alias", start)
        return ast.SubqueryRef(query, alias, at=start, end=self.end)

    def _group_of_items(self) -> ast.FromItem | ast.Query:
        """Parse a query or a join in parentheses, distinguished as in `PrimaryParser.group`."""

        def inmost() -> ast.FromItem | ast.Query:
            if self.starts_query():
                return self.query()
            return self._joined_inside(None, self.token.at)

        def close(inside: ast.FromItem | ast.Query, _: int, __: bool) -> ast.FromItem | ast.Query:
            self.expect(")")
            return inside

        self.deeper(2)
        inside = self.in_nested_parentheses(inmost, close, self._continued_items)
        self.depth -= 2
        return inside

    def _continued_items(
        self, inside: ast.FromItem | ast.Query, start: int
    ) -> ast.FromItem | ast.Query:
        """Parse what follows parentheses inside of others, which began at `start`."""
        if isinstance(inside, ast.Query) and self.token.symbol in _CONTINUES_QUERY:
            return self.query(inside)
        return self._joined_inside(self._aliased(inside, start), start)

    def _joined_inside(self, left: ast.FromItem | None, start: int) -> ast.FromItem:
        """Parse a join in parentheses, which no single table can replace."""
        position = self.position
        inside = self.joined(left, start)
        if not isinstance(inside, ast.Join) or (left is not None and self.position == position):
            raise self.unexpected()
        return inside
