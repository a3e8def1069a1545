"""The fix of a finding: DDL in the dialect of the database, or a change of the key."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count

from spanemu.base.identifiers import RESERVED_WORDS, quoted
from spanemu.hotspots.verdict import Cause, Reason
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.indexes import SearchIndex, SortedIndex, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart, Table
from spanemu.values.types import TypeCode


def fix_of(schema: Schema, relation: TableOrIndex, cause: Cause, *, table_moves: bool) -> str:
    """Return the change that spreads the writes.

    `table_moves` means that rows of the table itself are written in key order too, so rows
    interleaved in the table would follow them.
    """
    writer = _FixWriter(schema)
    if cause.reason is Reason.HOT_ROW:
        return writer.several_rows(relation)
    if isinstance(relation, Table):
        return writer.table(relation, cause)
    if isinstance(relation, SearchIndex):
        return (
            f"uniform sharding, the default, of {relation.name}: leave sort_order_sharding out, or "
            "PARTITION BY a column with many values"
        )
    assert isinstance(relation, SortedIndex)
    table = schema.tables[schema.fold(relation.table)]
    return writer.index(table, relation, cause, table_moves=table_moves)


def without_nulls(schema: Schema, index: SortedIndex) -> str:
    """Return the statements that replace the index by one without entries for NULL."""
    writer = _FixWriter(schema)
    filtered = replace(index, null_filtered=True)
    return writer.replaced(index, writer.create(filtered, writer.parts(index.key)))


def in_order(schema: Schema, index: SortedIndex, columns: Sequence[tuple[str, bool]]) -> str:
    """Return the statements for an index with the same columns, sorted by `columns`.

    A column is a name and whether the order is descending. The other columns of the key are stored.
    The new index need not be unique: the old one stays if it is, or belongs to a foreign key.
    """
    writer = _FixWriter(schema)
    table = schema.tables[schema.fold(index.table)]
    sought = {name for name, _ in columns} | {column.name for column in table.key_columns}
    others = [part.column for part in index.key if part.column.name not in sought]
    sorted_by = [writer.part(name, descending=descending) for name, descending in columns]
    plain = replace(index, unique=False, stored=(*index.stored, *others))
    created = writer.create(plain, sorted_by)
    if index.unique or index.is_managed:
        return created
    return writer.replaced(index, created, "no other query needs it")


class _FixWriter:
    """The author of fixes in the dialect of a schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._forms: DdlForms = forms_of(schema.dialect)

    def several_rows(self, relation: TableOrIndex) -> str:
        shard = self._forms.shard
        if not isinstance(relation, Table):
            return (
                f"a shard column first in {relation.name}, or drop the index if no query needs it "
                "and no FORCE_INDEX hint names it"
            )
        key = _key([*self.parts(relation.key), shard])
        return f"several rows instead of one, summed when read: {key}"

    def table(self, table: Table, cause: Cause) -> str:
        if table.parent is not None:
            return self._child(self._table_named(table.parent), table, cause)
        forms, names = self._forms, [part.column.name for part in table.key]
        blamed = table.key[cause.part].column
        others = [part for part in table.key if part.column is not blamed]
        if others and cause.part == 0:
            return _key(self.parts([*others, table.key[0]]))
        if blamed.type.code is TypeCode.INT64 and len(names) == 1:
            identity = forms.identity(blamed.name)
            return f"{identity}, or a random UUID: {forms.random_default}"
        if cause.part == 0:
            sharded = _key([forms.shard, *self.parts(table.key)])
            return f"a random key: {forms.random_key}, or a shard column first: {sharded}"
        return f"more distinct values in {names[0]}, such as more shards, or another column first"

    def _child(self, parent: Table, table: Table, cause: Cause) -> str:
        """Return the fix for an interleaved table.

        Its key begins with the parent's key, so only the parent can be fixed where the parent's
        part of the key grows.
        """
        above = len(parent.key)
        if cause.part < above:
            return f"in {parent.name}, which {table.name} follows: {self.table(parent, cause)}"
        parts = self.parts(table.key)
        sharded = [*parts[:above], self._forms.shard, *parts[above:]]
        return f"more rows of {parent.name}, or a shard column below them: {_key(sharded)}"

    def index(self, table: Table, index: SortedIndex, cause: Cause, *, table_moves: bool) -> str:
        if index.is_managed:
            return self._forms.without_foreign_key("", index.name)
        first = index.key[0].column.name
        sharded = [self._forms.shard, *self.parts(index.key)]
        if index.unique:
            names = ", ".join(part.column.name for part in index.key)
            return (
                f"a shard column computed from {names} first, so that it stays unique: "
                f"{self.replaced(index, self.create(index, sharded))}"
            )
        if cause.part == 0 and first not in [each.name for each in table.key_columns[:1]]:
            created = self.create(index, sharded)
            shard_fix = f"a shard column first: {self.replaced(index, created)}"
            if table_moves or table.parent is None:
                return shard_fix
            inside = self._inside(self._table_named(table.parent), table, index)
            return shard_fix if inside is None else f"{inside}; or {shard_fix}"
        return f"a column of many values, or a shard column, first: ({', '.join(sharded)})"

    def _inside(self, parent: Table, table: Table, index: SortedIndex) -> str | None:
        """Return the statement that creates the index for queries of one row of a parent table.

        Returns None if the table's key has the same order. An index inside its own table would
        serve no query either: the table's key finds the row already.
        """
        key = {column.name for column in parent.key_columns}
        rest = [part for part in index.key if part.column.name not in key]
        parts = [*parent.key, *rest]
        pairs = zip(parts, table.key, strict=False)
        if all(one.column.name == other.column.name for one, other in pairs):
            return None
        return self.create(index, self.parts(parts), parent)

    def replaced(self, index: SortedIndex, created: str, condition: str = "") -> str:
        """Return the statements that create an index and drop the one that it replaces."""
        hints = "no FORCE_INDEX hint names it"
        when = f"if {condition} and {hints}" if condition else f"once {hints}"
        return f"{created}; DROP INDEX {self._forms.path(index.name)}, {when}"

    def create(self, index: SortedIndex, parts: Sequence[str], parent: Table | None = None) -> str:
        """Return the statement that creates the index, under a new name, with other key parts."""
        index = replace(index, name=self._free(index.name))
        stored = [self._forms.quoted(column.name) for column in index.stored]
        kept = [name for name in stored if name not in parts]
        return self._forms.create_index(index, parts, kept, parent)

    def parts(self, parts: Sequence[KeyPart]) -> list[str]:
        """Return key parts as SQL."""
        return [self.part(part.column.name, descending=part.descending) for part in parts]

    def part(self, name: str, *, descending: bool) -> str:
        """Return a key part as SQL."""
        return self._forms.quoted(name) + (" DESC" if descending else "")

    def _free(self, name: str) -> str:
        """Return a name with the first number that no object of the schema has."""
        taken, fold = set(self._schema.names()), self._schema.fold
        return next(free for n in count(2) if fold(free := f"{name}{n}") not in taken)

    def _table_named(self, name: str) -> Table:
        return self._schema.tables[self._schema.fold(name)]


