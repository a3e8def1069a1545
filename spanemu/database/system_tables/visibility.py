"""The rows of INFORMATION_SCHEMA that a session with a database role sees.

As the page on INFORMATION_SCHEMA says, the rows of objects on which the role has a privilege,
itself or through the roles it is a member of, including public. Members of spanner_info_reader see
everything. Tables that the page does not call row-filtered are not filtered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.database.system_tables.declaration import Declared
from spanemu.ddl.kinds.roles import containing_roles
from spanemu.ddl.kinds.table import KINDS
from spanemu.schema.dialect import Fold
from spanemu.schema.objects import INFO_READER, PUBLIC, SYS_READER, Grant
from spanemu.schema.schema import Schema

Row = tuple[Any, ...]

_RELATIONS = ("TABLE", "VIEW", "QUEUE")
DEFAULT_SCHEMAS = frozenset({"", "public"})  # the default schema in GoogleSQL and in PostgreSQL
_ON_COLUMNS = frozenset({"SELECT", "INSERT", "UPDATE"})


class Rights:
    """The rights of a role in a schema. Names are in lower case, with their schema."""

    def __init__(self, schema: Schema, role: str) -> None:
        self._schema = schema
        self.own = containing_roles(schema, role)
        self.roles = self.own | {PUBLIC}
        self.sees_all = INFO_READER in self.roles
        self._whole: set[tuple[str, str]] = set()  # (kind, name) of privileges without columns
        self._tables: dict[str, set[str]] = {}  # privileges on whole tables and views
        self._columns: dict[str, set[str]] = {}
        for grant in self._grants():
            self._add(grant)

    def _grants(self) -> Iterator[Grant]:
        for name in self.roles:
            role = self._schema.roles.get(self._schema.fold(name))
            yield from () if role is None else role.grants

    def _add(self, grant: Grant) -> None:
        fold = self._schema.fold
        name = fold(grant.name)
        if grant.kind not in _RELATIONS:
            self._whole.add((grant.kind, name))
        elif grant.columns:
            held = self._columns.setdefault(name, set())
            held.update(fold(column) for column in grant.columns)
        else:
            self._tables.setdefault(name, set()).add(grant.privilege)

    def table(self, name: str) -> bool:
        """Return whether the role has a privilege on the table or view, or on a column of it."""
        return name in self._tables or name in self._columns or self._is_system(name)

    def whole_table(self, name: str) -> bool:
        """Return whether the role has a privilege on the whole table."""
        return name in self._tables or self._is_system(name)

    def column(self, table: str, column: str) -> bool:
        """Return whether the role may read or write the column."""
        if self._tables.get(table, set()) & _ON_COLUMNS or self._is_system(table):
            return True
        return self._schema.fold(column) in self._columns.get(table, ())

    def index(self, table: str, index: str) -> bool:
        """Return whether the role may use the table, or each column that the index holds."""
        if self.whole_table(table):
            return True
        held = self._index_columns(table, index)
        return bool(held) and held <= self._columns.get(table, set())

    def object(self, kind: str, name: str) -> bool:
        """Return whether the role has a privilege on the object."""
        return (kind, name) in self._whole

    def graph(self, name: str) -> bool:
        """Return whether every table of a property graph is visible."""
        graph = self._schema.graphs[name]
        return all(self.table(self._schema.fold(element.table)) for element in graph.elements)

    def _is_system(self, name: str) -> bool:
        home = name.partition(".")[0].upper()
        if home == "SPANNER_SYS":
            return SYS_READER in self.roles
        return home in ("INFORMATION_SCHEMA", "PG_CATALOG")

    def _index_columns(self, table_name: str, name: str) -> set[str]:
        schema = self._schema
        table, index = schema.table(table_name), schema.index(name)
        if index is not None:
            return {schema.fold(column.name) for column in index.columns}
        return set() if table is None else {schema.fold(part.name) for part in table.key_columns}


class _Named:
    """The cells of a row by column name in upper case."""

    def __init__(self, names: Mapping[str, int], row: Row, fold: Fold) -> None:
        self._names = names
        self._fold = fold
        self._row = row

    def __getitem__(self, column: str) -> str:
        return str(self._row[self._names[column]])

    def name(self, prefix: str) -> str:
        """Return an object's folded full name, from its _SCHEMA and _NAME columns."""
        return self.full_name(self[f"{prefix}SCHEMA"], self[f"{prefix}NAME"])

    def object_name(self) -> str:
        """Return the object's folded full name, from the second and third column."""
        _, home, name, *_ = self._row
        return self.full_name(home, str(name))

    def full_name(self, home: str, name: str) -> str:
        """Return the folded full name of the object `name` of a schema."""
        return self._fold(f"{home}.{name}" if home not in DEFAULT_SCHEMAS else name)


