"""Databases and statistics packages: CREATE DATABASE, ALTER DATABASE, ALTER STATISTICS, ANALYZE."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, OptionValue
from spanemu.sql.postgresql.syntax.ddl.parts import DdlPartParser
from spanemu.sql.syntax_tree import Identifier, Kind

_PREFIX = "spanner."
# The type of each option that ALTER DATABASE can set.
_OPTIONS: Mapping[str, type[int] | type[str]] = {
    "columnar_policy": str,
    "default_leader": str,
    "default_sequence_kind": str,
    "default_time_zone": str,
    "optimizer_statistics_package": str,
    "optimizer_version": int,
    "read_lease_regions": str,
    "schema_drop_protection_inactivity_period": str,
    "schema_drop_protection_usage_lowerbound": int,
    "version_retention_period": str,
}
# The options that `= NULL` resets, as DEFAULT resets all of them.
_NULLABLE = frozenset(
    {
        f"{_PREFIX}schema_drop_protection_inactivity_period",
        f"{_PREFIX}schema_drop_protection_usage_lowerbound",
    }
)
_NO_OPERATION = "Operation is not supported by <ALTER DATABASE> statement."
# The words behind SET that are no name of an option.
_SPECIAL = frozenset(
    {"TRANSACTION", "TIME", "CATALOG", "SCHEMA", "NAMES", "ROLE", "XML", "TABLESPACE"}
)


class DdlDatabaseParser(DdlPartParser):
    """The grammar of databases and statistics packages."""

    def create_database(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE DATABASE name; the caller has read the verb."""
        self.expect("DATABASE")
        name = self.identifier()
        if self.token.symbol not in (";", str(Kind.END)):
            if self.token.kind is not Kind.IDENTIFIER and self.token.symbol != "WITH":
                raise self.unexpected()
            self.refuse("Database options are not supported.")
            self.skip_rest()
        return ddl_ast.CreateDatabase(name, at=start, end=self.end)

    def alter_database(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER DATABASE name {SET option | RESET option}; the caller has read the verb."""
        self.expect("DATABASE")
        name = self.identifier()
        options: tuple[Option, ...] = ()
        if self.accept("SET"):
            options = self._set_database()
        elif self.accept("RESET"):
            options = self._reset_database()
        elif self.token.symbol in ("OWNER", "RENAME", "REFRESH", "WITH") or self._is_other():
            self.refuse("Statement is not supported.")
            self.skip_rest()
        else:
            raise self.unexpected()
        return ddl_ast.AlterDatabase(name, options, at=start, end=self.end)

    def _is_other(self) -> bool:
        """Return whether an option of PostgreSQL's ALTER DATABASE follows: a word and a value."""
        return self.token.kind is Kind.IDENTIFIER and self.peek().kind is not Kind.END

    def _set_database(self) -> tuple[Option, ...]:
        """Parse `spanner.name {TO | =} {value | DEFAULT | NULL}`."""
        start = self.token
        if start.symbol in _SPECIAL and self.peek().symbol not in ("TO", "=", "."):
            self.refuse(_NO_OPERATION)
            self.skip_rest()
            return ()
        name = self._option_name()
        if self.accept_all("FROM", "CURRENT"):
            self.refuse(_NO_OPERATION)
            return ()
        if not self.accept_any("TO", "="):
            raise self.unexpected()
        is_reset = self.accept("DEFAULT") or (name.name in _NULLABLE and self.accept("NULL"))
        return self._database_option(name, None if is_reset else self._database_value(name))

    def _reset_database(self) -> tuple[Option, ...]:
        if self.token.symbol == "ALL" or self.token.symbol in _SPECIAL:
            self.refuse(_NO_OPERATION)
            self.skip_rest()
            return ()
        return self._database_option(self._option_name(), None)

    def _option_name(self) -> Identifier:
        """Parse `spanner.name` or `"spanner.name"`."""
        first = self.identifier()
        name = first.name
        while self.accept("."):
            name = f"{name}.{self.identifier().name}"
        return Identifier(name, at=first.at, end=self.end)

    def _database_option(self, name: Identifier, value: OptionValue) -> tuple[Option, ...]:
        known = name.name.removeprefix(_PREFIX)
        if not name.name.startswith(_PREFIX) or known not in _OPTIONS:
            self.refuse(f"Database option <{name.name}> is not supported.", name.at)
            return ()
        return (Option(known, value, at=name.at, end=self.end),)

    def _database_value(self, name: Identifier) -> OptionValue:
        """Parse the value of an option: a string, a number or a word."""
        at = self.token.at
        value = self._plain_value()
        if self.token.symbol == ",":
            self.refuse("List values for options are not supported in <ALTER DATABASE> statement.")
            self.skip_rest()
        expected = _OPTIONS.get(name.name.removeprefix(_PREFIX))
        if expected is not None and type(value) is not expected:
            self.refuse("Incorrect datatype specified for option.", at)
        return value

    def _plain_value(self) -> OptionValue:
        token = self.token
        if token.kind is Kind.STRING:
            return self.string_value()
        if token.kind in (Kind.INTEGER, Kind.FLOAT) or token.symbol in ("+", "-"):
            return self.signed_number()
        return self.part().name if token.symbol in ("TRUE", "FALSE", "ON") else self._word()

    def _word(self) -> str:
        return self.function_part().name if self.token.kind is Kind.KEYWORD else self._name()

    def _name(self) -> str:
        return self.identifier().name

    # ------------------------------------------------------------------------ statistics

    def alter_statistics(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER STATISTICS spanner."package" SET OPTIONS (...)."""
        self.expect("STATISTICS")
        path = self.path()
        if not self.follows("SET", "OPTIONS"):
            if self.token.symbol not in ("SET", "RENAME", "OWNER"):
                raise self.unexpected()
            self.refuse("<ALTER STATISTICS SET STATISTICS> is not supported")
            self.skip_rest()
            return ddl_ast.AlterStatistics(path.parts[-1], (), at=start, end=self.end)
        if len(path.parts) != 2:
            message = "<ALTER STATISTICS> statement expects package name in format spanner.<name>"
            self.reject_later(message, path.at)
        elif path.parts[0].name != _PREFIX.removesuffix("."):
            message = "<ALTER STATISTICS> statement requires package name to be prefixed by"
            self.reject_later(f"{message} 'spanner'", path.at)
        self.expect_all("SET", "OPTIONS", "(")
        name = self.identifier()
        if not self.accept_any("TO", "="):
            raise self.unexpected()
        value = self._plain_value()
        self.expect(")")
        truth = value == "true" if value in ("true", "false") else value
        option = Option(name.name, truth, at=name.at, end=self.end)
        return ddl_ast.AlterStatistics(path.parts[-1], (option,), at=start, end=self.end)

    def analyze(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ANALYZE; the caller has read the verb."""
        if self.token.symbol not in (";", str(Kind.END)):
            what = "Option is" if self.token.symbol in ("(", "VERBOSE") else "Table or column is"
            self.refuse(f"{what} not supported by <ANALYZE> statement.")
            self.skip_rest()
        return ddl_ast.Analyze(at=start, end=self.end)
