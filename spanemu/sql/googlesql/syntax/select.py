"""SELECT: the select list, and the clauses from FROM to HAVING."""

from __future__ import annotations

from spanemu.sql.errors import GROUP_KEYS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.from_clause import FromParser
from spanemu.sql.syntax_tree import Kind

_ENDS_LIST = frozenset(
    {"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "FOR",
     "WINDOW", "ON", "|>", ")", ";", str(Kind.END)}
)  # fmt: skip
_GROUPING_FORMS = {
    "ROLLUP": "GROUP BY ROLLUP",
    "CUBE": "GROUP BY CUBE",
    "GROUPING": "GROUPING SETS",
}


class SelectParser(FromParser):
    """The grammar of SELECT."""

    def select(self) -> ast.Select:
        """Parse SELECT with every clause up to HAVING."""
        outer_subqueries, self.subqueries = self.subqueries, 0
        self.enter_select(self.token.at)
        head = self.select_head()
        source = self.joined(commas=True) if self.accept("FROM") else None
        where_at = self.token.at
        where = self.expression() if self.accept("WHERE") else None
        group_by = self.group_by()
        having_at = self.token.at
        having = self.expression() if self.accept("HAVING") else None
        if self.token.symbol in ("QUALIFY", "WINDOW"):
            raise self.not_in_spanner(self.token.symbol)
        self.subqueries = outer_subqueries
        self.selects -= 1
        return ast.Select(
            head.items, source, where, group_by, having, head.distinct, head.as_what,
            head.as_type, head.hint, where_at, having_at, at=head.at, end=self.end,
        )  # fmt: skip

    def select_head(self) -> ast.Select:
        """Parse SELECT [hint] [ALL | DISTINCT] [AS ...] items, without any later clause."""
        start = self.advance().at
        hint = self.hint()
        distinct = self.token.symbol == "DISTINCT"
        if distinct or self.token.symbol == "ALL":
            self.advance()
        as_what, as_type = self._select_as() if self.accept("AS") else (None, None)
        items = self.select_items()
        return ast.Select(
            items, distinct=distinct, as_what=as_what, as_type=as_type, hint=hint,
            at=start, end=self.end,
        )  # fmt: skip

    def _select_as(self) -> tuple[str | None, ast.TypeName | None]:
        if self.token.symbol in ("STRUCT", "VALUE"):
            return self.advance().symbol, None
        path = self.path()
        return None, ast.TypeName(path=path, at=path.at, end=path.end)

    # ------------------------------------------------------------------------ the list

    def select_items(self) -> tuple[ast.SelectItem | ast.SelectStar, ...]:
        """Parse one or more items; a comma may follow the last item."""
        if self.token.symbol == "FROM":
            raise self.failure("SELECT list must not be empty")
        items = [self._select_item()]
        while self.accept(","):
            if self.token.symbol in _ENDS_LIST:
                break
            items.append(self._select_item())
        return tuple(items)

    def _select_item(self) -> ast.SelectItem | ast.SelectStar:
        start = self.token.at
        if self.token.symbol == "*":
            return self._star(None, start)
        value = self.expression()
        if self.follows(".", "*"):
            self.advance()
            return self._star(value, start)
        alias = self.alias()
        return ast.SelectItem(value, alias, at=start, end=self.end)

    def _star(self, operand: ast.Expression | None, start: int) -> ast.SelectStar:
        """Parse `*` with EXCEPT and REPLACE."""
        self.advance()
        excepted: tuple[ast.Identifier, ...] = ()
        if self.token.symbol == "EXCEPT" and self.peek().symbol == "(":
            self.advance()
            excepted = self.identifiers_in_parentheses()
        replaced: tuple[tuple[ast.Expression, ast.Identifier], ...] = ()
        if self.token.symbol == "REPLACE" and self.peek().symbol == "(":
            self.advance()
            replaced = self.in_parentheses(self.counted(self._replacement))
        return ast.SelectStar(operand, excepted, replaced, at=start, end=self.end)

    def _replacement(self) -> tuple[ast.Expression, ast.Identifier]:
        value = self.expression()
        self.expect("AS")
        return value, self.identifier()

    # ------------------------------------------------------------------------ GROUP BY

    def group_by(self) -> ast.GroupBy | None:
        """Parse GROUP [hint] BY items; return None if it does not follow."""
        if self.token.symbol != "GROUP":
            return None
        start = self.advance().at
        hint = self.hint()
        self.expect("BY")
        if self.accept("ALL"):
            return ast.GroupBy((), True, hint, at=start, end=self.end)
        if self.follows("(", ")"):
            raise self.not_in_spanner("GROUP BY ()")
        items = self._group_keys(start)
        return ast.GroupBy(items, False, hint, at=start, end=self.end)

    def _group_keys(self, group_at: int) -> tuple[ast.SelectItem, ...]:
        limit = self.bounds.limits.group_keys
        items = [self._group_item()]
        while self.accept(","):
            items.append(self._group_item())
            if len(items) > limit:
                raise self.too_large(GROUP_KEYS, limit, group_at)
        return tuple(items)

    def _group_item(self) -> ast.SelectItem:
        token = self.token
        if token.symbol in ("ROLLUP", "CUBE") or self.follows("GROUPING", "SETS"):
            raise self.not_in_spanner(_GROUPING_FORMS[token.symbol])
        value = self.expression()
        return ast.SelectItem(value, at=token.at, end=self.end)
