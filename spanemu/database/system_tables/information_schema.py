"""The tables of INFORMATION_SCHEMA: names, columns and row functions.

The columns are Spanner's, documented or not.
"""

from __future__ import annotations

from spanemu.database.system_tables.constraints import (
    check_constraints,
    constraint_column_usage,
    constraint_table_usage,
    key_column_usage,
    referential_constraints,
    table_constraints,
)
from spanemu.database.system_tables.declaration import Declared
from spanemu.database.system_tables.indexes import index_columns, indexes
from spanemu.database.system_tables.objects import (
    change_stream_columns,
    change_stream_options,
    change_stream_tables,
    change_streams,
    column_options,
    database_options,
    locality_group_options,
    model_column_options,
    model_columns,
    model_options,
    models,
    parameters,
    placement_options,
    placements,
    property_graphs,
    routine_options,
    routines,
    sequence_options,
    sequences,
    spanner_statistics,
)
from spanemu.database.system_tables.privileges import (
    change_stream_privileges,
    column_privileges,
    model_privileges,
    role_change_stream_grants,
    role_column_grants,
    role_grantees,
    role_model_grants,
    role_routine_grants,
    role_table_grants,
    roles,
    routine_privileges,
    table_privileges,
)
from spanemu.database.system_tables.relations import (
    column_column_usage,
    columns,
    schemata,
    table_synonyms,
    tables,
    views,
)

SCHEMA = "INFORMATION_SCHEMA"

_OPTION = "*OPTION_NAME !OPTION_TYPE !OPTION_VALUE"
_GRANT = "*PRIVILEGE_TYPE *GRANTEE"
_UNUSED = "GRANTOR IS_GRANTABLE"  # columns that are always NULL and 'NO'
_CHANGE_STREAM = "*CHANGE_STREAM_CATALOG *CHANGE_STREAM_SCHEMA *CHANGE_STREAM_NAME"
_CONSTRAINT = "*CONSTRAINT_CATALOG *CONSTRAINT_SCHEMA *CONSTRAINT_NAME"
_MODEL = "*MODEL_CATALOG *MODEL_SCHEMA *MODEL_NAME"
_ROUTINE = "*SPECIFIC_CATALOG *SPECIFIC_SCHEMA *SPECIFIC_NAME"
_SEQUENCE = "*CATALOG *SCHEMA *NAME"
_TABLE = "*TABLE_CATALOG *TABLE_SCHEMA *TABLE_NAME"
_TABLE_UNKEYED = "!TABLE_CATALOG !TABLE_SCHEMA !TABLE_NAME"

