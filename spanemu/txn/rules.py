"""The compiled rules of tables: how to check, complete and encode a row.

`CompiledSchema` holds a `CompiledTable` for each table, compiled once per schema generation. The
tables refer to each other through it, so that cyclic foreign keys need no special care. All
positions are positions in a stored row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from spanemu.base.limits import DEFAULT_LIMITS, KEY_BYTES_MAX, TOKEN_BYTES_MAX, Limits
from spanemu.schema.indexes import Index, SearchIndex, SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, ForeignKey, Interleave, Table, key_message
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import encoder_of, tree_of
from spanemu.txn import value_errors
from spanemu.txn.cells import Check, RowExpression, check_of, compile_expression, placement_check
from spanemu.values.key import ByteRange, after_prefix
from spanemu.values.key_text import key_text, part_text
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import BOOL, TypeCode

Row = tuple[Any, ...]


def cell_getter(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function that takes the cells at `positions` out of a row, always as a tuple."""
    if len(positions) == 1:
        only = positions[0]
        return lambda row: (row[only],)
    if not positions:
        return lambda _: ()
    getter: Callable[[Sequence[Any]], tuple[Any, ...]] = itemgetter(*positions)
    return getter


Entry = tuple[bytes, Row]  # the encoded key and the cells of an index entry


class CompiledIndex:
    """An index compiled to map rows of its table to index entries.

    `index.columns` are the columns from which the cells of an entry come, cell by cell.
    """

    is_single = False  # whether a row has at most one entry, whose cells are cells of the row
    is_unique = False

    def __init__(self, index: Index, filtered: Sequence[Column], key_bytes: int) -> None:
        self.index = index
        self.key_bytes = key_bytes
        self.tree = tree_of(index)
        positions = tuple(column.position for column in index.columns)
        self.positions = frozenset(positions)
        self.encode = encoder_of(index.full_key)
        self.declared_parts = len(index.declared_key)
        self.key_parts = len(index.full_key)
        self.key_positions = frozenset(positions[: self.key_parts])
        # of a written entry: the declared key columns and the stored columns
        self.mutations = self.declared_parts + len(positions) - self.key_parts
        self.filtered = tuple(column.position for column in filtered if not column.not_null)

    def has_entry(self, row: Row) -> bool:
        """Return whether the index has an entry for a row."""
        return all(row[position] is not None for position in self.filtered)

    def entries(self, row: Row) -> Sequence[Entry]:
        """Return the entries of a row, each with a key of its own."""
        raise NotImplementedError

    def timestamp_key_range(self, cells: Row, now: int) -> ByteRange | None:
        """Return the range of an entry's key once its pending timestamps are known, or None."""
        return _pending_key_range(cells[: self.key_parts], self.encode, now)

    def prefix(self, cells: Row) -> bytes:
        """Return the declared part of an entry's key, which is unique in a unique index."""
        return self.encode(cells[: self.declared_parts])


class CompiledSingleIndex(CompiledIndex):
    """An index, compiled, in which a row has one entry, or none if a filter leaves it out."""

    is_single = True

    def __init__(self, index: SortedIndex | SearchIndex, key_bytes: int = KEY_BYTES_MAX) -> None:
        super().__init__(index, index.filtered, key_bytes)
        self.is_unique = index.unique
        self._cells_of = cell_getter([column.position for column in index.columns])

    def entries(self, row: Row) -> Sequence[Entry]:
        if self.filtered and not self.has_entry(row):
            return ()
        cells = self._cells_of(row)
        return ((self.encode(cells[: self.key_parts]), cells),)


class CompiledSearchIndex(CompiledSingleIndex):
    """A search index, compiled: the entry of a row is its document, with its token lists."""

    def __init__(self, index: SearchIndex, key_bytes: int = KEY_BYTES_MAX) -> None:
        super().__init__(index, key_bytes)
        self._tokens = slice(self.key_parts, self.key_parts + len(index.key))

    def entries(self, row: Row) -> Sequence[Entry]:
        entries = super().entries(row)
        for _, cells in entries:
            size = sum([len(tokens) for tokens in cells[self._tokens] if tokens is not None])
            if size > TOKEN_BYTES_MAX:
                raise value_errors.TooManyTokenBytes(self.index.name, size, TOKEN_BYTES_MAX)
        return entries


# The compiled form of each kind of index that has entries.
COMPILED_INDEXES: dict[type[Index], Callable[[Any, int], CompiledIndex]] = {
    SortedIndex: CompiledSingleIndex,
    SearchIndex: CompiledSearchIndex,
}


