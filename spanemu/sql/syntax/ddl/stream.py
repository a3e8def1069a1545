"""Sequences and change streams."""

from __future__ import annotations

from spanemu.sql.syntax import ddl_ast
from spanemu.sql.syntax.ddl.parts import DdlPartParser


class DdlStreamParser(DdlPartParser):
    """The chapter on sequences and change streams."""

    # ------------------------------------------------------------------------ sequences

    def create_sequence(self, start: int) -> ddl_ast.CreateSequence:
        """CREATE SEQUENCE: the verb has been read."""
        self.expect("SEQUENCE")
        if_not_exists = self.if_not_exists()
        name = self.path()
        clauses = self.sequence_clauses()
        options = self.options()
        return ddl_ast.CreateSequence(name, clauses, options, if_not_exists, at=start, end=self.end)

    def alter_sequence(self, start: int) -> ddl_ast.AlterSequence:
        """ALTER SEQUENCE: the verb has been read."""
        self.expect("SEQUENCE")
        if_exists = self.if_exists()
        name = self.path()
        clauses = self.sequence_clauses()
        options = None
        if clauses.is_empty:
            self.expect("SET", "SKIP", "NO", "RESTART")
            options = self.required_options()
        return ddl_ast.AlterSequence(name, clauses, options, if_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ change streams

    def create_change_stream(self, start: int) -> ddl_ast.CreateChangeStream:
        """CREATE CHANGE STREAM: the verb has been read."""
        self.expect_all("CHANGE", "STREAM")
        if_not_exists = self.if_not_exists()
        name = self.path()
        watches = self._for() if self.token.symbol == "FOR" else None
        options = self.options()
        return ddl_ast.CreateChangeStream(
            name, watches, options, if_not_exists, at=start, end=self.end
        )

    def alter_change_stream(self, start: int) -> ddl_ast.AlterChangeStream:
        """ALTER CHANGE STREAM name {SET FOR ... | SET OPTIONS | DROP FOR ALL}."""
        self.expect_all("CHANGE", "STREAM")
        name = self.path()
        watches = options = None
        drop_for_all = self.accept("DROP")
        if drop_for_all:
            self.expect_all("FOR", "ALL")
        else:
            self.expect("SET", "DROP")
            if self.token.symbol == "FOR":
                watches = self._for()
            else:
                options = self.required_options()
        return ddl_ast.AlterChangeStream(
            name, watches, drop_for_all, options, at=start, end=self.end
        )

    def _for(self) -> ddl_ast.ChangeStreamFor:
        """FOR {ALL | table, ...}."""
        start = self.token.at
        self.expect("FOR")
        if self.accept("ALL"):
            return ddl_ast.ChangeStreamFor(all=True, at=start, end=self.end)
        tables = self.comma_separated(self._watched_table)
        return ddl_ast.ChangeStreamFor(tables=tables, at=start, end=self.end)

    def _watched_table(self) -> ddl_ast.WatchedTable:
        start = self.token.at
        table = self.path()
        columns = self.columns_in_parentheses() if self.token.symbol == "(" else None
        return ddl_ast.WatchedTable(table, columns, at=start, end=self.end)
