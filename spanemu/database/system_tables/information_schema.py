"""The tables of INFORMATION_SCHEMA: names, columns and row functions.

The columns are Spanner's, documented or not. The rows about options, roles and privileges are here,
those about tables in `relations` and `constraints`, those about named objects in the descriptions
of their kinds (`ddl.kinds`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.base.identifiers import split_name
from spanemu.database.system_tables.constraints import (
    check_constraints,
    constraint_column_usage,
    constraint_table_usage,
    key_column_usage,
    referential_constraints,
    table_constraints,
)
from spanemu.database.system_tables.declaration import Declared, Rows, Source
from spanemu.database.system_tables.relations import (
    column_column_usage,
    columns,
    index_columns,
    index_options,
    indexes,
    schemata,
    table_synonyms,
    tables,
    views,
)
from spanemu.ddl.kinds.rows import (
    GRANT,
    NOT_GRANTABLE,
    OPTION,
    UNUSED,
    ObjectTable,
    grant_rows,
    grants_on,
    privilege_rows,
    typed,
)
from spanemu.ddl.kinds.table import KINDS
from spanemu.ddl.schema_text import shown_options
from spanemu.schema.objects import SYSTEM_ROLES
from spanemu.schema.schema import Schema


def database_options(source: Source) -> Rows:
    """Yield the rows of DATABASE_OPTIONS: the dialect, which clients check, then options."""
    yield "", "", "database_dialect", "STRING", source.schema.dialect.name
    for name, value in shown_options(source.schema):
        yield "", "", name, *typed(value)


def column_options(source: Source) -> Rows:
    """Yield the rows of COLUMN_OPTIONS: the options set; FALSE counts as unset."""
    for table in source.tables():
        home, name = split_name(table.name)
        for column in table.columns:
            for option, value in column.options.items():
                if value is not None and value is not False:
                    yield "", home, name, column.name, option, *typed(value)


def spanner_statistics(source: Source) -> Rows:
    """Yield the rows of SPANNER_STATISTICS: the packages that ANALYZE made or DDL named."""
    for name, allow_gc in source.schema.statistics.items():
        yield "", "", name, allow_gc


_BY_COLUMN = frozenset({"SELECT", "INSERT", "UPDATE"})


def roles(source: Source) -> Rows:
    """Yield the rows of ROLES: the roles of every database, then users' roles."""
    for name in SYSTEM_ROLES:
        yield name, True
    for user_role in source.schema.roles.values():
        if user_role.name not in SYSTEM_ROLES:
            yield user_role.name, False


def role_grantees(source: Source) -> Rows:
    """Yield the rows of ROLE_GRANTEES: memberships, except in public, which every role has."""
    for role in source.schema.roles.values():
        for name in role.member_of:
            yield name, role.name


def column_privileges(source: Source) -> Rows:
    """Yield the rows of COLUMN_PRIVILEGES; a privilege on a table is one on each column."""
    seen: set[tuple[Any, ...]] = set()
    for role, grant in grants_on(source.schema, "TABLE", "VIEW", "QUEUE"):
        if grant.privilege not in _BY_COLUMN:
            continue
        for column in sorted(grant.columns) or _columns(source, grant.name):
            row = "", *split_name(grant.name), column, grant.privilege, role
            if row not in seen:
                seen.add(row)
                yield row


def _columns(source: Source, name: str) -> list[str]:
    table = source.schema.table(name)
    if table is not None:
        return [column.name for column in table.columns]
    view = source.schema.view(name)
    return [] if view is None else [column for column, _ in view.columns]


def role_column_grants(source: Source) -> Rows:
    """Yield the rows of ROLE_COLUMN_GRANTS."""
    return ((*row, *NOT_GRANTABLE) for row in column_privileges(source))


SCHEMA = "INFORMATION_SCHEMA"

_CONSTRAINT = "*CONSTRAINT_CATALOG *CONSTRAINT_SCHEMA *CONSTRAINT_NAME"
_TABLE = "*TABLE_CATALOG *TABLE_SCHEMA *TABLE_NAME"
_TABLE_UNKEYED = "!TABLE_CATALOG !TABLE_SCHEMA !TABLE_NAME"


def _of_schema(rows: Callable[[Schema], Rows]) -> Callable[[Source], Rows]:
    return lambda source: rows(source.schema)


def _declared(table: ObjectTable) -> Declared:
    return Declared(SCHEMA, table.name, table.notation, _of_schema(table.rows))


_TABLE_PRIVILEGES = _of_schema(privilege_rows("TABLE", "VIEW", "QUEUE"))
_TABLE_GRANTS = _of_schema(grant_rows("TABLE", "VIEW", "QUEUE"))