def compiled_index(index: Index, key_bytes: int) -> CompiledIndex:
    """Return the compiled form of an index that has entries."""
    return COMPILED_INDEXES[type(index)](index, key_bytes)


class CompiledForeignKey:
    """One foreign key, compiled for both of its tables.

    `target_prefix` locates the referenced row and `source_prefix` the referring rows. Each maps
    values of the foreign key's columns, in their declared order, to a key prefix in a tree.
    `finds_row` is set when the target prefix is the complete primary key of the referenced row.
    """

    def __init__(self, foreign_key: ForeignKey, compiled: CompiledSchema) -> None:
        schema = compiled.schema
        self.compiled = compiled
        self.foreign_key = foreign_key
        self.table = schema.tables[schema.fold(foreign_key.table)]
        self.referenced = schema.tables[schema.fold(foreign_key.referenced_table)]
        self.positions = _positions(self.table, foreign_key.columns)
        self.values_of = cell_getter(self.positions)
        self.referenced_positions = _positions(self.referenced, foreign_key.referenced_columns)
        self.referenced_values_of = cell_getter(self.referenced_positions)
        self.target_tree, self.target_prefix = _sorted_access(
            schema, self.referenced, foreign_key.referenced_columns, foreign_key.referenced_index
        )
        self.finds_row = foreign_key.referenced_index is None
        self.source_tree, self.source_prefix = _sorted_access(
            schema, self.table, foreign_key.columns, foreign_key.index
        )
        self.types = tuple(
            self.table.by_name[schema.fold(name)].type for name in foreign_key.columns
        )
        source = foreign_key.index and schema.indexes[schema.fold(foreign_key.index)]
        self._key_in_entry = None if not source else cell_getter(_key_positions(source, self.table))
        self._encode_base = encoder_of(self.table.key)

    def text(self, values: Sequence[Any]) -> str:
        """Return values of the foreign key's columns as error messages show them."""
        return key_text(map(part_text, values, self.types))

    def base_key(self, key: bytes, entry: Row) -> bytes:
        """Return the encoded key of the referring row, given an entry of `source_tree`."""
        pick = self._key_in_entry
        return key if pick is None else self._encode_base(pick(entry))


