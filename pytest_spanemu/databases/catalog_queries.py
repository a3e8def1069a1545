"""The queries that read tables, columns and constraints from a database's information schema.

`queries_of` returns the queries of a dialect. The default schema is "" or NULL in all rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_spanemu.options import Dialect
from spanemu.base.record import dataclass


@dataclass(frozen=True, slots=True)
class CatalogQueries:
    """The queries of a dialect, and the function from its type names to those of GoogleSQL."""

    tables: str  # schema, name, parent
    columns: str  # schema, table, name, type, and four times YES or NO
    indexes: str  # schema, table, kind, columns
    interleaved_indexes: str  # schema, name, parent
    foreign_keys: str  # schema, table, name, columns, schema, table and columns referred to
    checks: str  # schema, table, condition
    sequences: str  # schema, name
    identities: str  # schema, table, column
    type_of: Callable[[str], str]


# ------------------------------------------------------------------ GoogleSQL

_USER = "TABLE_SCHEMA NOT IN ('INFORMATION_SCHEMA', 'SPANNER_SYS')"
_TABLES = f"""
SELECT TABLE_SCHEMA, TABLE_NAME, PARENT_TABLE_NAME
FROM INFORMATION_SCHEMA.TABLES
WHERE {_USER} AND TABLE_TYPE = 'BASE TABLE'
"""
_COLUMNS = f"""
SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME, c.SPANNER_TYPE, c.IS_NULLABLE,
       IF(c.COLUMN_DEFAULT IS NOT NULL OR c.IS_IDENTITY = 'YES', 'YES', 'NO'),
       IF(c.IS_GENERATED = 'ALWAYS', 'YES', 'NO'),
       IF(o.OPTION_VALUE = 'TRUE', 'YES', 'NO')
FROM INFORMATION_SCHEMA.COLUMNS c
JOIN INFORMATION_SCHEMA.TABLES t
  ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME AND t.TABLE_TYPE = 'BASE TABLE'
LEFT JOIN INFORMATION_SCHEMA.COLUMN_OPTIONS o
  ON o.TABLE_SCHEMA = c.TABLE_SCHEMA AND o.TABLE_NAME = c.TABLE_NAME
     AND o.COLUMN_NAME = c.COLUMN_NAME AND o.OPTION_NAME = 'allow_commit_timestamp'
WHERE c.{_USER}
ORDER BY c.TABLE_SCHEMA, c.TABLE_NAME, c.ORDINAL_POSITION
"""
_INDEXES = f"""
SELECT i.TABLE_SCHEMA, i.TABLE_NAME, i.INDEX_TYPE,
       ARRAY(SELECT c.COLUMN_NAME FROM INFORMATION_SCHEMA.INDEX_COLUMNS c
             WHERE c.TABLE_SCHEMA = i.TABLE_SCHEMA AND c.TABLE_NAME = i.TABLE_NAME
               AND c.INDEX_NAME = i.INDEX_NAME AND c.ORDINAL_POSITION IS NOT NULL
             ORDER BY c.ORDINAL_POSITION)
FROM INFORMATION_SCHEMA.INDEXES i
WHERE i.{_USER} AND (i.INDEX_TYPE = 'PRIMARY_KEY' OR i.IS_UNIQUE) AND NOT i.SPANNER_IS_MANAGED
"""
_INTERLEAVED_INDEXES = f"""
SELECT TABLE_SCHEMA, INDEX_NAME, PARENT_TABLE_NAME
FROM INFORMATION_SCHEMA.INDEXES
WHERE {_USER} AND INDEX_TYPE = 'INDEX'
"""
_FOREIGN_KEYS = """
SELECT c.TABLE_SCHEMA, c.TABLE_NAME, r.CONSTRAINT_NAME,
       ARRAY(SELECT k.COLUMN_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE k
             WHERE k.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA
               AND k.CONSTRAINT_NAME = r.CONSTRAINT_NAME ORDER BY k.ORDINAL_POSITION),
       u.TABLE_SCHEMA, u.TABLE_NAME,
       ARRAY(SELECT k.COLUMN_NAME FROM INFORMATION_SCHEMA.KEY_COLUMN_USAGE k
             WHERE k.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA
               AND k.CONSTRAINT_NAME = r.UNIQUE_CONSTRAINT_NAME ORDER BY k.ORDINAL_POSITION)