Sees = Callable[[Rights, _Named], bool]


def _object(kind: str) -> Sees:
    return lambda rights, row: rights.object(kind, row.object_name())


def _routine(rights: Rights, row: _Named) -> bool:
    name = row.name("SPECIFIC_")
    return rights.object("TABLE FUNCTION", name) or rights.object("FUNCTION", name)


def _table(rights: Rights, row: _Named) -> bool:
    return rights.table(row.name("TABLE_"))


def _whole_table(rights: Rights, row: _Named) -> bool:
    return rights.whole_table(row.name("TABLE_"))


def _column(rights: Rights, row: _Named) -> bool:
    return rights.column(row.name("TABLE_"), row["COLUMN_NAME"])


def _index(rights: Rights, row: _Named) -> bool:
    index = row.full_name(row["TABLE_SCHEMA"], row["INDEX_NAME"])
    return rights.index(row.name("TABLE_"), index)


def _grantee(rights: Rights, row: _Named) -> bool:
    return row["GRANTEE"] in rights.roles


def _role(rights: Rights, row: _Named) -> bool:
    return row["ROLE_NAME"] in rights.roles


def _own_grantee(rights: Rights, row: _Named) -> bool:
    return row["GRANTEE"] in rights.own


# By name in upper case: INFORMATION_SCHEMA in GoogleSQL, information_schema in PostgreSQL.
_SEEN: Mapping[str, Sees] = {
    **{
        table.name: _object(kind.words)
        for kind in KINDS
        for table in kind.tables
        if table.by_privilege
    },
    "APPLICABLE_ROLES": _own_grantee,
    "COLUMNS": _column,
    "COLUMN_OPTIONS": _column,
    "COLUMN_PRIVILEGES": _column,
    "ENABLED_ROLES": _role,
    "INDEXES": _index,
    "INDEX_COLUMNS": _index,
    "KEY_COLUMN_USAGE": _column,
    "PARAMETERS": _routine,
    "PROPERTY_GRAPHS": lambda rights, row: rights.graph(row.name("PROPERTY_GRAPH_")),
    "ROLES": _role,
    "ROLE_GRANTEES": _own_grantee,
    "ROUTINES": _routine,
    "ROUTINE_OPTIONS": _routine,
    "TABLES": _table,
    "TABLE_PRIVILEGES": _whole_table,
    "VIEWS": _table,
}


def _rule(name: str) -> Sees | None:
    """Return the rule for a table; tables of privileges show those of the own roles."""
    if name in _SEEN:
        return _SEEN[name]
    if name.endswith("_PRIVILEGES"):
        return _grantee
    return _own_grantee if name.startswith("ROLE_") and name.endswith("_GRANTS") else None


def visible(declared: Declared, rows: Iterable[Row], schema: Schema, role: str) -> Iterable[Row]:
    """Return the rows of a system table that a role sees; without a role, all rows."""
    if not role or declared.schema.upper() != "INFORMATION_SCHEMA":
        return rows
    sees = _rule(declared.name.upper())
    if sees is None:
        return rows
    rights = Rights(schema, role)
    if rights.sees_all:
        return rows
    names = {column.name.upper(): position for position, column in enumerate(declared.columns)}
    return [row for row in rows if sees(rights, _Named(names, row, schema.fold))]
