"""The rows of information_schema.columns: the columns of tables and views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.database.system_tables.postgresql.declaration import YES_NO, home_and_name
from spanemu.database.system_tables.relations import COMMITTED, TypeTexts, identity_facts
from spanemu.schema.table import Column
from spanemu.values.types import FLOAT32, FLOAT64, INT64, PG_NUMERIC, STRING, Type

Rows = Iterator[tuple[Any, ...]]

NOTATION = """table_catalog table_schema table_name column_name ordinal_position:bigint
    column_default is_nullable data_type character_maximum_length:bigint
    character_octet_length:bigint numeric_precision:bigint numeric_precision_radix:bigint
    numeric_scale:bigint datetime_precision:bigint interval_type interval_precision:bigint
    character_set_catalog character_set_schema character_set_name collation_catalog
    collation_schema collation_name domain_catalog domain_schema domain_name udt_catalog udt_schema
    udt_name scope_catalog scope_schema scope_name maximum_cardinality:bigint dtd_identifier
    is_self_referencing is_identity identity_generation identity_start identity_increment
    identity_maximum identity_minimum identity_cycle identity_kind identity_start_with_counter
    identity_skip_range_min identity_skip_range_max is_generated generation_expression is_updatable
    spanner_type is_stored spanner_state is_hidden on_update_expression"""

_AFTER_NUMBERS = (None,) * 21  # datetime_precision to is_self_referencing
_UNUSED_IDENTITY = (None,) * 5  # identity_start to identity_cycle


class Numbers(NamedTuple):
    """The precision of a type of numbers, its radix and its scale."""

    precision: int | None = None
    radix: int | None = None
    scale: int | None = None


_NUMBERS: dict[Type, Numbers] = {
    INT64: Numbers(64, 2, 0),
    FLOAT64: Numbers(53, 2),
    FLOAT32: Numbers(24, 2),
    PG_NUMERIC: Numbers(radix=10),
}
_NO_NUMBERS = Numbers()


def columns(source: Source) -> Rows:
    """Yield the columns of tables, then of views."""
    rows = _Rows(source)
    for table in source.tables():
        yield from rows.of(home_and_name(table.name), table.columns, COMMITTED)
    for view in source.views():
        view_columns = [Column(name, type_) for name, type_ in view.columns]
        yield from rows.of(home_and_name(view.name), view_columns, COMMITTED)


def system_columns(tables: Sequence[Declared], source: Source) -> Rows:
    """Yield the columns of the tables that the database computes."""
    rows = _Rows(source)
    for table in tables:
        table_columns = [Column(column.name, column.type) for column in table.columns]
        yield from rows.of((table.schema, table.name), table_columns, None)


class _Rows:
    """The rows of the columns of relations of a database."""

    def __init__(self, source: Source) -> None:
        self._database = source.core.database_id
        self._types = TypeTexts(source.schema)

    def of(self, relation: tuple[str, str], columns: Sequence[Column], state: str | None) -> Rows:
        """Yield the rows of the columns of the relation (schema, name)."""
        for position, column in enumerate(columns, 1):
            yield (
                self._database, *relation, column.name, position, *self._described(column), state,
                YES_NO[column.hidden], column.on_update,
            )  # fmt: skip

    def _described(self, column: Column) -> tuple[Any, ...]:
        """Return column_default to is_stored."""
        type_ = column.type
        return (
            column.default,
            YES_NO[not column.not_null],
            self._data_type(column),
            column.length if type_ == STRING else None,
            None,
            *_NUMBERS.get(type_, _NO_NUMBERS),
            *_AFTER_NUMBERS,
            *_identity(column),
            "NEVER" if column.generated is None else "ALWAYS",
            column.generated,
            None,
            self._types.of(column),
            None if column.generated is None else YES_NO[column.stored],
        )

    def _data_type(self, column: Column) -> str:
        if column.type.is_array:
            return "ARRAY"
        if column.length is None:
            return self._types.of(column)
        return self._types.of(Column(column.name, column.type))


def _identity(column: Column) -> tuple[str | None, ...]:
    """Return is_identity to identity_skip_range_max."""
    is_identity, generation, *details = identity_facts(column.identity)
    return is_identity, generation, *_UNUSED_IDENTITY, *details