FROM INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS r
JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS c
  ON c.CONSTRAINT_SCHEMA = r.CONSTRAINT_SCHEMA AND c.CONSTRAINT_NAME = r.CONSTRAINT_NAME
JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS u
  ON u.CONSTRAINT_SCHEMA = r.UNIQUE_CONSTRAINT_SCHEMA
     AND u.CONSTRAINT_NAME = r.UNIQUE_CONSTRAINT_NAME
"""
_CHECKS = """
SELECT c.TABLE_SCHEMA, c.TABLE_NAME, k.CHECK_CLAUSE
FROM INFORMATION_SCHEMA.CHECK_CONSTRAINTS k
JOIN INFORMATION_SCHEMA.TABLE_CONSTRAINTS c
  ON c.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND c.CONSTRAINT_NAME = k.CONSTRAINT_NAME
WHERE c.CONSTRAINT_TYPE = 'CHECK' AND NOT STARTS_WITH(k.CONSTRAINT_NAME, 'CK_IS_NOT_NULL_')
"""
_SEQUENCES = "SELECT s.SCHEMA, s.NAME FROM INFORMATION_SCHEMA.SEQUENCES AS s"
_IDENTITIES = """
SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS AS c
WHERE c.IS_IDENTITY = 'YES'
"""

# ------------------------------------------------------------------ PostgreSQL

_PG_USER = "NOT IN ('information_schema', 'pg_catalog', 'spanner_sys')"
_PG_TABLES = f"""
SELECT NULLIF(t.table_schema, 'public'), t.table_name, t.parent_table_name
FROM information_schema.tables t
WHERE t.table_schema {_PG_USER} AND t.table_type = 'BASE TABLE'
"""
_PG_COLUMNS = f"""
SELECT NULLIF(c.table_schema, 'public'), c.table_name, c.column_name, c.spanner_type,
       c.is_nullable,
       CASE WHEN c.column_default IS NOT NULL OR c.is_identity = 'YES' THEN 'YES' ELSE 'NO' END,
       CASE WHEN c.is_generated = 'ALWAYS' THEN 'YES' ELSE 'NO' END,
       CASE WHEN c.spanner_type = 'spanner.commit_timestamp' THEN 'YES' ELSE 'NO' END
FROM information_schema.columns c
JOIN information_schema.tables t
  ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
WHERE c.table_schema {_PG_USER}
ORDER BY c.table_schema, c.table_name, c.ordinal_position
"""
_PG_INDEXES = f"""
SELECT NULLIF(i.table_schema, 'public'), i.table_name, i.index_type,
       ARRAY(SELECT c.column_name FROM information_schema.index_columns c
             WHERE c.table_schema = i.table_schema AND c.table_name = i.table_name
               AND c.index_name = i.index_name AND c.ordinal_position IS NOT NULL
             ORDER BY c.ordinal_position)
FROM information_schema.indexes i
WHERE i.table_schema {_PG_USER} AND (i.index_type = 'PRIMARY_KEY' OR i.is_unique = 'YES')
  AND i.spanner_is_managed = 'NO'
"""
_PG_INTERLEAVED_INDEXES = f"""
SELECT NULLIF(table_schema, 'public'), index_name, parent_table_name
FROM information_schema.indexes
WHERE table_schema {_PG_USER} AND index_type = 'INDEX'
"""
_PG_FOREIGN_KEYS = """
SELECT NULLIF(c.table_schema, 'public'), c.table_name, r.constraint_name,
       ARRAY(SELECT k.column_name FROM information_schema.key_column_usage k
             WHERE k.constraint_schema = r.constraint_schema
               AND k.constraint_name = r.constraint_name ORDER BY k.ordinal_position),
       NULLIF(u.table_schema, 'public'), u.table_name,
       ARRAY(SELECT k.column_name FROM information_schema.key_column_usage k
             WHERE k.constraint_schema = r.unique_constraint_schema
               AND k.constraint_name = r.unique_constraint_name ORDER BY k.ordinal_position)
