"""The tables of information_schema: names, columns and row functions.

The columns are PostgreSQL's in PostgreSQL's order, then Spanner's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.database.system_tables.constraints import constraint_table_usage
from spanemu.database.system_tables.declaration import Declared, Rows, Source
from spanemu.database.system_tables.postgresql import objects
from spanemu.database.system_tables.postgresql.declaration import (
    YES_NO,
    declared,
    home_and_name,
    projected,
    with_named_rows,
)
from spanemu.database.system_tables.relations import COMMITTED, TypeTexts, identity_facts
from spanemu.schema.table import Column
from spanemu.values.types import FLOAT32, FLOAT64, INT64, PG_NUMERIC, STRING, Type

SCHEMA = "information_schema"

_STREAM = "change_stream_catalog change_stream_schema change_stream_name"
_TABLE = "table_catalog table_schema table_name"
_CONSTRAINT = "constraint_catalog constraint_schema constraint_name"
_OPTION = "option_name option_type option_value"
_SPECIFIC = "specific_catalog specific_schema specific_name"
_ROUTINE = f"{_SPECIFIC} routine_catalog routine_schema routine_name"

# The types of parameters and of results of functions, in PostgreSQL's order.
_TYPE = """data_type {0}character_maximum_length:bigint {0}character_octet_length:bigint
    {0}character_set_catalog {0}character_set_schema {0}character_set_name {0}collation_catalog
    {0}collation_schema {0}collation_name {0}numeric_precision:bigint
    {0}numeric_precision_radix:bigint {0}numeric_scale:bigint {0}datetime_precision:bigint
    {0}interval_type {0}interval_precision:bigint {1}udt_catalog {1}udt_schema {1}udt_name
    {0}scope_catalog {0}scope_schema {0}scope_name {0}maximum_cardinality:bigint
    {0}dtd_identifier"""
_RESULT_CAST = (
    _TYPE.format("result_cast_", "result_cast_type_")
    .replace("data_type ", "result_cast_from_data_type result_cast_as_locator ", 1)
    .replace("character_maximum", "char_max")
    .replace("character_", "char_")
)


_COLUMNS = """table_catalog table_schema table_name column_name ordinal_position:bigint
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


class _Numbers(NamedTuple):
    """The precision of a type of numbers, its radix and its scale."""

    precision: int | None = None
    radix: int | None = None
    scale: int | None = None


_NUMBERS: dict[Type, _Numbers] = {
    INT64: _Numbers(64, 2, 0),
    FLOAT64: _Numbers(53, 2),
    FLOAT32: _Numbers(24, 2),
    PG_NUMERIC: _Numbers(radix=10),
}
_NO_NUMBERS = _Numbers()


def _columns(source: Source) -> Rows:
    """Yield the columns of tables, then of views."""
    rows = _ColumnRows(source)
    for table in source.tables():
        yield from rows.of(home_and_name(table.name), table.columns, COMMITTED)
    for view in source.views():
        view_columns = [Column(name, type_) for name, type_ in view.columns]
        yield from rows.of(home_and_name(view.name), view_columns, COMMITTED)


def system_columns(tables: Sequence[Declared], source: Source) -> Rows:
    """Yield the columns of the tables that the database computes."""
    rows = _ColumnRows(source)
    for table in tables:
        table_columns = [Column(column.name, column.type) for column in table.columns]
        yield from rows.of((table.schema, table.name), table_columns, None)


class _ColumnRows:
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


def _table(name: str, notation: str, rows: Callable[[Source], Rows]) -> Declared:
    return declared(SCHEMA, name, notation, rows)


def _privileges(name: str, place: str, more: str = "", **fixed: Any) -> Declared:
    """Return a table of privileges on the objects that the columns `place` name."""
    notation = f"grantor grantee {place} privilege_type is_grantable {more}"
    return projected(name, notation, grantor=None, is_grantable="NO", **fixed)


_SPECIFIC_ROUTINE = {
    "routine_catalog": "SPECIFIC_CATALOG",
    "routine_schema": "SPECIFIC_SCHEMA",
    "routine_name": "SPECIFIC_NAME",
}

