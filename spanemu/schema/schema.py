"""One generation of a database's schema: lookup by name, and the next generation.

Names are looked up by the key that the dialect's `fold` gives them, as in queries and mutations;
each object keeps its exact spelling. A new generation copies no objects, and of large maps it
copies only the changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import Any, Self, TypeVar

from spanemu.base.identifiers import constraint_full_name
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.base.record import dataclass
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect, Fold
from spanemu.schema.indexes import KINDS, Index, SortedIndex, TableOrIndex
from spanemu.schema.objects import (
    SHARED_NAMES,
    NamedObjects,
    ProtoBundle,
    Sequence,
    View,
)
from spanemu.schema.shared_maps import (
    Derivation,
    Difference,
    Grouping,
    carry_over,
    with_name,
    without_name,
)
from spanemu.schema.table import ForeignKey, Table
from spanemu.values.order import SortOrders

T = TypeVar("T")


@dataclass(frozen=True)
class Schema(NamedObjects):
    """All objects that DDL declares, as of one generation.

    `tables` and the other maps are keyed by folded name, in order of creation. `next_id` is
    the next free id for tables, indexes, columns and sequences. Ids are never reused, so that rows
    of a dropped table can never be read through a new table of the same name.
    """

    generation: int = 0
    tables: Mapping[str, Table] = field(default_factory=dict)
    indexes: Mapping[str, SortedIndex] = field(default_factory=dict)
    named_schemas: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)  # ALTER DATABASE ... SET OPTIONS
    statistics: Mapping[str, bool] = field(default_factory=dict)  # package -> allow_gc, if set
    proto_bundle: ProtoBundle | None = None
    next_id: int = 1
    limits: Limits = DEFAULT_LIMITS  # how many objects of each kind are allowed
    dialect: DatabaseDialect = field(kw_only=True)

    @property
    def orders(self) -> SortOrders:
        """The order of NULL and NaN in the dialect of the schema."""
        return self.dialect.orders

    @cached_property
    def fold(self) -> Fold:
        """The function from an identifier to its key in the schema's maps."""
        return self.dialect.fold

    @cached_property
    def compiled(self) -> dict[Any, Any]:
        """Results that other packages compiled from this generation, by keys of their choice."""
        return {}

    def table(self, name: str) -> Table | None:
        """Return the table with that name or synonym."""
        key = self.fold(name)
        return self.tables.get(key) or self._synonyms.get(key)

    def index(self, name: str) -> SortedIndex | None:
        """Return the sorted index with that name."""
        return self.indexes.get(self.fold(name))

    def index_of_any_kind(self, name: str) -> Index | None:
        """Return the index with that name, which may be a search or vector index."""
        key = self.fold(name)
        found = (getattr(self, kind.schema_field).get(key) for kind in KINDS)
        return next((index for index in found if index is not None), None)

    def index_in_any_case(self, name: str) -> Index | None:
        """Return the index of any kind whose name is `name` in any letter case."""
        found = (self.in_any_case(getattr(self, kind.schema_field), name) for kind in KINDS)
        return next((index for index in found if index is not None), None)

    def view(self, name: str) -> View | None:
        return self.views.get(self.fold(name))

    def sequence(self, name: str) -> Sequence | None:
        return self.sequences.get(self.fold(name))

    def in_any_case(self, objects: Mapping[str, T], name: str) -> T | None:
        """Return the object of one of the schema's maps whose name is `name` in any letter case.

        Requests look names up so in every dialect; SQL looks them up by `fold`.
        """
        known, unique = objects.get(self.fold(name)), self.dialect.unique_key
        if known is not None or self.fold is unique:
            return known
        key = unique(name)
        return next((each for other, each in objects.items() if unique(other) == key), None)

    def requested_table(self, name: str) -> Table | None:
        """Return the table with that name or synonym in any letter case."""
        known = self.in_any_case(self.tables, name)
        return known or self.in_any_case(self._synonyms, name)

    def parent(self, table: Table) -> Table | None:
        """Return the table that `table` is interleaved in (IN or IN PARENT)."""
        return None if table.parent is None else self.tables[self.fold(table.parent)]

    def root(self, table: Table) -> Table:
        """Return the table at the top of the hierarchy of `table`."""
        while table.parent is not None:
            table = self.tables[self.fold(table.parent)]
        return table

    def children(self, table: Table) -> tuple[Table, ...]:
        """Return the tables interleaved directly in `table`, in order of creation."""
        return self._children.get(table.name, ())

    def indexes_of(self, table: Table) -> tuple[SortedIndex, ...]:
        """Return the indexes on `table`, managed indexes included, in order of creation."""
        return self._indexes_by_table.get(table.name, ())

    def referencing(self, table: Table) -> tuple[tuple[Table, ForeignKey], ...]:
        """Return (table, foreign key) for each foreign key that refers to `table`."""
        return self._referencing.get(table.name, ())

    def indexes_within(self, table: Table) -> tuple[SortedIndex, ...]:
        """Return the indexes interleaved in `table`, in order of creation."""
        return self._indexes_within.get(table.name, ())

    def index_within(self, index: Index) -> Table | None:
        """Return the table that an index is interleaved in."""
        return None if index.parent is None else self.tables[self.fold(index.parent)]

    @cached_property
    def default_time_zone(self) -> str:
        """The name of the zone for functions without an explicit zone."""
        return str(self.options.get("default_time_zone") or "America/Los_Angeles")

    def retention_nanos(self, default: int) -> int:
        """Return how long old versions are kept: the database option, or `default`."""
        option = self.options.get("version_retention_nanos")
        return default if option is None else int(option)

    def all_indexes(self) -> Iterator[Index]:
        """Yield the indexes of all kinds: sorted, search and vector indexes."""
        for kind in KINDS:
            yield from getattr(self, kind.schema_field).values()

    def all_indexes_of(self, table: Table) -> Iterator[Index]:
        """Yield the indexes of all kinds on `table`."""
        yield from self.indexes_of(table)
        for kind in KINDS[1:]:
            indexes: Mapping[str, Index] = getattr(self, kind.schema_field)
            yield from (index for index in indexes.values() if index.table == table.name)

    def tables_and_indexes(self) -> Iterator[TableOrIndex]:
        """Yield the objects with rows of their own: tables, then indexes with entries."""
        yield from self.tables.values()
        yield from (index for index in self.all_indexes() if index.has_entries)

    def names(self) -> Iterator[str]:
        """Yield every name in the schema's single namespace, folded."""
        for kind in _NAMED:
            yield from getattr(self, kind)

    def has_name(self, name: str) -> bool:
        """Return whether an object other than a role, placement or locality group has that name.

        Names that differ in letter case only count as equal in every dialect.
        """
        unique = self.dialect.unique_key
        key = unique(name)
        if self.fold is unique:
            return any(key in getattr(self, kind) for kind in _NAMED)
        if key in self._unique_tables or key in self._unique_indexes:
            return True
        few = ("named_schemas", *SHARED_NAMES)
        return any(key == unique(other) for kind in few for other in getattr(self, kind))

    def next(self, **changes: Any) -> Self:
        """Return the next generation with the given fields replaced."""
        following = replace(self, generation=self.generation + 1, **changes)
        carry_over(self, following, _DERIVATIONS)
        return following

    def with_table(self, table: Table, **changes: Any) -> Self:
        """Return the next generation with a table added, or replaced by name."""
        return self._with("tables", table, changes)

    def without_table(self, name: str, **changes: Any) -> Self:
        """Return the next generation without a table."""
        return self._without("tables", name, changes)

    def with_index(self, index: Index, **changes: Any) -> Self:
        """Return the next generation with an index of any kind added, or replaced by name."""
        return self._with(index.schema_field, index, changes)

    def without_index(self, name: str, **changes: Any) -> Self:
        """Return the next generation without an index."""
        return self._without("indexes", name, changes)

    def _with(self, field: str, new: TableOrIndex, changes: Mapping[str, Any]) -> Self:
        objects, key = getattr(self, field), self.fold(new.name)
        old = objects.get(key)
        removed = () if old is None else (old,)
        following = with_name(objects, key, new)
        return self._changed(field, following, (removed, (new,)), changes)

    def _without(self, field: str, name: str, changes: Mapping[str, Any]) -> Self:
        objects, key = getattr(self, field), self.fold(name)
        following = without_name(objects, key)
        return self._changed(field, following, ((objects[key],), ()), changes)

    def _changed(
        self,
        source: str,
        objects: Mapping[str, Any],
        difference: Difference,
        changes: Mapping[str, Any],
    ) -> Self:
        more = {source: objects, **changes}
        following = replace(self, generation=self.generation + 1, **more)
        carry_over(self, following, _DERIVATIONS, {source: difference})
        return following

    def created_since(self, earlier: Schema) -> list[TableOrIndex]:
        """Return the tables and indexes that an earlier generation does not have, oldest first."""
        created = [source for kind in _SOURCES for source in self._created(kind, earlier)]
        return [source for source in created if _has_rows(source)]

    def _created(self, kind: str, earlier: Schema) -> list[TableOrIndex]:
        """Return the objects of a kind that an earlier generation does not have, oldest first."""
        objects: dict[str, TableOrIndex] = getattr(self, kind)
        # New objects have greater ids and come last.
        newest_first = (objects[name] for name in reversed(objects))
        return [*takewhile(lambda source: source.id >= earlier.next_id, newest_first)][::-1]

    def dropped_in(self, later: Schema) -> list[TableOrIndex]:
        """Return the tables and indexes that a later generation, one statement on, does not have.

        Their number follows from the numbers before, after, and created, so most statements need
        not visit the objects. A renamed object does not count as dropped.
        """
        dropped: list[TableOrIndex] = []
        for kind in _SOURCES:
            before: dict[str, TableOrIndex] = getattr(self, kind)
            after: Mapping[str, TableOrIndex] = getattr(later, kind)
            count = len(before) + len(later._created(kind, self)) - len(after)
            if count:
                missing = (source for name, source in before.items() if name not in after)
                dropped.extend(islice(missing, count))
        return [source for source in dropped if _has_rows(source)]

    @cached_property
    def placed_tables(self) -> Mapping[str, Table]:
        """The tables with a placement key, by folded name."""
        return self._derived("placed_tables")

    @cached_property
    def _synonyms(self) -> Mapping[str, Table]:
        return self._derived("_synonyms")

    @cached_property
    def _constraints(self) -> Mapping[str, str]:
        return self._derived("_constraints")

    @cached_property
    def _children(self) -> Mapping[str, tuple[Table, ...]]:
        return self._derived("_children")

    @cached_property
    def _indexes_by_table(self) -> Mapping[str, tuple[SortedIndex, ...]]:
        return self._derived("_indexes_by_table")

    @cached_property
    def _indexes_within(self) -> Mapping[str, tuple[SortedIndex, ...]]:
        return self._derived("_indexes_within")

    @cached_property
    def _referencing(self) -> Mapping[str, tuple[tuple[Table, ForeignKey], ...]]:
        return self._derived("_referencing")

    @cached_property
    def _unique_tables(self) -> Mapping[str, str]:
        return self._derived("_unique_tables")

    @cached_property
    def _unique_indexes(self) -> Mapping[str, str]:
        return self._derived("_unique_indexes")

    def _derived(self, name: str) -> Mapping[str, Any]:
        derivation = _DERIVATIONS[name]
        return derivation.build(getattr(self, derivation.source))


