"""One generation of a database's schema: lookup by name, and the step to the next generation.

Names are looked up without regard to case, as queries and mutations do; the exact spelling
stays in each object. Deriving a generation copies no object, and of large maps only what changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, takewhile
from typing import Any, Self, cast

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.schema.access import Role
from spanemu.schema.constraints import ForeignKey
from spanemu.schema.derived import Derivation, Difference, Grouping, carry_over
from spanemu.schema.graph import PropertyGraph
from spanemu.schema.index import Index, SearchIndex, VectorIndex
from spanemu.schema.names import beside, with_name, without_name
from spanemu.schema.objects import (
    ChangeStream,
    LocalityGroup,
    Model,
    Placement,
    ProtoBundle,
    Sequence,
    UserFunction,
    View,
)
from spanemu.schema.table import Table


@dataclass(frozen=True)
class Schema:
    """Everything that DDL declares, as of one generation.

    `tables` and kin are keyed by lower-cased name, in order of creation. `next_id` is the next
    free id for tables, indexes, columns and sequences; ids are never reused, so that rows of a
    dropped table can never be read through a new one of the same name.
    """

    generation: int = 0
    tables: Mapping[str, Table] = field(default_factory=dict)
    indexes: Mapping[str, Index] = field(default_factory=dict)
    views: Mapping[str, View] = field(default_factory=dict)
    sequences: Mapping[str, Sequence] = field(default_factory=dict)
    named_schemas: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)  # ALTER DATABASE ... SET OPTIONS
    search_indexes: Mapping[str, SearchIndex] = field(default_factory=dict)
    vector_indexes: Mapping[str, VectorIndex] = field(default_factory=dict)
    change_streams: Mapping[str, ChangeStream] = field(default_factory=dict)
    functions: Mapping[str, UserFunction] = field(default_factory=dict)
    models: Mapping[str, Model] = field(default_factory=dict)
    graphs: Mapping[str, PropertyGraph] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    locality_groups: Mapping[str, LocalityGroup] = field(default_factory=dict)
    placements: Mapping[str, Placement] = field(default_factory=dict)
    statistics: Mapping[str, bool] = field(default_factory=dict)  # package -> allow_gc, if set
    proto_bundle: ProtoBundle | None = None
    next_id: int = 1
    limits: Limits = DEFAULT_LIMITS  # how much of everything there may be

    def table(self, name: str) -> Table | None:
        """The table of that name or synonym, whatever its case."""
        lowered = name.lower()
        return self.tables.get(lowered) or self._synonyms.get(lowered)

    def index(self, name: str) -> Index | None:
        return self.indexes.get(name.lower())

    def view(self, name: str) -> View | None:
        return self.views.get(name.lower())

    def sequence(self, name: str) -> Sequence | None:
        return self.sequences.get(name.lower())

    def parent(self, table: Table) -> Table | None:
        """The table that `table` is interleaved in, either way."""
        return None if table.parent is None else self.tables[table.parent.lower()]

    def root(self, table: Table) -> Table:
        """The table at the top of the hierarchy of `table`."""
        while table.parent is not None:
            table = self.tables[table.parent.lower()]
        return table

    def children(self, table: Table) -> tuple[Table, ...]:
        """Tables interleaved directly in `table`, in order of creation."""
        return self._children.get(table.name.lower(), ())

    def indexes_of(self, table: Table) -> tuple[Index, ...]:
        """Indexes on `table`, managed ones included, in order of creation."""
        return self._indexes_by_table.get(table.name.lower(), ())

    def referencing(self, table: Table) -> tuple[tuple[Table, ForeignKey], ...]:
        """(table, foreign key) for each foreign key that refers to `table`."""
        return self._referencing.get(table.name.lower(), ())

    def index_within(self, index: Index) -> Table | None:
        """The table an index is interleaved in."""
        return None if index.parent is None else self.tables[index.parent.lower()]

    @cached_property
    def default_time_zone(self) -> str:
        """Name of the zone that functions without one use."""
        return str(self.options.get("default_time_zone") or "America/Los_Angeles")

    def retention_nanos(self, default: int) -> int:
        """How long old versions are kept: the database option, or `default`."""
        found = self.options.get("version_retention_nanos")
        return default if found is None else int(found)

    def tables_and_indexes(self) -> Iterator[Table | Index]:
        """Everything that has rows of its own: tables, then indexes."""
        yield from self.tables.values()
        yield from self.indexes.values()

    def names(self) -> Iterator[str]:
        """Every name in the schema's one namespace, lower-cased."""
        for kind in _NAMED:
            yield from getattr(self, kind)

    def has_name(self, name: str) -> bool:
        """Whether some object bears that name; roles and places of rows are named apart."""
        lowered = name.lower()
        return any(lowered in getattr(self, kind) for kind in _NAMED)

    def next(self, **changes: Any) -> Self:
        """The following generation with the given fields replaced."""
        following = replace(self, generation=self.generation + 1, **changes)
        carry_over(self, following, _DERIVATIONS)
        return following

    def with_table(self, table: Table, **changes: Any) -> Self:
        """The following generation with a table added, or put in place of the one of its name."""
        return self._with("tables", table, changes)

    def without_table(self, name: str, **changes: Any) -> Self:
        """The following generation without a table."""
        return self._without("tables", name, changes)

    def with_index(self, index: Index, **changes: Any) -> Self:
        """The following generation with an index added, or put in place of the one of its name."""
        return self._with("indexes", index, changes)

    def without_index(self, name: str, **changes: Any) -> Self:
        """The following generation without an index."""
        return self._without("indexes", name, changes)

    def _with(self, source: str, thing: Table | Index, changes: Mapping[str, Any]) -> Self:
        objects, key = getattr(self, source), thing.name.lower()
        old = objects.get(key)
        gone = () if old is None else (old,)
        following = with_name(objects, key, thing)
        return self._changed(source, following, (gone, (thing,)), changes)

    def _without(self, source: str, name: str, changes: Mapping[str, Any]) -> Self:
        objects, key = getattr(self, source), name.lower()
        following = without_name(objects, key)
        return self._changed(source, following, ((objects[key],), ()), changes)

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

    def created_since(self, earlier: Schema) -> list[Table | Index]:
        """Tables and indexes that an earlier generation did not have yet, oldest first."""
        found: list[Table | Index] = []
        sources: tuple[Mapping[str, Table | Index], ...] = (self.tables, self.indexes)
        for objects in sources:
            # New objects have newer ids and stand last.
            names: Iterator[str] = reversed(cast("_Things", objects))
            newest_first = (objects[name] for name in names)
            found.extend(takewhile(lambda thing: thing.id >= earlier.next_id, newest_first))
        return found[::-1]

    def dropped_in(self, later: Schema) -> list[Table | Index]:
        """Tables and indexes that a later generation, one statement on, does not have any more.

        How many those are is known from how many there were, are and came, so that most
        statements cost no look at the others; one that was renamed is not gone.
        """
        gone: list[Table | Index] = []
        created = later.created_since(self)
        for kind, mine, theirs in (
            (Table, self.tables, later.tables),
            (Index, self.indexes, later.indexes),
        ):
            came = sum(isinstance(thing, kind) for thing in created)
            count = len(mine) + came - len(theirs)
            if count:
                things = cast("_Things", mine).items()
                missing = (thing for name, thing in things if name not in theirs)
                gone.extend(islice(missing, count))
        return gone

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
    def _indexes_by_table(self) -> Mapping[str, tuple[Index, ...]]:
        return self._derived("_indexes_by_table")

    @cached_property
    def _referencing(self) -> Mapping[str, tuple[tuple[Table, ForeignKey], ...]]:
        return self._derived("_referencing")

    def _derived(self, name: str) -> Mapping[str, Any]:
        derivation = _DERIVATIONS[name]
        return derivation.build(getattr(self, derivation.source))


