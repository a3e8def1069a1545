"""Statements of the tests in both dialects: written in GoogleSQL, rewritten in PostgreSQL.

A suite about rows, locks or speed states its schema and its statements once and runs in databases
of both dialects. Only the forms that these suites use are rewritten. Parameters become `$1`, `$2`,
which the API calls `p1`, `p2`. Keys of PostgreSQL have no DESC; sums are cast to bigint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from google.cloud.spanner_admin_database_v1 import DatabaseDialect

DIALECTS = ("googlesql", "postgresql")

_DDL_RULES = (
    (r"\bINT64\b", "bigint"),
    (r"\bFLOAT64\b", "double precision"),
    (r"\bSTRING\(MAX\)", "varchar"),
    (r"\bSTRING\(", "varchar("),
    (r"\bAS (\([^)]*\)) STORED", r"GENERATED ALWAYS AS \1 STORED"),
    (r"\bTIMESTAMP OPTIONS \(allow_commit_timestamp = true\)", "spanner.commit_timestamp"),
    (r"\bSTORING \(", "INCLUDE ("),
    (r",\s+INTERLEAVE", " INTERLEAVE"),
)
_PRIMARY_KEY = re.compile(r",?\s*\)\s*PRIMARY KEY \(([^)]*)\)")
_NULL_FILTERED = re.compile(r"NULL_FILTERED (INDEX \w+ ON \w+ \(([^)]*)\).*)", re.DOTALL)

_SQL_RULES = (
    # FOR UPDATE stands beside no aggregate in PostgreSQL; the hint locks as much.
    (r"^(SELECT (?:COUNT|SUM)\(.*) FOR UPDATE$", r"@{LOCK_SCANNED_RANGES=exclusive} \1"),
    (r"(\w)@\{(\w+)=(\w+)\}", r"\1 /*@ \2 = \3 */"),
    (r"^@\{(\w+)=(\w+)\}", r"/*@ \1 = \2 */"),
    (r"\bSUM\((\w+)\)", r"SUM(\1)::bigint"),
    (r"\bDIV\((.+?), (.+?)\)", r"(\1) / (\2)"),
    (r"\bTHEN RETURN\b", "RETURNING"),
)
_CONFLICT = re.compile(r"INSERT OR (UPDATE|IGNORE) INTO (\w+) \(([^)]*)\)(.*)", re.DOTALL)
_PARAMETER = re.compile(r"@(\w+)")


def schema_in(dialect: str, statements: Iterable[str]) -> list[str]:
    """Return schema statements in a dialect."""
    return [postgresql_ddl(each) if dialect == "postgresql" else each for each in statements]


def postgresql_ddl(statement: str) -> str:
    """Return a schema statement in PostgreSQL."""
    for pattern, replacement in _DDL_RULES:
        statement = re.sub(pattern, replacement, statement)
    statement = _PRIMARY_KEY.sub(
        lambda found: f", PRIMARY KEY ({found[1].replace(' DESC', '')}))", statement
    )
    return _NULL_FILTERED.sub(_with_condition, statement)


def postgresql_sql(
    statement: str,
    parameters: Mapping[str, Any] | None = None,
    keys: Mapping[str, str] | None = None,
) -> tuple[str, dict[str, Any]]:
    """Return a query or DML statement in PostgreSQL, and its parameters by their new names.

    `keys` has the key columns, as text, of each table that INSERT OR UPDATE or IGNORE names.
    """
    for pattern, replacement in _SQL_RULES:
        statement = re.sub(pattern, replacement, statement)
    statement = _CONFLICT.sub(lambda found: _with_conflict(found, keys or {}), statement)
    numbers = {name: n for n, name in enumerate(dict.fromkeys(_PARAMETER.findall(statement)), 1)}
    given = {f"p{numbers[name]}": value for name, value in (parameters or {}).items()}
    return _PARAMETER.sub(lambda found: f"${numbers[found[1]]}", statement), given


def of_database(
    database: Any, statement: str, parameters: Mapping[str, Any], types: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
    """Return a statement for a database of the official client: its text, parameters and types."""
    if database.database_dialect != DatabaseDialect.POSTGRESQL:
        return statement, parameters, types
    text, given = postgresql_sql(statement, parameters)
    return text, given, postgresql_sql(statement, types)[1]


def _with_condition(found: re.Match[str]) -> str:
    columns = [column.split()[0] for column in found[2].split(", ")]
    return f"{found[1]} WHERE {' AND '.join(f'{column} IS NOT NULL' for column in columns)}"


def _with_conflict(found: re.Match[str], keys: Mapping[str, str]) -> str:
    action, table, columns, rest = found.groups()
    then = "DO NOTHING"
    if action == "UPDATE":
        then = f"DO UPDATE SET {', '.join(f'{each} = excluded.{each}' for each in columns.split(', '))}"
    return f"INSERT INTO {table} ({columns}){rest} ON CONFLICT ({keys[table]}) {then}"