# The maps of the objects that may have rows of their own.
_SOURCES = ("tables", *(kind.schema_field for kind in KINDS))
_unique = GOOGLE_STANDARD_SQL.unique_key

# The fields whose names share one namespace.
_NAMED = ("tables", "_synonyms", "indexes", "named_schemas", "_constraints", *SHARED_NAMES)


def _has_rows(source: TableOrIndex) -> bool:
    return isinstance(source, Table) or source.has_entries


def _constraint_names(table: Table) -> Iterator[tuple[str, str]]:
    names = [*(key.name for key in table.foreign_keys), *(check.name for check in table.checks)]
    yield from ((table.fold(constraint_full_name(table.name, name)), table.name) for name in names)


def _placed_tables(table: Table) -> Iterator[tuple[str, Table]]:
    if any(column.placement_key for column in table.columns):
        yield table.fold(table.name), table


def _unique_names(table: Table) -> Iterator[tuple[str, str]]:
    """Yield the names of a table, its synonyms and its constraints, without their case."""
    names = (table.name, *table.synonyms, *(name for name, _ in _constraint_names(table)))
    yield from ((_unique(name), table.name) for name in names)


def _parents(table: Table) -> Iterator[tuple[str, Table]]:
    if table.parent is not None:
        yield table.parent, table