_Things = dict[str, Table | Index]

# What shares one namespace.
_NAMED = (
    "tables", "_synonyms", "indexes", "views", "sequences", "named_schemas", "_constraints",
    "search_indexes", "vector_indexes", "change_streams", "functions", "models", "graphs",
)  # fmt: skip


def _constraint_names(table: Table) -> Iterator[tuple[str, str]]:
    names = [*(key.name for key in table.foreign_keys), *(check.name for check in table.checks)]
    yield from ((beside(table.name, name).lower(), table.name) for name in names)


def _parents(table: Table) -> Iterator[tuple[str, Table]]:
    if table.parent is not None:
        yield table.parent.lower(), table


def _references(table: Table) -> Iterator[tuple[str, tuple[Table, ForeignKey]]]:
    yield from ((key.referenced_table.lower(), (table, key)) for key in table.foreign_keys)


_DERIVATIONS: Mapping[str, Derivation] = {
    "_synonyms": Derivation(
        "tables", lambda table: [(synonym.lower(), table) for synonym in table.synonyms]
    ),
    "_constraints": Derivation("tables", _constraint_names),
    "_children": Grouping("tables", _parents, lambda table: table),
    "_indexes_by_table": Grouping(
        "indexes", lambda index: [(index.table.lower(), index)], lambda index: index
    ),
    "_referencing": Grouping("tables", _references, lambda pair: pair[0]),
}

# The schema of every new database: one object, so that what is worked out for it is found again.
EMPTY = Schema()


def empty_schema(limits: Limits) -> Schema:
    """The schema of a new database."""
    return EMPTY if limits is DEFAULT_LIMITS else Schema(limits=limits)
