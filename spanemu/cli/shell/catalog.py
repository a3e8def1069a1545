"""What a database contains, from INFORMATION_SCHEMA, which both dialects have.

Names in the queries are in lower case and results have the columns in the order of the query, so
that one text serves both dialects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.cloud.spanner_v1 import param_types

from spanemu.cli.shell.database_session import DatabaseSession, Parameter, Result
from spanemu.cli.shell.failures import ShellFailure
from spanemu.interchange.connection import Cell
from spanemu.sql.dialects import dialect_of

_SYSTEM = "('information_schema', 'spanner_sys', 'pg_catalog')"

# By command: the query, where {own} selects the user's objects. Only the names of the columns of
# SEQUENCES depend on the dialect.
LISTS: Mapping[str, str] = {
    "d": """
        SELECT table_schema AS schema, table_name AS name, table_type AS type,
          parent_table_name AS parent, on_delete_action AS on_delete
        FROM information_schema.tables WHERE {own} ORDER BY 1, 2
    """,
    "di": """
        SELECT table_schema AS schema, table_name, index_name AS name, index_type AS type,
          is_unique, is_null_filtered
        FROM information_schema.indexes
        WHERE {own} AND index_type <> 'PRIMARY_KEY' ORDER BY 1, 2, 3
    """,
    "dv": """
        SELECT table_schema AS schema, table_name AS name, view_definition AS definition
        FROM information_schema.views WHERE {own} ORDER BY 1, 2
    """,
    "dn": """
        SELECT schema_name AS name FROM information_schema.schemata
        WHERE schema_name <> '' AND LOWER(schema_name) NOT IN {system} ORDER BY 1
    """,
    "ds": """
        SELECT {sequence}schema AS schema, {sequence}name AS name, data_type AS type
        FROM information_schema.sequences ORDER BY 1, 2
    """,
    "dc": """
        SELECT change_stream_schema AS schema, change_stream_name AS name
        FROM information_schema.change_streams ORDER BY 1, 2
    """,
}
_COLUMNS = """
    SELECT column_name AS name, spanner_type AS type, is_nullable AS nullable,
      column_default AS column_default, generation_expression AS generated_as
    FROM information_schema.columns WHERE {of_table} ORDER BY ordinal_position
"""
_KEYS = """
    SELECT index_name, index_type, is_unique, column_name, column_ordering
    FROM information_schema.index_columns
    JOIN information_schema.indexes USING (table_schema, table_name, index_name, index_type)
    WHERE {of_table} ORDER BY index_type DESC, index_name, ordinal_position
"""
_TABLES = """
    SELECT table_schema, table_name, parent_table_name, on_delete_action
    FROM information_schema.tables
    WHERE LOWER(table_name) = LOWER({p1}) AND LOWER(table_schema) = LOWER({p2})
"""
_FOREIGN_KEYS = """
    SELECT r.constraint_name, k.column_name, u.table_name, u.column_name, r.delete_rule
    FROM information_schema.referential_constraints AS r
    JOIN information_schema.key_column_usage AS k ON k.constraint_name = r.constraint_name
      AND k.constraint_schema = r.constraint_schema
    JOIN information_schema.key_column_usage AS u ON u.constraint_name = r.unique_constraint_name
      AND u.constraint_schema = r.unique_constraint_schema
      AND u.ordinal_position = k.position_in_unique_constraint
    WHERE k.table_name = {p1} AND k.table_schema = {p2}
    ORDER BY 1, k.ordinal_position
"""
_NAMES = """
    SELECT table_schema, table_name, column_name FROM information_schema.columns
    WHERE {own} ORDER BY 1, 2, ordinal_position
"""


_GRAPHS = """
    SELECT property_graph_schema, property_graph_name, property_graph_metadata_json.labels
    FROM information_schema.property_graphs ORDER BY 1, 2