INFORMATION_SCHEMA: tuple[Declared, ...] = (
    Declared(SCHEMA, "CHANGE_STREAMS", f"{_CHANGE_STREAM} !ALL:BOOL", change_streams),
    Declared(
        SCHEMA,
        "CHANGE_STREAM_COLUMNS",
        f"{_CHANGE_STREAM} {_TABLE} *COLUMN_NAME",
        change_stream_columns,
    ),
    Declared(SCHEMA, "CHANGE_STREAM_OPTIONS", f"{_CHANGE_STREAM} {_OPTION}", change_stream_options),
    Declared(
        SCHEMA, "CHANGE_STREAM_PRIVILEGES", f"{_CHANGE_STREAM} {_GRANT}", change_stream_privileges
    ),
    Declared(
        SCHEMA,
        "CHANGE_STREAM_TABLES",
        f"{_CHANGE_STREAM} {_TABLE} !ALL_COLUMNS:BOOL",
        change_stream_tables,
    ),
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
    Declared(SCHEMA, "COLUMN_OPTIONS", f"{_TABLE} *COLUMN_NAME {_OPTION}", column_options),
    Declared(SCHEMA, "COLUMN_PRIVILEGES", f"{_TABLE} *COLUMN_NAME {_GRANT}", column_privileges),
    Declared(
        SCHEMA,
        "CONSTRAINT_COLUMN_USAGE",
        f"{_TABLE_UNKEYED} *COLUMN_NAME {_CONSTRAINT}",
        constraint_column_usage,
        key="CONSTRAINT_CATALOG CONSTRAINT_SCHEMA CONSTRAINT_NAME COLUMN_NAME",
    ),
    Declared(SCHEMA, "CONSTRAINT_TABLE_USAGE", f"{_TABLE} {_CONSTRAINT}", constraint_table_usage),
    Declared(SCHEMA, "DATABASE_OPTIONS", f"*CATALOG_NAME *SCHEMA_NAME {_OPTION}", database_options),
    Declared(
        SCHEMA,
        "INDEXES",
        f"""{_TABLE} *INDEX_NAME *INDEX_TYPE !PARENT_TABLE_NAME !IS_UNIQUE:BOOL
        !IS_NULL_FILTERED:BOOL !INDEX_STATE:STRING(100) !SPANNER_IS_MANAGED:BOOL""",
        indexes,
    ),
    Declared(
        SCHEMA,
        "INDEX_COLUMNS",
        f"""{_TABLE} *INDEX_NAME *INDEX_TYPE *COLUMN_NAME ORDINAL_POSITION:INT64 COLUMN_ORDERING
        IS_NULLABLE SPANNER_TYPE""",
        index_columns,
    ),
    Declared(
        SCHEMA,
        "KEY_COLUMN_USAGE",
        f"""{_CONSTRAINT} {_TABLE_UNKEYED} *COLUMN_NAME !ORDINAL_POSITION:INT64
        POSITION_IN_UNIQUE_CONSTRAINT:INT64""",
        key_column_usage,
    ),
    Declared(
        SCHEMA,
        "LOCALITY_GROUP_OPTIONS",
        "*LOCALITY_GROUP_NAME *OPTION_NAME OPTION_VALUE",
        locality_group_options,
    ),
    Declared(SCHEMA, "MODELS", f"{_MODEL} !IS_REMOTE:BOOL", models),
    Declared(
        SCHEMA,
        "MODEL_COLUMNS",
        f"""{_MODEL} *COLUMN_KIND *COLUMN_NAME !ORDINAL_POSITION:INT64 !DATA_TYPE
        !IS_EXPLICIT:BOOL""",
        model_columns,
    ),
    Declared(
        SCHEMA,
        "MODEL_COLUMN_OPTIONS",
        f"{_MODEL} *COLUMN_KIND *COLUMN_NAME {_OPTION}",
        model_column_options,
    ),
    Declared(SCHEMA, "MODEL_OPTIONS", f"{_MODEL} {_OPTION}", model_options),
    Declared(SCHEMA, "MODEL_PRIVILEGES", f"{_MODEL} {_GRANT}", model_privileges),
    Declared(
        SCHEMA,
        "PARAMETERS",
        f"{_ROUTINE} *ORDINAL_POSITION:INT64 !PARAMETER_NAME !DATA_TYPE PARAMETER_DEFAULT",
        parameters,
    ),
    Declared(SCHEMA, "PLACEMENTS", "*PLACEMENT_NAME !IS_DEFAULT:BOOL", placements),
    Declared(SCHEMA, "PLACEMENT_OPTIONS", f"*PLACEMENT_NAME {_OPTION}", placement_options),
    Declared(
        SCHEMA,
        "PROPERTY_GRAPHS",
        """*PROPERTY_GRAPH_CATALOG *PROPERTY_GRAPH_SCHEMA *PROPERTY_GRAPH_NAME
        PROPERTY_GRAPH_METADATA_JSON:JSON""",
        property_graphs,
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
        SCHEMA, "ROLE_CHANGE_STREAM_GRANTS", f"{_CHANGE_STREAM} {_GRANT}", role_change_stream_grants
    ),
    Declared(
        SCHEMA,
        "ROLE_COLUMN_GRANTS",
        f"{_TABLE} *COLUMN_NAME {_GRANT} {_UNUSED}",
        role_column_grants,
    ),
    Declared(SCHEMA, "ROLE_GRANTEES", "*ROLE_NAME *GRANTEE", role_grantees),
    Declared(SCHEMA, "ROLE_MODEL_GRANTS", f"{_MODEL} {_GRANT} {_UNUSED}", role_model_grants),
    Declared(SCHEMA, "ROLE_ROUTINE_GRANTS", f"{_ROUTINE} {_GRANT} {_UNUSED}", role_routine_grants),
    Declared(SCHEMA, "ROLE_TABLE_GRANTS", f"{_TABLE} {_GRANT} {_UNUSED}", role_table_grants),
    Declared(
        SCHEMA,
        "ROUTINES",
        f"""{_ROUTINE} !ROUTINE_CATALOG !ROUTINE_SCHEMA !ROUTINE_NAME !ROUTINE_TYPE !DATA_TYPE
        !ROUTINE_BODY !ROUTINE_DEFINITION !SECURITY_TYPE""",
        routines,
    ),
    Declared(SCHEMA, "ROUTINE_OPTIONS", f"{_ROUTINE} {_OPTION}", routine_options),
    Declared(SCHEMA, "ROUTINE_PRIVILEGES", f"{_ROUTINE} {_GRANT}", routine_privileges),
    Declared(
        SCHEMA,
        "SCHEMATA",
        "*CATALOG_NAME *SCHEMA_NAME EFFECTIVE_TIMESTAMP:INT64 SCHEMA_OWNER PROTO_BUNDLE",
        schemata,
    ),
    Declared(SCHEMA, "SEQUENCES", f"{_SEQUENCE} !DATA_TYPE", sequences),
    Declared(SCHEMA, "SEQUENCE_OPTIONS", f"{_SEQUENCE} {_OPTION}", sequence_options),
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
    Declared(SCHEMA, "TABLE_PRIVILEGES", f"{_TABLE} {_GRANT}", table_privileges),
    Declared(
        SCHEMA,
        "TABLE_SYNONYMS",
        f"{_TABLE} *SYNONYM_CATALOG *SYNONYM_SCHEMA *SYNONYM_TABLE_NAME",
        table_synonyms,
    ),
    Declared(SCHEMA, "VIEWS", f"{_TABLE} VIEW_DEFINITION !SECURITY_TYPE", views),
)