def _key(parts: Sequence[str]) -> str:
    return f"PRIMARY KEY ({', '.join(parts)})"


class DdlForms(ABC):
    """The parts of schema statements that the dialects write differently."""

    shard: str  # the name of a shard column
    random_key: str  # a key column of random UUIDs
    random_default: str

    @abstractmethod
    def quoted(self, name: str) -> str:
        """Return an identifier as SQL writes it."""

    @abstractmethod
    def integer(self, column: str) -> str:
        """Return the beginning of the declaration of an integer column."""

    @abstractmethod
    def create_index(
        self,
        index: SortedIndex,
        key: Sequence[str],
        stored: Sequence[str],
        parent: Table | None = None,
    ) -> str:
        """Return the statement that creates an index with another key, quoted names and all."""

    @abstractmethod
    def store(self, index: SortedIndex, column: str) -> str:
        """Return the statement that adds a stored column to an index."""

    @abstractmethod
    def without_foreign_key(self, name: str, index: str | None = None) -> str:
        """Return the fix for a foreign key that costs more than it is worth."""

    @abstractmethod
    def sorted_key(self, table: Table, parts: Sequence[str]) -> str:
        """Return the fix for rows that queries read in another order than the key's."""

    def where(self, names: Iterable[str]) -> str:
        """Return the clause by which an index leaves out rows with NULL in the columns."""
        conditions = [f"{self.quoted(name)} IS NOT NULL" for name in dict.fromkeys(names)]
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def path(self, name: str) -> str:
        """Return a dotted name as SQL writes it."""
        return ".".join(map(self.quoted, name.split(".")))

    def identity(self, column: str) -> str:
        """Return the declaration of a bit-reversed identity column."""
        return (
            f"{self.integer(column)} NOT NULL GENERATED BY DEFAULT AS IDENTITY "
            "(BIT_REVERSED_POSITIVE)"
        )