FROM information_schema.referential_constraints r
JOIN information_schema.table_constraints c
  ON c.constraint_schema = r.constraint_schema AND c.constraint_name = r.constraint_name
JOIN information_schema.table_constraints u
  ON u.constraint_schema = r.unique_constraint_schema
     AND u.constraint_name = r.unique_constraint_name
"""
_PG_CHECKS = """
SELECT NULLIF(c.table_schema, 'public'), c.table_name, k.check_clause
FROM information_schema.check_constraints k
JOIN information_schema.table_constraints c
  ON c.constraint_schema = k.constraint_schema AND c.constraint_name = k.constraint_name
WHERE c.constraint_type = 'CHECK' AND NOT starts_with(k.constraint_name, 'CK_IS_NOT_NULL_')
"""
_PG_SEQUENCES = """
SELECT NULLIF(s.sequence_schema, 'public'), s.sequence_name FROM information_schema.sequences s
"""
_PG_IDENTITIES = """
SELECT NULLIF(c.table_schema, 'public'), c.table_name, c.column_name
FROM information_schema.columns c WHERE c.is_identity = 'YES'
"""

# From PostgreSQL's names to GoogleSQL's; those with a length hold MAX without one.
_PG_TYPES: Mapping[str, str] = {
    "bigint": "INT64",
    "boolean": "BOOL",
    "bytea": "BYTES(MAX)",
    "character varying": "STRING(MAX)",
    "date": "DATE",
    "double precision": "FLOAT64",
    "interval": "INTERVAL",
    "jsonb": "JSON",
    "numeric": "NUMERIC",
    "real": "FLOAT32",
    "spanner.commit_timestamp": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMP",
    "uuid": "UUID",
}
_PG_VARYING = re.compile(r"character varying\((\d+)\)")
_PG_VECTOR = re.compile(r"(.+\[\]) vector length (\d+)", re.IGNORECASE)


def _googlesql_type(declared: str) -> str:
    """Return GoogleSQL's name of a type of PostgreSQL; the name itself for an unknown type."""
    if match := _PG_VECTOR.fullmatch(declared):
        return f"{_googlesql_type(match[1])}(vector_length=>{match[2]})"
    if declared.endswith("[]"):
        return f"ARRAY<{_googlesql_type(declared[:-2])}>"
    if match := _PG_VARYING.fullmatch(declared):
        return f"STRING({match[1]})"
    return _PG_TYPES.get(declared, declared)


_QUERIES: Mapping[Dialect, CatalogQueries] = {
    Dialect.GOOGLESQL: CatalogQueries(
        tables=_TABLES,
        columns=_COLUMNS,
        indexes=_INDEXES,
        interleaved_indexes=_INTERLEAVED_INDEXES,
        foreign_keys=_FOREIGN_KEYS,
        checks=_CHECKS,
        sequences=_SEQUENCES,
        identities=_IDENTITIES,
        type_of=str,
    ),
    Dialect.POSTGRESQL: CatalogQueries(
        tables=_PG_TABLES,
        columns=_PG_COLUMNS,
        indexes=_PG_INDEXES,
        interleaved_indexes=_PG_INTERLEAVED_INDEXES,
        foreign_keys=_PG_FOREIGN_KEYS,
        checks=_PG_CHECKS,
        sequences=_PG_SEQUENCES,
        identities=_PG_IDENTITIES,
        type_of=_googlesql_type,
    ),
}


def queries_of(dialect: Dialect) -> CatalogQueries:
    """Return the queries of a dialect."""
    return _QUERIES[dialect]