INFORMATION_SCHEMA: tuple[Declared, ...] = (
    projected(
        "applicable_roles", "grantee role_name is_grantable", "ROLE_GRANTEES", is_grantable="NO"
    ),
    projected("change_stream_columns", f"{_STREAM} {_TABLE} column_name"),
    projected("change_stream_options", f"{_STREAM} {_OPTION}"),
    _privileges("change_stream_privileges", _STREAM),
    projected("change_stream_tables", f"{_STREAM} {_TABLE} all_columns"),
    projected("change_streams", f"{_STREAM} all"),
    projected("check_constraints", f"{_CONSTRAINT} check_clause spanner_state"),
    projected("column_column_usage", f"{_TABLE} column_name dependent_column"),
    projected("column_options", f"{_TABLE} column_name option_name option_value option_type"),
    _privileges("column_privileges", f"{_TABLE} column_name"),
    _table("columns", _COLUMNS, _columns),
    projected("constraint_column_usage", f"{_TABLE} column_name {_CONSTRAINT}"),
    projected(
        "constraint_table_usage",
        f"{_TABLE} {_CONSTRAINT}",
        rows=partial(constraint_table_usage, with_checks=False),
    ),
    projected("database_options", f"catalog_name schema_name {_OPTION}"),
    projected(
        "enabled_roles", "role_name spanner_is_system", "ROLES", spanner_is_system="IS_SYSTEM"
    ),
    projected(
        "index_columns",
        f"""{_TABLE} index_name index_type column_name ordinal_position:bigint column_ordering
        is_nullable spanner_type""",
    ),
    projected("index_options", f"{_TABLE} index_name index_type {_OPTION}"),
    projected(
        "indexes",
        f"""{_TABLE} index_name index_type parent_table_name is_unique is_null_filtered
        index_state spanner_is_managed filter search_partition_by:[] search_order_by:[]""",
    ),
    _table("information_schema_catalog_name", "catalog_name", objects.catalog_name),
    projected(
        "key_column_usage",
        f"""{_CONSTRAINT} {_TABLE} column_name ordinal_position:bigint
        position_in_unique_constraint:bigint""",
    ),
    _table(
        "locality_group_options",
        "locality_group_name option_name option_value",
        objects.locality_group_options,
    ),
    with_named_rows(
        SCHEMA,
        "parameters",
        f"""{_SPECIFIC} ordinal_position:bigint parameter_mode is_result as_locator parameter_name
        {_TYPE.format("", "")} parameter_default spanner_type""",
        objects.parameters,
    ),
    projected("placement_options", f"placement_name {_OPTION}"),
    projected("placements", "placement_name is_default"),
    projected(
        "referential_constraints",
        f"""{_CONSTRAINT} unique_constraint_catalog unique_constraint_schema
        unique_constraint_name match_option update_rule delete_rule spanner_state""",
        match_option="NONE",
    ),
    _privileges("role_change_stream_grants", _STREAM),
    _privileges("role_column_grants", f"{_TABLE} column_name"),
    _privileges("role_routine_grants", _ROUTINE, **_SPECIFIC_ROUTINE),
    _privileges("role_table_grants", _TABLE, "with_hierarchy"),
    projected("routine_options", f"{_SPECIFIC} {_OPTION}"),
    _privileges("routine_privileges", _ROUTINE, **_SPECIFIC_ROUTINE),
    with_named_rows(
        SCHEMA,
        "routines",
        f"""{_ROUTINE} routine_type module_catalog module_schema module_name udt_catalog udt_schema
        udt_name {_TYPE.format("", "type_")} routine_body routine_definition external_name
        external_language parameter_style is_deterministic sql_data_access is_null_call sql_path
        schema_level_routine max_dynamic_result_sets is_user_defined_cast is_implicitly_invocable
        security_type to_sql_specific_catalog to_sql_specific_schema to_sql_specific_name
        as_locator created:timestamptz last_altered:timestamptz new_savepoint_level
        is_udt_dependent {_RESULT_CAST} spanner_type spanner_determinism""",
        objects.routines,
    ),
    _table(
        "schemata",
        """catalog_name schema_name schema_owner default_character_set_catalog
        default_character_set_schema default_character_set_name sql_path
        effective_timestamp:bigint""",
        objects.schemata,
    ),
    _table(
        "sequences",
        """sequence_catalog sequence_schema sequence_name data_type numeric_precision:bigint
        numeric_precision_radix:bigint numeric_scale:bigint start_value:bigint minimum_value:bigint
        maximum_value:bigint increment:bigint cycle_option sequence_kind
        counter_start_value:bigint skip_range_min:bigint skip_range_max:bigint""",
        objects.sequences,
    ),
    projected("spanner_statistics", "catalog_name schema_name package_name allow_gc"),
    projected(
        "table_constraints",
        f"{_CONSTRAINT} {_TABLE} constraint_type is_deferrable initially_deferred enforced",
    ),
    _privileges("table_privileges", _TABLE, "with_hierarchy"),
    projected(
        "table_synonyms",
        "catalog schema table_name synonym_catalog synonym_schema synonym_table_name",
        catalog="TABLE_CATALOG",
        schema="TABLE_SCHEMA",
    ),
    projected(
        "tables",
        f"""{_TABLE} table_type self_referencing_column_name reference_generation
        user_defined_type_catalog user_defined_type_schema user_defined_type_name
        is_insertable_into is_typed commit_action parent_table_name on_delete_action spanner_state
        interleave_type row_deletion_policy_expression""",
    ),
    projected(
        "views",
        f"""{_TABLE} view_definition check_option is_updatable is_insertable_into
        is_trigger_updatable is_trigger_deletable is_trigger_insertable_into security_type""",
    ),
)
