"""INSERT, UPDATE and DELETE."""

from __future__ import annotations

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.query import QueryParser
from spanemu.sql.syntax_tree import Expression, Hint, Identifier

_STARTS_QUERY = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})
_CURRENT_OF_REFUSED = "UPDATE...CURRENT OF and DELETE...CURRENT OF statements are not supported."
_NOT_A_ROW = (
    "[ERROR] source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression"
)


class DmlParser(QueryParser):
    """The grammar of DML."""

    # ------------------------------------------------------------------------ INSERT

    def insert(self, hint: Hint | None) -> ast.Insert:
        """Parse INSERT INTO target [(columns)] input [ON CONFLICT ...] [RETURNING ...]."""
        start = self.advance().at
        self.expect("INTO")
        path = self.path()
        alias = self.identifier() if self.accept("AS") else None
        target = ast.Target(path, alias, at=path.at, end=self.end)
        columns: tuple[Identifier, ...] = ()
        if self.token.symbol == "(" and not self._query_in_parentheses_follows():
            columns = self.in_parentheses(self.counted(self._column))
        if self.token.symbol == "OVERRIDING":
            self._overriding()
        rows, query = self._insert_input(columns)
        conflict = self._on_conflict()
        returning = self._returning()
        return ast.Insert(
            target, returning, hint, columns, rows, query, conflict, at=start, end=self.end
        )

    def _query_in_parentheses_follows(self) -> bool:
        """Return whether the next parenthesis holds the input query, not the columns."""
        distance = 1
        while self.peek(distance).symbol == "(":
            distance += 1
        symbol = self.peek(distance).symbol
        if symbol == "VALUES":
            return self.peek(distance + 1).symbol == "("
        return symbol in _STARTS_QUERY

    def _column(self) -> Identifier:
        """Parse a column of INSERT, which may have a subscript that Spanner refuses."""
        column = self.identifier()
        self._skip_subscripts(column)
        return column

    def _skip_subscripts(self, column: Identifier) -> bool:
        """Parse the subscripts and fields of a written column; return whether there are any."""
        if self.token.symbol not in ("[", "."):
            return False
        self.indirection(ast.DefaultKeyword(at=column.at, end=column.end), column.at)
        self.reject_later("Assignment to array elements is not supported", column.at)
        return True

    def _overriding(self) -> None:
        self.refuse_later("Statements with OVERRIDING clauses are not supported")
        self.advance()
        if not self.accept_any("USER", "SYSTEM"):
            raise self.unexpected()
        self.expect("VALUE")

    def _insert_input(
        self, columns: tuple[Identifier, ...]
    ) -> tuple[tuple[tuple[Expression, ...], ...] | None, ast.Query | None]:
        """Parse VALUES, a query or DEFAULT VALUES, for which both results are None."""
        if self.accept("VALUES"):
            rows = self.comma_separated(self._value_row)
            return rows, None
        if self.token.symbol == "(" or self.starts_query():
            self.query_depth += 1  # the query is a subquery of the statement
            query = self.query()
            self.query_depth -= 1
            return None, query
        if columns:
            raise self.unexpected()
        self.expect_all("DEFAULT", "VALUES")
        return None, None

    def _value_row(self) -> tuple[Expression, ...]:
        return self.in_parentheses(self._value)

    def _value(self) -> Expression:
        """Parse an expression or DEFAULT."""
        if self.token.symbol != "DEFAULT":
            return self.expression()
        word = self.advance()
        return ast.DefaultKeyword(at=word.at, end=word.end)

    def _on_conflict(self) -> ast.OnConflict | None:
        start = self.token.at
        if not self.accept_all("ON", "CONFLICT"):
            return None
        columns: tuple[Identifier, ...] = ()
        if self.token.symbol == "(":
            columns = self.in_parentheses(self.counted(self._conflict_column))
            if self.token.symbol == "WHERE":
                self.refuse_later("ON CONFLICT targets with WHERE clauses are not supported")
                self.advance()
                self.expression()
        elif self.token.symbol == "ON":
            self.refuse_later("ON CONFLICT ON CONSTRAINT is not supported")
            self.expect_all("ON", "CONSTRAINT")
            self.identifier()
        self.expect("DO")
        if self.accept("NOTHING"):
            return ast.OnConflict(columns, at=start, end=self.end)
        self.expect_all("UPDATE", "SET")
        assignments = self._assignments()
        if self.token.symbol == "WHERE":
            self.refuse_later("WHERE clause in ON CONFLICT DO UPDATE is not supported")
            self.advance()
            self.expression()
        return ast.OnConflict(columns, assignments, at=start, end=self.end)

    def _conflict_column(self) -> Identifier:
        """Parse a column of a conflict target, which PostgreSQL allows to be an expression."""
        start = self.token.at
        if self.at_name() and self.peek().symbol in (",", ")"):
            return self.identifier()
        self.refuse_later("ON CONFLICT targets other than columns are not supported")
        self.operand()
        if self.accept("COLLATE"):
            self.path()
        if self.at_name():
            self.path()
        return Identifier("", at=start, end=self.end)

    # ------------------------------------------------------------------------ UPDATE, DELETE

    def update(self, hint: Hint | None) -> ast.Update:
        """Parse UPDATE target SET assignments [WHERE ...] [RETURNING ...]."""
        start = self.advance().at
        target = self._target()
        self.expect("SET")
        assignments = self._assignments()
        if self.token.symbol == "FROM":
            self.refuse_later("UPDATE...FROM statements are not supported.")
            self.advance()
            self.from_items()
        where = self._where()
        returning = self._returning()
        return ast.Update(target, returning, hint, assignments, where, at=start, end=self.end)

    def delete(self, hint: Hint | None) -> ast.Delete:
        """Parse DELETE FROM target [WHERE ...] [RETURNING ...]."""
        start = self.advance().at
        self.expect("FROM")
        target = self._target()
        if self.token.symbol == "USING":
            self.refuse_later("DELETE...USING statements are not supported.")
            self.advance()
            self.from_items()
        where = self._where()
        returning = self._returning()
        return ast.Delete(target, returning, hint, where, at=start, end=self.end)

    def _target(self) -> ast.Target:
        """Parse `[ONLY] path [*] [hint] [[AS] alias]`."""
        start = self.token.at
        only = self.accept("ONLY")
        parenthesized = only and self.accept("(")
        path = self.path()
        if parenthesized:
            self.expect(")")
        elif not only:
            self.accept("*")
        hint = self.hint()
        alias = None
        if self.accept("AS") or (self.at_name() and self.token.symbol != "SET"):
            alias = self.identifier()
        return ast.Target(path, alias, hint, at=start, end=self.end)

    def _where(self) -> Expression | None:
        if not self.accept("WHERE"):
            return None
        if self.follows("CURRENT", "OF"):
            self.refuse_later(_CURRENT_OF_REFUSED)
            self.expect_all("CURRENT", "OF")
            self.identifier()
            return None
        return self.expression()

    def _returning(self) -> tuple[ast.SelectItem, ...] | None:
        return self.select_items() if self.accept("RETURNING") else None

    # ------------------------------------------------------------------------ SET

    def _assignments(self) -> tuple[ast.Assignment, ...]:
        """Parse the items of SET; an item for several columns makes several assignments."""
        items = self.item_list(self._set_item)
        return tuple(assignment for item in items for assignment in item)

    def _set_item(self) -> tuple[ast.Assignment, ...]:
        start = self.token.at
        if self.token.symbol == "(":
            return self._assign_row()
        column = self.identifier()
        subscripts = self._skip_subscripts(column)
        self.expect("=")
        value = self._value()
        return (ast.Assignment(column, value, subscripts, at=start, end=self.end),)

    def _assign_row(self) -> tuple[ast.Assignment, ...]:
        """Parse `(column, ...) = [ROW] (value, ...)`."""
        columns = self.in_parentheses(self.counted(self._column))
        self.expect("=")
        start = self.token.at
        if self.token.symbol == "(" and self._query_in_parentheses_follows():
            self.refuse_later(
                "Multi-valued Subquery Assignment expressions are not supported", start
            )
            self.query_in_parentheses()
            return ()
        explicit = self.follows("ROW", "(") and self.accept("ROW")
        if self.token.symbol != "(":
            self.expression()
            self.refuse_later(_NOT_A_ROW, start)
            return ()
        values = self.in_parentheses(self._value)
        if len(values) == 1 and not explicit:
            self.refuse_later(_NOT_A_ROW, start)
        elif len(values) != len(columns):
            raise self.failure("number of columns does not match number of values", start)
        return tuple(
            ast.Assignment(column, value, at=column.at, end=self.end)
            for column, value in zip(columns, values, strict=False)
        )