class CompiledTable:
    """The constraints and effects of writes to one table."""

    def __init__(self, table: Table, compiled: CompiledSchema) -> None:
        self.table = table
        self.compiled = compiled
        self.tree = tree_of(table)
        self.width = table.width
        self.encode = encoder_of(table.key)
        self.key_of = cell_getter(table.key_positions)
        self.key_types = tuple(column.type for column in table.key_columns)
        self.key_bytes = compiled.limits.key_bytes
        self.mutations_max = compiled.limits.mutations_per_commit
        self.parent_parts = 0
        self.plans: dict[Any, Any] = {}  # write_plan.WritePlan by (kind, columns)
        parent = compiled.schema.parent(table)
        if parent is not None and table.interleave is Interleave.IN_PARENT:
            self.parent_parts = len(parent.key)
            self.parent_table: Table | None = parent
        else:
            self.parent_table = None

    def key_text(self, key: Sequence[Any]) -> str:
        """Return a key, or its first parts, as error messages show it."""
        return key_message(key, self.table.key)

    def timestamp_key_range(self, row: Row, now: int) -> ByteRange | None:
        """Return the range of a row's key once its pending timestamps are known, or None."""
        return _pending_key_range(self.key_of(row), self.encode, now)

    @cached_property
    def parent(self) -> CompiledTable | None:
        """The compiled parent table; each row of this table needs a parent row."""
        return None if self.parent_table is None else self.compiled.of(self.parent_table)

    @cached_property
    def children(self) -> tuple[CompiledTable, ...]:
        """The compiled child tables, whose rows need a row of this table."""
        return tuple(
            self.compiled.of(child)
            for child in self.compiled.schema.children(self.table)
            if child.interleave is Interleave.IN_PARENT
        )

    @cached_property
    def hierarchy(self) -> tuple[Table, ...]:
        """All tables of the interleaving hierarchy, root first."""
        schema = self.compiled.schema
        tables = [schema.root(self.table)]
        for table in tables:
            tables.extend(schema.children(table))
        return tuple(tables)

    @cached_property
    def indexes(self) -> tuple[CompiledIndex, ...]:
        """The indexes of the table that have entries."""
        indexes = self.compiled.schema.all_indexes_of(self.table)
        return tuple(
            [compiled_index(index, self.key_bytes) for index in indexes if index.has_entries]
        )

    @cached_property
    def references(self) -> tuple[CompiledForeignKey, ...]:
        """Enforced foreign keys of this table."""
        return tuple(
            self.compiled.reference(key) for key in self.table.foreign_keys if key.enforced
        )

    @cached_property
    def referenced_by(self) -> tuple[CompiledForeignKey, ...]:
        """Enforced foreign keys that refer to this table."""
        return tuple(
            self.compiled.reference(key)
            for _, key in self.compiled.schema.referencing(self.table)
            if key.enforced
        )

    @cached_property
    def watched(self) -> frozenset[int]:
        """Positions of columns to which foreign keys with ON DELETE CASCADE refer."""
        return frozenset(
            position
            for reference in self.referenced_by
            if reference.foreign_key.cascade
            for position in reference.referenced_positions
        )

    @cached_property
    def checks(self) -> tuple[tuple[str, RowExpression], ...]:
        return tuple(
            (check.name, self._compile(check.expression, BOOL)) for check in self.table.checks
        )

    @cached_property
    def cell_checks(self) -> dict[int, Check]:
        """Checks by position; columns that accept every value of their type have none."""
        cell_bytes = self.compiled.limits.cell_bytes
        pairs = ((column.position, check_of(self.table.name, column, cell_bytes))
                 for column in self.table.columns)  # fmt: skip
        checks = {position: check for position, check in pairs if check is not None}
        for column in self.table.columns:
            if column.placement_key:
                names = {placement.name for placement in self.compiled.schema.placements.values()}
                checks[column.position] = placement_check(self.table.name, column, names)
        return checks

    @cached_property
    def columns_at(self) -> dict[int, Column]:
        """Columns by position."""
        return {column.position: column for column in self.table.columns}

    @cached_property
    def defaults(self) -> dict[int, RowExpression]:
        """Default expressions by position; identity columns draw from their sequence instead."""
        return {
            column.position: self._compile(column.default, column)
            for column in self.table.columns
            if column.default is not None
        }

    @cached_property
    def identities(self) -> dict[int, str]:
        """Sequences of identity columns, by position."""
        return {
            column.position: column.identity.sequence
            for column in self.table.columns
            if column.identity is not None
        }

    @cached_property
    def on_update(self) -> frozenset[int]:
        """Positions of columns that an update sets to the commit timestamp (ON UPDATE)."""
        return frozenset(c.position for c in self.table.columns if c.on_update is not None)

    @cached_property
    def generated(self) -> tuple[tuple[Column, RowExpression], ...]:
        """Generated columns, each after the columns that it depends on."""
        waiting = {
            column.position: (column, self._compile(column.generated, column))
            for column in self.table.columns
            if column.generated is not None
        }
        ordered: list[tuple[Column, RowExpression]] = []
        while waiting:
            ready = [p for p, (_, e) in waiting.items() if not (e.reads & waiting.keys())]
            assert ready, "DDL refuses cyclic generated columns"
            ordered.extend(waiting.pop(position) for position in ready)
        return tuple(ordered)

    @cached_property
    def stored_generated(self) -> tuple[tuple[Column, RowExpression], ...]:
        return tuple(pair for pair in self.generated if pair[0].stored)

    @property
    def is_completed(self) -> bool:
        """Return whether a new row gets generated values or the delivery time of a message."""
        return bool(self.stored_generated) or self.table.is_queue

    @cached_property
    def completed(self) -> tuple[Column, ...]:
        """Columns with a default or generated value that must be checked."""
        computed = {column.position for column, _ in self.stored_generated} | self.defaults.keys()
        return tuple(
            column
            for column in self.table.columns
            if column.position in computed
            and (column.not_null or column.position in self.cell_checks)
        )

    @cached_property
    def virtual(self) -> tuple[tuple[Column, RowExpression], ...]:
        return tuple(pair for pair in self.generated if not pair[0].stored)

    @cached_property
    def indexes_virtual(self) -> bool:
        """Return whether an index contains a virtual column."""
        virtual = {column.position for column, _ in self.virtual}
        return any(index.positions & virtual for index in self.indexes)

    @cached_property
    def timestamps(self) -> frozenset[int]:
        """Positions of columns that may hold the commit timestamp."""
        return frozenset(c.position for c in self.table.columns if c.allow_commit_timestamp)

    @cached_property
    def has_row_checks(self) -> bool:
        """Return whether a written row must be checked when its batch ends."""
        return bool(self.table.checks or self.stored_generated)

    @cached_property
    def has_constraints(self) -> bool:
        """Return whether the table has foreign keys, either way, checks or generated columns."""
        return bool(
            self.table.foreign_keys
            or self.table.checks
            or self.compiled.schema.referencing(self.table)
            or any(column.generated is not None for column in self.table.columns)
        )

    @cached_property
    def is_plain(self) -> bool:
        """Return whether rows need no work besides storing them: no indexes and no constraints."""
        return not (self.indexes or self.has_constraints)

    @cached_property
    def stands_alone(self) -> bool:
        """Return whether a new row concerns no more than its parent row and its index entries."""
        if self.has_constraints or self.table.is_queue:
            return False
        indexes = self.indexes
        return all(type(each) is CompiledSingleIndex and not each.is_unique for each in indexes)

    def _compile(self, text: str | None, target: Any) -> RowExpression:
        assert text is not None
        type_ = target.type if isinstance(target, Column) else target
        return compile_expression(self.compiled.schema, self.table, text, type_)


