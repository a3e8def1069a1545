"""INSERT, UPDATE and DELETE, with the clauses that may follow them."""

from __future__ import annotations

from spanemu.sql.syntax import ast
from spanemu.sql.syntax.ast import InsertMode
from spanemu.sql.syntax.nested_dml import NestedDmlParser


class DmlParser(NestedDmlParser):
    """The chapter on DML."""

    # ------------------------------------------------------------------------ INSERT

    def insert(self, hint: ast.Hint | None) -> ast.Insert:
        """INSERT [OR IGNORE | OR UPDATE] [INTO] target (columns) input ..."""
        start = self.advance().at
        mode = self._insert_mode()
        self.accept("INTO")
        path = self.path()
        target_hint = self.hint()
        alias = self.identifier() if self.accept("AS") else None
        target = ast.Target(path, target_hint, alias, at=path.at, end=self.end)
        columns: tuple[ast.Identifier, ...] = ()
        if self.token.symbol == "(" and not self._query_in_parentheses_follows():
            columns = self.identifiers_in_parentheses()
        takes_conflict = self.token.symbol in ("VALUES", "(")
        rows, query = self._insert_input()
        on_conflict = self._on_conflict() if takes_conflict else None
        return ast.Insert(
            columns, mode, rows, query, on_conflict, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def _insert_mode(self) -> InsertMode:
        """OR IGNORE or OR UPDATE, where the OR may be left out."""
        bare_update = self.token.symbol == "UPDATE" and self.peek().symbol not in ("(", ".")
        if self.accept_all("OR", "UPDATE") or (bare_update and self.accept("UPDATE")):
            return InsertMode.OR_UPDATE
        if self.follows("OR", "REPLACE"):
            raise self.not_in_spanner("INSERT OR REPLACE")
        if self.accept("OR"):
            self.expect("IGNORE", "UPDATE")
            return InsertMode.OR_IGNORE
        return InsertMode.OR_IGNORE if self.accept("IGNORE") else InsertMode.INSERT

    def _query_in_parentheses_follows(self) -> bool:
        """Whether the parenthesis holds the input rather than the columns."""
        distance = 1
        while self.peek(distance).symbol == "(":
            distance += 1
        return self.peek(distance).symbol in ("SELECT", "WITH", "FROM")

    def _insert_input(
        self,
    ) -> tuple[tuple[ast.ValueRow, ...] | None, ast.Query | None]:
        if self.accept("VALUES"):
            return self.comma_separated(self.value_row), None
        if self.token.symbol == "(" or self.starts_query():
            return None, self.query()
        raise self.unexpected("VALUES", "SELECT")

    def _on_conflict(self) -> ast.OnConflict | None:
        if not self.follows("ON", "CONFLICT"):
            return None
        start = self.token.at
        self.expect_all("ON", "CONFLICT")
        columns: tuple[ast.Identifier, ...] = ()
        constraint = None
        if self.token.symbol == "(":
            columns = self.identifiers_in_parentheses()
        elif self.accept("ON"):
            self.expect_all("UNIQUE", "CONSTRAINT")
            constraint = self.path()
        self.expect("DO")
        if self.accept("NOTHING"):
            return ast.OnConflict(columns, constraint, at=start, end=self.end)
        self.expect("UPDATE", "NOTHING")
        self.expect("SET")
        assignments = self.comma_separated(self.assignment)
        where = self.expression() if self.accept("WHERE") else None
        return ast.OnConflict(columns, constraint, assignments, where, at=start, end=self.end)

    # ------------------------------------------------------------------------ UPDATE, DELETE

    def update(self, hint: ast.Hint | None) -> ast.Update:
        """UPDATE target SET assignments WHERE ..."""
        start = self.advance().at
        target = self._target()
        self.expect("SET")
        assignments = self.comma_separated(self.set_item)
        if self.token.symbol == "FROM":
            raise self.not_in_spanner("UPDATE with FROM")
        where = self.expression() if self.accept("WHERE") else None
        return ast.Update(
            assignments, where, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def delete(self, hint: ast.Hint | None) -> ast.Delete:
        """DELETE [FROM] target WHERE ..."""
        start = self.advance().at
        self.accept("FROM")
        target = self._target()
        where = self.expression() if self.accept("WHERE") else None
        return ast.Delete(
            where, target=target, hint=hint,
            assert_rows=self.asserted_rows(), returning=self._returning(), at=start, end=self.end,
        )  # fmt: skip

    def _target(self) -> ast.Target:
        path = self.path()
        return ast.Target(path, self.hint(), self.alias(), at=path.at, end=self.end)

    # ------------------------------------------------------------------------ what follows

    def _returning(self) -> ast.Returning | None:
        if self.token.symbol != "THEN":
            return None
        start = self.advance().at
        self.expect("RETURN")
        with_action = self.accept_all("WITH", "ACTION")
        action_alias = self.identifier() if with_action and self.accept("AS") else None
        items = self.select_items()
        return ast.Returning(items, with_action, action_alias, at=start, end=self.end)