_TRUSTED = "the application itself keeps the references valid"


class _GoogleSqlForms(DdlForms):
    shard = "ShardId"
    random_key = "Id UUID NOT NULL DEFAULT (NEW_UUID())"
    random_default = "DEFAULT (NEW_UUID())"

    def quoted(self, name: str) -> str:
        return quoted(name)

    def integer(self, column: str) -> str:
        return f"{self.quoted(column)} INT64"

    def create_index(
        self,
        index: SortedIndex,
        key: Sequence[str],
        stored: Sequence[str],
        parent: Table | None = None,
    ) -> str:
        kind = "UNIQUE " if index.unique else ""
        kind += "NULL_FILTERED " if index.null_filtered else ""
        text = f"CREATE {kind}INDEX {self.path(index.name)} ON {self.path(index.table)}"
        text += f"({', '.join(key)})"
        text += f" STORING ({', '.join(stored)})" if stored else ""
        text += "" if index.null_filtered else self.where(index.where_not_null)
        return text if parent is None else f"{text}, INTERLEAVE IN {self.path(parent.name)}"

    def store(self, index: SortedIndex, column: str) -> str:
        return f"ALTER INDEX {self.path(index.name)} ADD STORED COLUMN {self.quoted(column)}"

    def without_foreign_key(self, name: str, index: str | None = None) -> str:
        if index is not None:
            return (
                f"a composite key that begins with a column of many values; or NOT ENFORCED, so "
                f"that {index} is not needed, if {_TRUSTED}"
            )
        return f"{name}, or NOT ENFORCED, if {_TRUSTED}"

    def sorted_key(self, table: Table, parts: Sequence[str]) -> str:
        return f"PRIMARY KEY ({', '.join(parts)})"


# Words that PostgreSQL reserves and GoogleSQL does not.
_POSTGRESQL_WORDS = RESERVED_WORDS | {
    "ANALYZE", "BOTH", "CHECK", "COLUMN", "CONSTRAINT", "DO", "FOREIGN", "GRANT", "LEADING",
    "LIMIT", "OFFSET", "ONLY", "PLACING", "PRIMARY", "REFERENCES", "RETURNING", "SYMMETRIC",
    "TABLE", "TRAILING", "UNIQUE", "USER", "VERBOSE",
}  # fmt: skip
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


class _PostgreSqlForms(DdlForms):
    shard = "shard_id"
    random_key = "id uuid DEFAULT gen_random_uuid()"
    random_default = "DEFAULT gen_random_uuid()"

    def quoted(self, name: str) -> str:
        if _PLAIN.fullmatch(name) and name.upper() not in _POSTGRESQL_WORDS:
            return name
        doubled = name.replace('"', '""')
        return f'"{doubled}"'

    def integer(self, column: str) -> str:
        return f"{self.quoted(column)} bigint"

    def create_index(
        self,
        index: SortedIndex,
        key: Sequence[str],
        stored: Sequence[str],
        parent: Table | None = None,
    ) -> str:
        kind = "UNIQUE " if index.unique else ""
        text = f"CREATE {kind}INDEX {self.path(index.name)} ON {self.path(index.table)}"
        text += f" ({', '.join(key)})"
        text += f" INCLUDE ({', '.join(stored)})" if stored else ""
        text += "" if parent is None else f" INTERLEAVE IN {self.path(parent.name)}"
        keys = [part.column.name for part in index.key] if index.null_filtered else []
        return text + self.where([*index.where_not_null, *keys])

    def store(self, index: SortedIndex, column: str) -> str:
        return f"ALTER INDEX {self.path(index.name)} ADD INCLUDE COLUMN {self.quoted(column)}"

    def without_foreign_key(self, name: str, index: str | None = None) -> str:
        if index is not None:
            return (
                f"a composite key that begins with a column of many values; or no foreign key, so "
                f"that {index} is not needed, if {_TRUSTED}"
            )
        return f"{name}, if {_TRUSTED}"

    def sorted_key(self, table: Table, parts: Sequence[str]) -> str:
        # A primary key is always in ascending order.
        return f"CREATE INDEX ... ON {self.path(table.name)} ({', '.join(parts)})"


_GOOGLESQL_FORMS, _POSTGRESQL_FORMS = _GoogleSqlForms(), _PostgreSqlForms()


def forms_of(dialect: DatabaseDialect) -> DdlForms:
    """Return the forms of a dialect."""
    return _POSTGRESQL_FORMS if dialect is POSTGRESQL else _GOOGLESQL_FORMS