class CompiledSchema:
    """The compiled tables of one schema generation, each compiled on first use."""

    def __init__(self, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        self.schema = schema
        self.limits = limits
        self._rules: dict[str, CompiledTable] = {}
        self._references: dict[str, CompiledForeignKey] = {}
        # What `one_row` keeps: `WritePlan` or None by table, kind and columns of a mutation.
        self.plans_alone: dict[Any, Any] = {}

    def of(self, table: Table) -> CompiledTable:
        """Return the compiled form of a table of this generation."""
        rules = self._rules.get(table.name)
        if rules is None:
            rules = self._rules[table.name] = CompiledTable(table, self)
        return rules

    def named(self, name: str) -> CompiledTable | None:
        """Return the compiled table with that name or synonym, in any case, or None."""
        rules = self._rules.get(name)
        if rules is not None:
            return rules
        table = self.schema.requested_table(name)
        return None if table is None else self.of(table)

    def reference(self, foreign_key: ForeignKey) -> CompiledForeignKey:
        """Return a foreign key compiled for both of its tables."""
        reference = self._references.get(foreign_key.name)
        if reference is None:
            reference = CompiledForeignKey(foreign_key, self)
            self._references[foreign_key.name] = reference
        return reference


def _pending_key_range(
    key: Row, encode: Callable[[Sequence[Any]], bytes], now: int
) -> ByteRange | None:
    """Return the range of keys from `now` on, for a key with a pending commit timestamp."""
    if COMMIT_TIMESTAMP not in key:
        return None
    part = key.index(COMMIT_TIMESTAMP)
    pending, soonest = encode(key[: part + 1]), encode((*key[:part], now))
    if soonest < pending:
        return soonest, pending
    return after_prefix(pending), after_prefix(soonest)  # descending


def _positions(table: Table, names: Sequence[str]) -> tuple[int, ...]:
    columns = [table.by_name[table.fold(name)] for name in names]
    return tuple(column.position for column in columns)


def _sorted_access(
    schema: Schema, table: Table, names: Sequence[str], index_name: str | None
) -> tuple[Any, Callable[[Sequence[Any]], bytes]]:
    """Return the tree sorted by these columns, and a function from their values to a key prefix."""
    source = table if index_name is None else schema.indexes[schema.fold(index_name)]
    parts = source.key
    fold = schema.fold
    keys = [fold(name) for name in names]
    order = [keys.index(fold(part.column.name)) for part in parts[: len(keys)]]
    encode = encoder_of(parts)
    reorder = cell_getter(order)
    return tree_of(source), lambda values: encode(reorder(values))


def _key_positions(index: SortedIndex, table: Table) -> list[int]:
    """Return the positions, in an index entry, of the parts of its table's key."""
    in_entry = {column.position: part for part, column in enumerate(index.columns)}
    return [in_entry[position] for position in table.key_positions]


def is_timestamp(column: Column) -> bool:
    """Return whether a column has the type of commit timestamps."""
    return column.type.code is TypeCode.TIMESTAMP


def with_virtual_columns(rules: CompiledTable, row: Row, context: Context) -> Row:
    """Return a stored row with its virtual generated columns computed."""
    if not rules.virtual:
        return row
    cells = list(row)
    for column, expression in rules.virtual:
        cells[column.position] = expression.evaluate(tuple(cells), context)
    return tuple(cells)
