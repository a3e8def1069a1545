"""The SQL that row factories send, in the dialect of the database.

    GoogleSQL      INSERT INTO `T` (`a`) VALUES (@p1) THEN RETURN `T`.`a`
    PostgreSQL     INSERT INTO "t" ("a") VALUES ($1) RETURNING "t"."a"

Query parameters are named p1, p2, ... in both dialects.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from google.cloud.spanner_v1 import Type, TypeAnnotationCode, TypeCode

from pytest_spanemu.setting_values import Dialect


class RowSql(ABC):
    """The forms of names, parameters, casts and statements in a dialect."""

    now: str
    returning: str
    quote: str
    sequence_state: str  # format string of a quoted name
    identity_state: str  # format string of a name
    annotations: Mapping[str, Any] = MappingProxyType({})  # of types, by GoogleSQL's name

    def quoted(self, name: str) -> str:
        """Return the name of a table or column in quotes; a dot separates a schema."""
        return ".".join(f"{self.quote}{part}{self.quote}" for part in name.split("."))

    @abstractmethod
    def parameter(self, name: str) -> str:
        """Return the expression for the query parameter `name`."""

    @abstractmethod
    def cast(self, expression: str, declared: str) -> str:
        """Return an expression converted to the declared type of a column."""

    @abstractmethod
    def all_hold(self, checks: Iterable[str]) -> str:
        """Return the condition that no check is false."""

    def type_of(self, type_: str) -> Any:
        """Return the type of a query parameter for a column of GoogleSQL's type `type_`."""
        if type_.startswith("ARRAY<"):
            return Type(code=TypeCode.ARRAY, array_element_type=self.type_of(type_[6:-1]))
        name = type_.partition("(")[0]
        return Type(code=TypeCode[name], type_annotation=self.annotations.get(name, 0))


class _GoogleSql(RowSql):
    now = "CURRENT_TIMESTAMP()"
    returning = "THEN RETURN"
    quote = "`"
    sequence_state = "GET_INTERNAL_SEQUENCE_STATE(SEQUENCE {quoted})"
    identity_state = "GET_TABLE_COLUMN_IDENTITY_STATE('{name}')"

    def parameter(self, name: str) -> str:
        return f"@{name}"

    def cast(self, expression: str, declared: str) -> str:
        type_ = declared  # CAST accepts no length.
        if "(" in type_:
            type_ = type_.partition("(")[0] + type_.rpartition(")")[2]
        return f"CAST({expression} AS {type_})"

    def all_hold(self, checks: Iterable[str]) -> str:
        return " AND ".join(f"IFNULL({check}, TRUE)" for check in checks)


class _PostgreSql(RowSql):
    now = "CURRENT_TIMESTAMP"
    returning = "RETURNING"
    quote = '"'
    annotations = MappingProxyType(
        {"NUMERIC": TypeAnnotationCode.PG_NUMERIC, "JSON": TypeAnnotationCode.PG_JSONB}
    )
    sequence_state = "spanner.get_internal_sequence_state('{quoted}')"
    identity_state = "spanner.get_table_column_identity_state('{name}')"

    def parameter(self, name: str) -> str:
        return f"${name.removeprefix('p')}"

    def cast(self, expression: str, declared: str) -> str:
        type_ = re.sub(r"\(\d+\)", "", declared)  # A cast would cut the value.
        type_ = type_.replace("spanner.commit_timestamp", "timestamp with time zone")
        return f"CAST({expression} AS {type_})"

    def all_hold(self, checks: Iterable[str]) -> str:
        return " AND ".join(f"COALESCE({check}, TRUE)" for check in checks)


_ROW_SQL: Mapping[Dialect, RowSql] = {
    Dialect.GOOGLESQL: _GoogleSql(),
    Dialect.POSTGRESQL: _PostgreSql(),
}


def row_sql_of(dialect: Dialect) -> RowSql:
    """Return the SQL forms of a dialect."""
    return _ROW_SQL[dialect]