"""


def list_objects(session: DatabaseSession, command: str) -> Result:
    """Return the objects that a command lists."""
    return _query(session, LISTS[command])


@dataclass(frozen=True, slots=True)
class TableDescription:
    """A table, a view or a system table: its columns as a result, and lines about the rest."""

    name: str
    columns: Result
    notes: Sequence[str]


def describe_table(session: DatabaseSession, name: str) -> TableDescription:
    """Return the description of a table. Raises ShellFailure if there is none."""
    schema, _, table = name.replace("`", "").replace('"', "").rpartition(".")
    schema = schema or ("public" if session.is_postgresql else "")
    rows = list(_query(session, _TABLES, table, schema).rows)
    if not rows:
        raise ShellFailure(f"there is no table or view {name}")
    (schema, table, parent, on_delete), *_ = ([str(cell or "") for cell in row] for row in rows)
    notes = [f"Interleaved in {parent}" + (f" ON DELETE {on_delete}" if on_delete else "")]
    return TableDescription(
        table,
        _query(session, _COLUMNS, table, schema),
        [
            *(notes if parent else []),
            *_index_lines(list(_query(session, _KEYS, table, schema).rows)),
            *_foreign_key_lines(list(_query(session, _FOREIGN_KEYS, table, schema).rows)),
        ],
    )


def _index_lines(rows: list[list[Cell]]) -> list[str]:
    keys: dict[Cell, list[str]] = {}
    stored: dict[Cell, list[str]] = {}
    titles: dict[Cell, str] = {}
    for name, type_, is_unique, column, order in rows:
        titles[name] = _index_title(name, type_, is_unique)
        if order is None:
            stored.setdefault(name, []).append(str(column))
        else:
            word = " DESC" if str(order).startswith("DESC") else ""
            keys.setdefault(name, []).append(f"{column}{word}")
    return [
        f"{title} ({', '.join(keys.get(name, []))})"
        + (f" STORING ({', '.join(stored[name])})" if name in stored else "")
        for name, title in titles.items()
    ]


def _index_title(name: Cell, type_: Cell, is_unique: Cell) -> str:
    if type_ == "PRIMARY_KEY":
        return "Primary key"
    unique = is_unique is True or is_unique == "YES"
    return f"{'Unique index' if unique else 'Index'} {name}"


def _foreign_key_lines(rows: list[list[Cell]]) -> list[str]:
    keys: dict[str, tuple[list[str], str, list[str], str]] = {}
    for name, column, table, referenced, rule in rows:
        action = f" ON DELETE {rule}" if rule not in (None, "NO ACTION") else ""
        key = keys.setdefault(str(name), ([], str(table), [], action))
        key[0].append(str(column))
        key[2].append(str(referenced))
    return [
        f"Foreign key {name} ({', '.join(own)}) REFERENCES {table} ({', '.join(others)}){action}"
        for name, (own, table, others, action) in keys.items()
    ]


def column_names(session: DatabaseSession) -> dict[str, list[str]]:
    """Return the columns of all tables and views; names outside the default schema are dotted."""
    tables: dict[str, list[str]] = {}
    for schema, table, column in _query(session, _NAMES).rows:
        dotted = f"{schema}.{table}" if schema not in ("", None, "public") else str(table)
        tables.setdefault(dotted, []).append(str(column))
    return tables


def graph_names(session: DatabaseSession) -> dict[str, dict[str, list[str]]]:
    """Return the properties of each label by graph; a graph in a named schema has a dotted name."""
    if session.is_postgresql:
        return {}
    graphs = {}
    for schema, name, metadata in _query(session, _GRAPHS).rows:
        labels: Any = json.loads(metadata) if isinstance(metadata, str) else metadata
        graphs[f"{schema}.{name}" if schema else str(name)] = {
            label["name"]: label.get("propertyDeclarationNames", []) for label in labels
        }
    return graphs


def function_names(session: DatabaseSession) -> list[str]:
    """Return the names of the dialect's functions, in order."""
    catalog = dialect_of(session.dialect).catalog
    names = {*catalog.scalars, *catalog.aggregates}
    names = {name for name in names if not name.startswith("$")}
    return sorted(name.lower() if session.is_postgresql else name for name in names)


def _query(session: DatabaseSession, sql: str, *values: str) -> Result:
    marks = {f"p{n}": f"${n}" if session.is_postgresql else f"@p{n}" for n in (1, 2)}
    text = sql.format(
        system=_SYSTEM,
        sequence="sequence_" if session.is_postgresql else "",
        own=f"LOWER(table_schema) NOT IN {_SYSTEM}",
        of_table="table_name = {p1} AND table_schema = {p2}".format(**marks),
        **marks,
    )
    parameters: dict[str, Any] = {
        f"p{number}": Parameter(param_types.STRING, value) for number, value in enumerate(values, 1)
    }
    return session.query(text, parameters)
