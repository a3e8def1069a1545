"""Tables and rows of a database, read and written through the official client.

Seeds, factories and the isolation strategies use the catalog, which is read from
INFORMATION_SCHEMA, so that they work on every target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.cloud.spanner_v1 import KeySet


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column. `type` is the SQL type with length, as in "STRING(36)" or "ARRAY<INT64>"."""

    name: str
    type: str
    nullable: bool
    has_default: bool  # a DEFAULT or an identity column
    generated: bool
    commit_timestamp: bool

    @property
    def kind(self) -> str:
        """The type name without length and element type: "STRING", "ARRAY"."""
        return self.type.partition("(")[0].partition("<")[0]

    @property
    def left_to_server(self) -> bool:
        """True if the server computes a value when an insert omits the column."""
        return self.generated or self.has_default


@dataclass(frozen=True, slots=True)
class ForeignKeyInfo:
    """A foreign key: `columns` refer to the columns `referenced` of `table`."""

    name: str
    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass(slots=True)
class TableInfo:
    """A table. The name includes the named schema, except for the default schema."""

    name: str
    parent: str | None
    columns: dict[str, ColumnInfo] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)  # columns of unique indexes
    foreign_keys: list[ForeignKeyInfo] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


class Catalog:
    """All tables of a database, looked up by case-insensitive name."""

    def __init__(self, tables: Sequence[TableInfo]) -> None:
        self.tables: Mapping[str, TableInfo] = {table.name: table for table in tables}
        self._by_lower = {table.name.lower(): table for table in tables}

    @classmethod
    def of(cls, database: Any) -> Catalog:
        """Read the catalog through the official client's `Database`."""
        with database.snapshot(multi_use=True) as snapshot:

            def rows(sql: str) -> list[list[Any]]:
                return list(snapshot.execute_sql(sql))

            tables = {
                _name(schema, name): TableInfo(
                    _name(schema, name), parent and _name(schema, parent)
                )
                for schema, name, parent in rows(_TABLES)
            }
            for schema, table, *column in rows(_COLUMNS):
                info = ColumnInfo(*column[:2], *(value == "YES" for value in column[2:]))
                tables[_name(schema, table)].columns[info.name] = info
            for schema, table, kind, names in rows(_INDEXES):
                if kind == "PRIMARY_KEY":
                    tables[_name(schema, table)].key = tuple(names)
                else:
                    tables[_name(schema, table)].unique.append(tuple(names))
            for schema, table, name, columns, other_schema, other, referenced in rows(
                _FOREIGN_KEYS
            ):
                target = _name(other_schema, other)
                tables[_name(schema, table)].foreign_keys.append(
                    ForeignKeyInfo(name, tuple(columns), target, tuple(referenced))
                )
            for schema, table, clause in rows(_CHECKS):
                tables[_name(schema, table)].checks.append(clause)
        return cls(list(tables.values()))

    def table(self, name: str) -> TableInfo:
        """Return the table `name`. Raises KeyError with a list of the existing tables."""
        table = self._by_lower.get(name.lower())
        if table is None:
            known = ", ".join(sorted(self.tables)) or "none"
            raise KeyError(f"there is no table {name!r}; the tables are: {known}")
        return table

    def insertion_order(self) -> list[TableInfo]:
        """Return the tables with parents and referenced tables before the tables that need them.

        A cycle of foreign keys is broken at the first table by name.
        """
        done: dict[str, TableInfo] = {}

        def visit(table: TableInfo, path: frozenset[str]) -> None:
            if table.name in done or table.name in path:
                return
            for needed in self.needed_by(table):
                visit(needed, path | {table.name})
            done[table.name] = table

        for name in sorted(self.tables):
            visit(self.tables[name], frozenset())
        return list(done.values())

    def needed_by(self, table: TableInfo) -> Iterator[TableInfo]:
        """Yield the parent of a table, and the tables that its foreign keys refer to."""
        if table.parent is not None and table.parent in self.tables:
            yield self.tables[table.parent]
        for foreign_key in table.foreign_keys:
            if foreign_key.table != table.name and foreign_key.table in self.tables:
                yield self.tables[foreign_key.table]


def _name(schema: str, name: str) -> str:
    return f"{schema}.{name}" if schema else name


def hierarchies(database: Any) -> Mapping[str, str]:
    """Map each interleaved table and index to the root table of its interleaving hierarchy."""
    parents: dict[str, str] = {}
    with database.snapshot(multi_use=True) as snapshot:
        for sql in (_TABLES, _INTERLEAVED_INDEXES):
            for schema, name, parent in snapshot.execute_sql(sql):
                if parent:
                    parents[_name(schema, name)] = _name(schema, parent)
    roots = dict(parents)
    for name in roots:
        while roots[name] in parents:
            roots[name] = parents[roots[name]]
    return roots


# ------------------------------------------------------------------ rows

_ROWS_PER_COMMIT = 500

Rows = list[tuple[str, tuple[str, ...], list[list[Any]]]]  # table, columns, rows


def read_all_rows(database: Any, catalog: Catalog) -> Rows:
    """Return every row, table by table in an order in which the rows can be inserted."""
    tables: Rows = []
    with database.snapshot(multi_use=True) as snapshot:
        for table in catalog.insertion_order():
            columns = tuple(each.name for each in table.columns.values() if not each.generated)
            rows = list(snapshot.read(table.name, columns, KeySet(all_=True)))
            if rows:
                tables.append((table.name, columns, rows))
    return tables


def insert_rows(database: Any, tables: Rows) -> None:
    """Insert the rows that `read_all_rows` returned."""
    for table, columns, rows in tables:
        for start in range(0, len(rows), _ROWS_PER_COMMIT):
            with database.batch() as batch:
                batch.insert(table, columns, rows[start : start + _ROWS_PER_COMMIT])


def delete_all_rows(database: Any, catalog: Catalog) -> None:
    """Delete the rows of every table, child tables first."""
    with database.batch() as batch:
        for table in reversed(catalog.insertion_order()):
            batch.delete(table.name, KeySet(all_=True))


# ------------------------------------------------------------------ queries of INFORMATION_SCHEMA

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
