"""Views, schemas, sequences, change streams, placements and locality groups."""

from __future__ import annotations

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, OptionValue
from spanemu.sql.postgresql.syntax.ddl.parts import Setting
from spanemu.sql.postgresql.syntax.ddl.sequence import DdlSequenceParser
from spanemu.sql.syntax_tree import Identifier, Path

_STREAM_TEXTS = ("value_capture_type", "retention_period", "partition_mode")
_STREAM_TRUTHS = (
    "exclude_insert",
    "exclude_update",
    "exclude_delete",
    "exclude_ttl_deletes",
    "allow_txn_exclusion",
)


class DdlObjectParser(DdlSequenceParser):
    """The grammar of views, schemas and sequences."""

    # ------------------------------------------------------------------------ views

    def create_view(self, start: int, or_replace: bool) -> ddl_ast.DdlStatement:
        """Parse CREATE [OR REPLACE] VIEW; the caller has read the words before VIEW."""
        self.expect("VIEW")
        name = self.object_name()
        if self.token.symbol == "(":
            self.refuse("Setting column names in <CREATE VIEW> statement is not supported.")
            self.column_names()
        security = self._view_options() or "INVOKER"
        security = self._security() or security
        self.expect("AS")
        query = self.sql_query()
        if getattr(query.tree, "for_update", False):
            self.reject_later("Statements with ROW MARK clauses are not supported", query.at)
        if self.accept("WITH"):
            self.refuse_clause("CHECK OPTION")
            self.accept_any("CASCADED", "LOCAL")
            self.expect_all("CHECK", "OPTION")
        return ddl_ast.CreateView(name, query, security, or_replace, at=start, end=self.end)

    def _view_options(self) -> str | None:
        """Parse [WITH (security_invoker [= true])]; return the security that it chooses."""
        if not self.accept("WITH"):
            return None
        security = None
        for setting in self.settings():
            if setting.name == "security_invoker":
                chosen = not setting.has_value or self.truth_value(setting, "view")
                security = "INVOKER" if chosen else "DEFINER"
            else:
                message = f"<{setting.name}> option is not supported in <WITH> clause of"
                self.refuse(f"{message} <CREATE VIEW> statement.", setting.at)
        return security

    def _security(self) -> str | None:
        """Parse [[SQL] SECURITY {INVOKER | DEFINER}]."""
        if self.accept("SQL") and self.token.symbol != "SECURITY":
            raise self.unexpected()
        if not self.accept("SECURITY"):
            return None
        word = self.accept_any("INVOKER", "DEFINER")
        if not word:
            raise self.unexpected()
        return word

    # ------------------------------------------------------------------------ schemas

    def create_schema(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE SCHEMA [IF NOT EXISTS] name; the caller has read the verb."""
        self.expect("SCHEMA")
        if_not_exists = self.if_not_exists()
        if self.accept("AUTHORIZATION"):
            return self._authorized(start)
        name = self.identifier()
        for prefix in ("pg_", "spanner_"):
            if name.name.startswith(prefix):
                message = f"'{prefix}' is not supported as a prefix for a schema name."
                self.reject_later(message, name.at)
        if self.accept("AUTHORIZATION"):
            return self._authorized(start)
        if self.token.symbol in ("CREATE", "GRANT"):
            self.refuse("Schema elements are not supported in <CREATE SCHEMA> statement.")
            self.skip_rest()
        path = Path((name,), at=name.at, end=name.end)
        return ddl_ast.CreateSchema(path, if_not_exists, at=start, end=self.end)

    def _authorized(self, start: int) -> ddl_ast.DdlStatement:
        self.refuse("Authorized roles are not supported in <CREATE SCHEMA> statement.")
        role = self.part()
        path = Path((role,), at=role.at, end=role.end)
        self.skip_rest()
        return ddl_ast.CreateSchema(path, at=start, end=self.end)

    # ------------------------------------------------------------------------ sequences

    def create_sequence(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE SEQUENCE; the caller has read the verb and TEMP."""
        self.expect("SEQUENCE")
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        clauses = self.sequence_clauses("CREATE SEQUENCE")
        return ddl_ast.CreateSequence(
            name, clauses, if_not_exists=if_not_exists, at=start, end=self.end
        )

    def alter_sequence(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER SEQUENCE [IF EXISTS] name clauses; the caller has read the verb."""
        self.expect("SEQUENCE")
        if_exists = self.if_exists()
        name = self.object_name()
        if self.token.symbol in ("RENAME", "OWNER", "SET", "ALTER"):
            self.refuse("Statement is not supported.")
            self.skip_rest()
            return ddl_ast.AlterSequence(name, at=start, end=self.end)
        clauses = self.sequence_clauses("ALTER SEQUENCE", required=True)
        return ddl_ast.AlterSequence(name, clauses, if_exists=if_exists, at=start, end=self.end)


class DdlStreamParser(DdlObjectParser):
    """The grammar of change streams, placements and locality groups."""

    # ------------------------------------------------------------------------ change streams

    def create_change_stream(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE CHANGE STREAM; the caller has read the verb."""
        self.expect_all("CHANGE", "STREAM")
        if_not_exists = self.if_not_exists()
        name = self.default_schema_name()
        watches = self._watched() if self.token.symbol == "FOR" else None
        options = self._stream_options() if self.accept("WITH") else None
        return ddl_ast.CreateChangeStream(
            name, watches, options, if_not_exists, at=start, end=self.end
        )

    def alter_change_stream(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER CHANGE STREAM name {SET ... | DROP FOR ALL | RESET (...)}."""
        self.expect_all("CHANGE", "STREAM")
        name = self.default_schema_name()
        if self.accept("RESET"):
            options = self.in_parentheses(self._reset_option)
            return ddl_ast.AlterChangeStream(name, options=options, at=start, end=self.end)
        if self.accept("DROP"):
            if self._watched().tables:
                self.reject_later("Only DROP FOR ALL is supported for now.")
            return ddl_ast.AlterChangeStream(name, drop_for_all=True, at=start, end=self.end)
        self.expect("SET")
        if self.token.symbol == "FOR":
            return ddl_ast.AlterChangeStream(name, self._watched(), at=start, end=self.end)
        options = self._stream_options()
        return ddl_ast.AlterChangeStream(name, options=options, at=start, end=self.end)

    def _watched(self) -> ddl_ast.ChangeStreamFor:
        """Parse FOR {ALL | table [(columns)], ...}."""
        start = self.expect("FOR").at
        if self.accept("ALL"):
            return ddl_ast.ChangeStreamFor(all=True, at=start, end=self.end)
        tables = self.item_list(self._watched_table)
        return ddl_ast.ChangeStreamFor(tables=tables, at=start, end=self.end)

    def _watched_table(self) -> ddl_ast.WatchedTable:
        start = self.token.at
        table = self.object_name()
        columns: tuple[Identifier, ...] | None = None
        if self.token.symbol == "(":
            columns = () if self.accept_all("(", ")") else self.column_names()
        return ddl_ast.WatchedTable(table, columns, at=start, end=self.end)

    def _stream_options(self) -> tuple[Option, ...]:
        settings = self.unique_settings("change stream")
        return tuple(self.option(setting, self._stream_value(setting)) for setting in settings)

    def _stream_value(self, setting: Setting) -> OptionValue:
        if setting.name in _STREAM_TRUTHS:
            return self.truth_value(setting, "change stream")
        if setting.name not in _STREAM_TEXTS:
            message = f"Invalid change stream option '{setting.name}'"
            self.reject_later(f"{message} in <{self.statement}> statement.", setting.at)
        elif not isinstance(setting.value, str):
            self.bad_value(setting)
        elif setting.value.lower() != "null":
            return setting.value
        return None

    def _reset_option(self) -> Option:
        name = self.identifier()
        if name.name not in (*_STREAM_TEXTS, *_STREAM_TRUTHS):
            message = "Invalid change stream option in <ALTER CHANGE STREAM> statement."
            self.reject_later(message, name.at)
        return Option(name.name, None, at=name.at, end=name.end)

    # ------------------------------------------------------------------------ placements

    def create_placement(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE PLACEMENT name WITH (...); the caller has read the verb."""
        self.expect("PLACEMENT")
        if_not_exists = self.if_not_exists()
        name = self.default_schema_name()
        options = None
        if self.accept("WITH"):
            settings = self.unique_settings("placement")
            options = tuple(self.option(setting, _text(setting.value)) for setting in settings)
        return ddl_ast.CreatePlacement(name, options, if_not_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ locality groups

    def create_locality_group(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE LOCALITY GROUP name [storage]; the caller has read the verb."""
        self.expect_all("LOCALITY", "GROUP")
        if_not_exists = self.if_not_exists()
        name = self._group_name()
        options = self._storage()
        return ddl_ast.CreateLocalityGroup(
            name, options or None, if_not_exists, at=start, end=self.end
        )

    def alter_locality_group(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER LOCALITY GROUP name storage; the caller has read the verb."""
        self.expect_all("LOCALITY", "GROUP")
        if_exists = self.if_exists()
        name = self._group_name()
        options = self._storage()
        if not options:
            self.refuse(
                "At least one of STORAGE or SSD_TO_HDD_SPILL_TIMESPAN must be specified in <ALTER "
                "LOCALITY GROUP> statement."
            )
        return ddl_ast.AlterLocalityGroup(name, options, if_exists, at=start, end=self.end)

    def _group_name(self) -> Path:
        """Parse the name of a locality group; `default` is a group that always exists."""
        if self.token.symbol != "DEFAULT":
            return self.default_schema_name()
        word = self.part()
        return Path((word,), at=word.at, end=word.end)

    def _storage(self) -> tuple[Option, ...]:
        """Parse [STORAGE 'ssd' | 'hdd'] [[,] SSD_TO_HDD_SPILL_TIMESPAN 'duration']."""
        options: list[Option] = []
        for word in ("STORAGE", "SSD_TO_HDD_SPILL_TIMESPAN"):
            start = self.token.at
            if options and self.follows(",", word):  # as the page of the statement has it
                self.advance()
            if self.accept(word):
                value = None if self.accept("NULL") else self.string_value()
                options.append(Option(word.lower(), value, at=start, end=self.end))
        return tuple(options)

    def drop_locality_group(self, start: int, if_exists: bool) -> ddl_ast.DdlStatement:
        """Parse the name behind DROP LOCALITY GROUP [IF EXISTS]."""
        return ddl_ast.DropLocalityGroup(self._group_name(), if_exists, at=start, end=self.end)


def _text(value: str | float | None) -> str | int | float | None:
    """Return the value of an option that may be the word null."""
    return None if value == "null" else value