def _enclosing(index: SortedIndex) -> Iterator[tuple[str, SortedIndex]]:
    if index.parent is not None:
        yield index.parent, index


def _references(table: Table) -> Iterator[tuple[str, tuple[Table, ForeignKey]]]:
    yield from ((key.referenced_table, (table, key)) for key in table.foreign_keys)


_DERIVATIONS: Mapping[str, Derivation] = {
    "_synonyms": Derivation(
        "tables", lambda table: [(table.fold(synonym), table) for synonym in table.synonyms]
    ),
    "placed_tables": Derivation("tables", _placed_tables),
    "_constraints": Derivation("tables", _constraint_names),
    # Only for dialects whose `fold` keeps the case of names.
    "_unique_tables": Derivation("tables", _unique_names),
    "_unique_indexes": Derivation("indexes", lambda index: [(_unique(index.name), index.table)]),
    "_children": Grouping("tables", _parents, lambda table: table),
    "_indexes_by_table": Grouping(
        "indexes", lambda index: [(index.table, index)], lambda index: index
    ),
    "_indexes_within": Grouping("indexes", _enclosing, lambda index: index),
    "_referencing": Grouping("tables", _references, lambda pair: pair[0]),
}

# The schema of every new database: one object, so that caches by schema are shared.
EMPTY = Schema(dialect=GOOGLE_STANDARD_SQL)


def empty_schema(limits: Limits, dialect: DatabaseDialect) -> Schema:
    """Return the schema of a new database."""
    if limits is DEFAULT_LIMITS and dialect is GOOGLE_STANDARD_SQL:
        return EMPTY
    return Schema(limits=limits, dialect=dialect)
