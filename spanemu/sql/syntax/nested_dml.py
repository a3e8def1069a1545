"""Nested DML: `UPDATE t SET (DELETE t.xs x WHERE x < 0), (INSERT t.xs VALUES (1)) WHERE ...`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.syntax import ast
from spanemu.sql.syntax.query import QueryParser


class NestedDmlParser(QueryParser):
    """The chapter on nested DML, and what it shares with the statements around it."""

    def value_row(self) -> ast.ValueRow:
        """`(value, ...)`."""
        start = self.token.at
        values = self.in_parentheses(self.value_or_default)
        return ast.ValueRow(values, at=start, end=self.end)

    def value_or_default(self) -> ast.Expression:
        """An expression or DEFAULT."""
        if self.token.symbol != "DEFAULT":
            return self.expression()
        word = self.advance()
        return ast.DefaultKeyword(at=word.at, end=word.end)

    def set_item(self) -> ast.Assignment | ast.NestedStatement:
        """An item of SET: an assignment, or a statement in parentheses."""
        if self.token.symbol == "(" and self.peek().symbol in _STATEMENTS:
            return self.nested_statement()
        return self.assignment()

    def assignment(self) -> ast.Assignment:
        """`path = value`, where the value may be DEFAULT."""
        start = self.token.at
        path = self.path()
        if self.token.symbol == "[":
            raise self.failure("UPDATE ... SET does not support array modification with []")
        self.expect("=", ".")
        return ast.Assignment(path, self.value_or_default(), at=start, end=self.end)

    def nested_statement(self) -> ast.NestedStatement:
        """`(DELETE ...)`, `(UPDATE ...)` or `(INSERT ...)`."""
        self.expect("(")
        self.deeper()
        start = self.token.at
        found = _STATEMENTS[self.advance().symbol](self, start)
        self.depth -= 1
        self.expect(")")
        return found

    def _delete_elements(self, start: int) -> ast.NestedStatement:
        self.accept("FROM")
        target = self.path()
        alias = self._element_alias("DELETE")
        where = self._elements_where("DELETE", start)
        count = self.asserted_rows()
        return ast.NestedDelete(target, alias, where, count, at=start, end=self.end)

    def _update_elements(self, start: int) -> ast.NestedStatement:
        target = self.path()
        alias = self._element_alias("UPDATE")
        self.expect("SET")
        items = self.comma_separated(self.set_item)
        where = self._elements_where("UPDATE", start)
        count = self.asserted_rows()
        return ast.NestedUpdate(target, alias, items, where, count, at=start, end=self.end)

    def _insert_elements(self, start: int) -> ast.NestedStatement:
        if self.token.symbol in ("OR", "IGNORE"):
            raise self.failure("Nested INSERTs cannot have an insert mode", self.token.at)
        self.accept("INTO")
        target = self.path()
        if self.token.symbol == "(" and self.peek().symbol not in ("SELECT", "WITH", "FROM", "("):
            self.identifiers_in_parentheses()  # a name for the element, which nothing can mention
        if self.accept("VALUES"):
            rows = self.comma_separated(self.value_row)
            count = self.asserted_rows()
            return ast.NestedInsert(target, rows, None, count, at=start, end=self.end)
        query = self.query()
        return ast.NestedInsert(target, (), query, self.asserted_rows(), at=start, end=self.end)

    def asserted_rows(self) -> ast.Expression | None:
        """`ASSERT_ROWS_MODIFIED count`, which may end a statement."""
        if not self.accept("ASSERT_ROWS_MODIFIED"):
            return None
        if self.token.symbol in ("-", "+", "NULL"):
            raise self.unexpected()
        return self.expression()

    def _element_alias(self, statement: str) -> ast.Identifier | None:
        alias = self.alias()
        if self.follows("WITH", "OFFSET"):
            raise self.failure(f"Nested {statement} does not support WITH OFFSET", self.token.at)
        return alias

    def _elements_where(self, statement: str, start: int) -> ast.Expression:
        if not self.accept("WHERE"):
            raise self.failure(f"{statement} must have a WHERE clause", start)
        return self.expression()


_STATEMENTS: Mapping[str, Callable[[NestedDmlParser, int], ast.NestedStatement]] = {
    "DELETE": NestedDmlParser._delete_elements,
    "UPDATE": NestedDmlParser._update_elements,
    "INSERT": NestedDmlParser._insert_elements,
}