_TABLES: tuple[Declared, ...] = (
    Declared(
        SCHEMA,
        "CHECK_CONSTRAINTS",
        f"{_CONSTRAINT} !CHECK_CLAUSE !SPANNER_STATE",
        check_constraints,
    ),
    Declared(
        SCHEMA,
        "COLUMNS",
        f"""{_TABLE} *COLUMN_NAME !ORDINAL_POSITION:INT64 COLUMN_DEFAULT DATA_TYPE IS_NULLABLE
        SPANNER_TYPE !IS_GENERATED !IS_HIDDEN:BOOL GENERATION_EXPRESSION IS_STORED SPANNER_STATE
        IS_IDENTITY IDENTITY_GENERATION IDENTITY_KIND IDENTITY_START_WITH_COUNTER
        IDENTITY_SKIP_RANGE_MIN IDENTITY_SKIP_RANGE_MAX ON_UPDATE_EXPRESSION""",
        columns,
    ),
    Declared(
        SCHEMA,
        "COLUMN_COLUMN_USAGE",
        f"{_TABLE} *COLUMN_NAME *DEPENDENT_COLUMN",
        column_column_usage,
    ),
    Declared(SCHEMA, "COLUMN_OPTIONS", f"{_TABLE} *COLUMN_NAME {OPTION}", column_options),
    Declared(SCHEMA, "COLUMN_PRIVILEGES", f"{_TABLE} *COLUMN_NAME {GRANT}", column_privileges),
    Declared(
        SCHEMA,
        "CONSTRAINT_COLUMN_USAGE",
        f"{_TABLE_UNKEYED} *COLUMN_NAME {_CONSTRAINT}",
        constraint_column_usage,
        key="CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME COLUMN_NAME",
    ),
    Declared(SCHEMA, "CONSTRAINT_TABLE_USAGE", f"{_TABLE} {_CONSTRAINT}", constraint_table_usage),
    Declared(SCHEMA, "DATABASE_OPTIONS", f"*CATALOG_NAME *SCHEMA_NAME {OPTION}", database_options),
    Declared(
        SCHEMA,
        "INDEXES",
        f"""{_TABLE} *INDEX_NAME *INDEX_TYPE !PARENT_TABLE_NAME !IS_UNIQUE:BOOL
        !IS_NULL_FILTERED:BOOL !INDEX_STATE:STRING(100) !SPANNER_IS_MANAGED:BOOL FILTER
        SEARCH_PARTITION_BY:STRINGS SEARCH_ORDER_BY:STRINGS""",
        indexes,
    ),
    Declared(
        SCHEMA,
        "INDEX_COLUMNS",
        f"""{_TABLE} *INDEX_NAME *INDEX_TYPE *COLUMN_NAME ORDINAL_POSITION:INT64 COLUMN_ORDERING
        IS_NULLABLE SPANNER_TYPE""",
        index_columns,
    ),
    Declared(SCHEMA, "INDEX_OPTIONS", f"{_TABLE} *INDEX_NAME *INDEX_TYPE {OPTION}", index_options),
    Declared(
        SCHEMA,
        "KEY_COLUMN_USAGE",
        f"""{_CONSTRAINT} {_TABLE_UNKEYED} *COLUMN_NAME !ORDINAL_POSITION:INT64
        POSITION_IN_UNIQUE_CONSTRAINT:INT64""",
        key_column_usage,
    ),
    Declared(
        SCHEMA,
        "REFERENTIAL_CONSTRAINTS",
        f"""{_CONSTRAINT} UNIQUE_CONSTRAINT_CATALOG UNIQUE_CONSTRAINT_SCHEMA UNIQUE_CONSTRAINT_NAME
        !MATCH_OPTION !UPDATE_RULE !DELETE_RULE !SPANNER_STATE""",
        referential_constraints,
    ),
    Declared(SCHEMA, "ROLES", "*ROLE_NAME !IS_SYSTEM:BOOL", roles),
    Declared(
        SCHEMA,
        "ROLE_COLUMN_GRANTS",
        f"{_TABLE} *COLUMN_NAME {GRANT} {UNUSED}",
        role_column_grants,
    ),
    Declared(SCHEMA, "ROLE_GRANTEES", "*ROLE_NAME *GRANTEE", role_grantees),
    Declared(
        SCHEMA,
        "ROLE_TABLE_GRANTS",
        f"{_TABLE} {GRANT} {UNUSED}",
        _TABLE_GRANTS,
    ),
    Declared(
        SCHEMA,
        "SCHEMATA",
        "*CATALOG_NAME *SCHEMA_NAME EFFECTIVE_TIMESTAMP:INT64 SCHEMA_OWNER PROTO_BUNDLE:BYTES",
        schemata,
    ),
    Declared(
        SCHEMA,
        "SPANNER_STATISTICS",
        "*CATALOG_NAME *SCHEMA_NAME *PACKAGE_NAME !ALLOW_GC:BOOL",
        spanner_statistics,
    ),
    Declared(
        SCHEMA,
        "TABLES",
        f"""{_TABLE} PARENT_TABLE_NAME ON_DELETE_ACTION !TABLE_TYPE:STRING(32) SPANNER_STATE
        INTERLEAVE_TYPE ROW_DELETION_POLICY_EXPRESSION""",
        tables,
    ),
    Declared(
        SCHEMA,
        "TABLE_CONSTRAINTS",
        f"""{_CONSTRAINT} {_TABLE_UNKEYED} !CONSTRAINT_TYPE !IS_DEFERRABLE !INITIALLY_DEFERRED
        !ENFORCED""",
        table_constraints,
    ),
    Declared(
        SCHEMA,
        "TABLE_PRIVILEGES",
        f"{_TABLE} {GRANT}",
        _TABLE_PRIVILEGES,
    ),
    Declared(
        SCHEMA,
        "TABLE_SYNONYMS",
        f"{_TABLE} *SYNONYM_CATALOG *SYNONYM_SCHEMA *SYNONYM_TABLE_NAME",
        table_synonyms,
    ),
    Declared(SCHEMA, "VIEWS", f"{_TABLE} VIEW_DEFINITION !SECURITY_TYPE", views),
)
INFORMATION_SCHEMA: tuple[Declared, ...] = tuple(
    sorted(
        (*_TABLES, *(_declared(table) for kind in KINDS for table in kind.tables)),
        key=lambda table: table.name,
    )
)
