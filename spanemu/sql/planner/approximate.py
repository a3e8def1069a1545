"""Approximate distances: the queries that may use them, and the vector index that serves each.

    SELECT Id FROM Docs WHERE Embedding IS NOT NULL
    ORDER BY APPROX_COSINE_DISTANCE(Embedding, @query, options => JSON '{...}') LIMIT 10

A call must be the only key of an ORDER BY with LIMIT, over one table, and needs a vector index. The
rows then come in the order of the exact distance: spanemu loses no neighbour. So `exact` puts the
exact function in the place of the call, and the chosen index into the scan of the table, where
plans show it. Calls that `exact` does not replace are refused by the translator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Protocol

from spanemu.base.errors import SpannerError
from spanemu.schema.indexes import VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql import resolved
from spanemu.sql.functions.registry import Nulls, Operation, Signature
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import call_of, conjuncts, negated
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import free, has_query, scope_of
from spanemu.sql.planner.approximate_errors import (
    DistanceMisplaced,
    ForcedIndexDisabled,
    ForcedIndexNotVector,
    ForcedIndexOfOtherDistance,
    ForcedIndexOnOtherColumn,
    ForcedVectorIndexUnused,
    NoVectorIndex,
    NullsFilteredByIndex,
    OptionsInvalid,
    OptionsNotLiteral,
    OptionsRequired,
    VectorLengthsDiffer,
    ZeroVector,
)
from spanemu.sql.planner.fold import fold
from spanemu.sql.planner.planning import ForcedIndexNotReady, IndexNotFound, Planning
from spanemu.sql.planner.properties import is_single_row
from spanemu.sql.resolved import (
    ApproximateDistance,
    ColumnRef,
    Expr,
    FunctionCall,
    Literal,
    MakeArray,
)
from spanemu.values.json import Document

_DISTANCE_TYPES: Mapping[Operation | None, str] = {
    Operation.COSINE_DISTANCE: "COSINE",
    Operation.DOT_PRODUCT: "DOT_PRODUCT",
    Operation.EUCLIDEAN_DISTANCE: "EUCLIDEAN",
}
_LEAVES_TO_SEARCH = "num_leaves_to_search"
_LEAVES_MAX = 2**64 - 1
_BASE_TABLE = "_BASE_TABLE"


class Translator(Protocol):
    """The translator of the statement: `common_tables` are the tables of WITH clauses so far."""

    planning: Planning
    common_tables: dict[str, Node]

    def node(self, scan: resolved.Scan) -> Node:
        """Return the plan node for a scan."""
        ...

    def expr(self, expr: Expr) -> Expr:
        """Return the expression with its subqueries translated."""
        ...


def refused(call: ApproximateDistance, schema: Schema) -> SpannerError:
    """Return the error for a call outside of the only place that approximate distances have."""
    try:
        _check_options(call, schema)
    except SpannerError as failure:
        return failure
    return _misplaced(call)


def _misplaced(call: ApproximateDistance) -> DistanceMisplaced:
    function = _name(call)
    return DistanceMisplaced(function, function.removeprefix("APPROX_"))


def refuse_forced(table: Table, name: str, schema: Schema) -> None:
    """Raise if FORCE_INDEX names a vector index in a query without an approximate distance."""
    index = schema.vector_indexes.get(schema.fold(name)) or schema.in_any_case(
        schema.vector_indexes, name
    )
    if index is not None and index.table == table.name:
        raise ForcedVectorIndexUnused(index.name)


def exact(scan: resolved.LimitScan, translator: Translator) -> resolved.LimitScan:
    """Return a block that sorts by an approximate distance with the exact distance in its place.

    The first key of the ORDER BY is the call, or a column that the scan below computes by the call.
    Raise an error of this module if the query may not use the call.
    """
    ordered = scan.input
    assert isinstance(ordered, resolved.OrderScan)
    key, output = ordered.keys[0], None
    call = key.value
    if isinstance(call, ColumnRef):
        output = call.column
        assert isinstance(ordered.input, resolved.ProjectScan)
        call = dict(_by_id(ordered.input.computed))[output.id]
    assert isinstance(call, ApproximateDistance)
    _check_options(call, translator.planning.schema)
    if len(ordered.keys) > 1 or key.collation is not None:
        raise _misplaced(call)
    block = _Block(ordered.input, translator)
    replaced = _Distance(call, block, translator)
    index = replaced.index()
    below = _with_index(ordered.input, block.scan, index)
    if output is None:
        keys = (replace(key, value=replaced.exact()),)
        return replace(scan, input=replace(ordered, input=below, keys=keys))
    assert isinstance(below, resolved.ProjectScan)
    computed = tuple(
        [
            (column, replaced.exact() if column.id == output.id else value)
            for column, value in below.computed
        ]
    )
    below = replace(below, computed=computed)
    return replace(scan, input=replace(ordered, input=below))


def _by_id(computed: Sequence[tuple[resolved.ResolvedColumn, Expr]]) -> Iterator[tuple[int, Expr]]:
    return ((column.id, value) for column, value in computed)


def _name(call: ApproximateDistance) -> str:
    return call.signature.function.removeprefix("spanner.").upper()


# ---------------------------------------------------------------------------- options


def _check_options(call: ApproximateDistance, schema: Schema) -> None:
    if len(call.arguments) < 3:
        if schema.dialect.requires_distance_options:
            raise OptionsRequired(_name(call))
        return
    options = call.arguments[2]
    if not isinstance(options, Literal):
        raise OptionsNotLiteral(_name(call))
    if options.value is None and not schema.dialect.requires_distance_options:
        return
    if not isinstance(options.value, Document) or not _is_leaves(options.value.value):
        raise OptionsInvalid(_name(call))


def _is_leaves(value: Any) -> bool:
    """Return whether a JSON document is an object with the number of leaves to search alone."""
    if not isinstance(value, dict) or value.keys() != {_LEAVES_TO_SEARCH}:
        return False
    number = value[_LEAVES_TO_SEARCH]
    if isinstance(number, Decimal):
        return number == number.to_integral_value() and 0 <= number <= _LEAVES_MAX
    is_whole = isinstance(number, int) and not isinstance(number, bool)
    return is_whole and 0 <= number <= _LEAVES_MAX


# ---------------------------------------------------------------------------- shape


class _Block:
    """The FROM and WHERE clauses below an ORDER BY: one table, and perhaps sources of one row.

    `scan` is the scan of the table, None if there is no single table. `conditions` are the
    conjuncts of the filters, `computed` the projections by column, `virtual` the names of the
    virtual generated columns of the table, and `constants` the columns of the sources of one row.
    """

    def __init__(self, scan: resolved.Scan, translator: Translator) -> None:
        self._translator = translator
        self.scan: resolved.TableScan | None = None
        self.conditions: list[Expr] = []
        self.computed: dict[int, Expr] = {}
        self.virtual: dict[int, str] = {}
        self.constants: set[int] = set()
        self._visit(scan)

    def _visit(self, scan: resolved.Scan) -> None:
        if isinstance(scan, resolved.FilterScan):
            self.conditions += conjuncts(scan.condition)
            self._visit(scan.input)
        elif isinstance(scan, resolved.ProjectScan):
            self.computed.update(_by_id(scan.computed))
            if isinstance(scan.input, resolved.TableScan):
                self._note_virtual(scan, scan.input.table)
            self._visit(scan.input)
        elif isinstance(scan, resolved.TableScan):
            self.scan = scan
        elif isinstance(scan, resolved.JoinScan):
            self._visit_join(scan)

    def _note_virtual(self, scan: resolved.ProjectScan, table: Table) -> None:
        for column, _ in scan.computed:
            stored = table.by_name.get(table.fold(column.name))
            if stored is not None and stored.is_virtual:
                self.virtual[column.id] = stored.name

    def _visit_join(self, join: resolved.JoinScan) -> None:
        if join.join_type is not resolved.JoinType.INNER:
            return
        self.conditions += conjuncts(join.condition)
        for side, other in ((join.left, join.right), (join.right, join.left)):
            node = self._translator.node(side)
            if self._is_single(node):
                self.constants |= node.ids
                self._visit(other)
                return

    def _is_single(self, node: Node) -> bool:
        while isinstance(node, nodes.Project | nodes.Filter):
            node = node.input
        if isinstance(node, nodes.WithRef):
            known = self._translator.common_tables.get(node.name)
            return known is not None and self._is_single(known)
        return is_single_row(node)

    def stored(self, expr: Expr) -> Column | None:
        """Return the stored column of the table to which an expression refers directly."""
        expr = self._source(expr)
        if self.scan is None or not isinstance(expr, ColumnRef):
            return None
        outputs = self.scan.columns
        return next((stored for output, stored in outputs if output.id == expr.column.id), None)

    def not_null(self) -> frozenset[str]:
        """Return the names of the table's columns with a conjunct IS NOT NULL."""
        names = set()
        for condition in self.conditions:
            denied = negated(condition)
            tested = None if denied is None else call_of(denied, Operation.IS_NULL)
            if tested is not None:
                name = self._name(tested.arguments[0])
                if name is not None:
                    names.add(name)
        return frozenset(names)

    def _name(self, expr: Expr) -> str | None:
        source = self._source(expr)
        if isinstance(source, ColumnRef) and source.column.id in self.virtual:
            return self.virtual[source.column.id]
        stored = self.stored(source)
        return None if stored is None else stored.name

    def _source(self, expr: Expr) -> Expr:
        """Return what a reference to a column of a projection refers to in the end."""
        while isinstance(expr, ColumnRef) and expr.column.id not in self.virtual:
            below = self.computed.get(expr.column.id)
            if below is None:
                break
            expr = below
        return expr


def _with_index(
    scan: resolved.Scan, table_scan: resolved.TableScan | None, index: VectorIndex
) -> resolved.Scan:
    """Return a block with the index in the scan of its table, which a hint need not name then."""
    if table_scan is not None and scan is table_scan:
        hints = tuple([hint for hint in table_scan.hints if hint[0] != "force_index"])
        return replace(table_scan, hints=hints, vector_index=index)
    if isinstance(scan, resolved.JoinScan):
        left, right = (_with_index(side, table_scan, index) for side in (scan.left, scan.right))
        return replace(scan, left=left, right=right)
    if isinstance(scan, resolved.FilterScan | resolved.ProjectScan):
        return replace(scan, input=_with_index(scan.input, table_scan, index))
    return scan  # the other side of a join


# ---------------------------------------------------------------------------- index and distance


class _Distance:
    """The distance of a column of the block's table from a vector that is the same for all rows."""

    def __init__(self, call: ApproximateDistance, block: _Block, translator: Translator) -> None:
        self._call = call
        self._function = _name(call)
        self._block = block
        self._planning = translator.planning
        self._schema = translator.planning.schema
        sides = [block.stored(argument) for argument in call.arguments[:2]]
        if block.scan is None or sides.count(None) != 1:
            raise _misplaced(call)
        self._is_first = sides[0] is not None
        column = sides[0] or sides[1]
        assert column is not None
        self._column = column
        vector = fold(translator.expr(call.arguments[1 if self._is_first else 0]))
        scope = scope_of(vector)
        if has_query(vector) or scope.is_volatile or not free(vector) <= block.constants:
            raise _misplaced(call)
        self._table = block.scan.table
        self._constant = self._checked_constant(vector)

    def _checked_constant(self, vector: Expr) -> Literal | None:
        """Return a vector that the text of the query contains, None for any other."""
        constant = _literal(vector)
        if constant is not None and constant.value is not None:
            if None in constant.value:
                raise _misplaced(self._call)
            length = self._column.vector_length
            if length is not None:
                _checked(constant.value, self._function, length, self._call.signature.operation)
        return constant

    def exact(self) -> FunctionCall:
        """Return the call of the exact function."""
        call, column = self._call, self._column
        signature = call.signature
        types = signature.argument_types[:2]
        name = signature.function.replace("APPROX_", "").replace("approx_", "")
        vectors = list(call.arguments[:2])
        if column.vector_length is not None:
            constant = 1 if self._is_first else 0
            vectors[constant] = self._checked_vector(vectors[constant], column.vector_length)
        bound = replace(signature, function=name, argument_types=types, volatile=False)
        return FunctionCall(call.type, bound, tuple(vectors), call.safe, call.at)

    def _checked_vector(self, vector: Expr, length: int) -> Expr:
        """Return the constant vector, checked where a run knows its value."""
        if self._constant is not None:
            return self._constant
        function, operation = self._function, self._call.signature.operation

        def checked(value: tuple[Any, ...]) -> tuple[Any, ...]:
            return _checked(value, function, length, operation)

        types = (vector.type,)
        name = Operation.QUERY_VECTOR.value
        signature = Signature(
            name, types, vector.type, checked, Nulls.STRICT, operation=Operation.QUERY_VECTOR
        )
        return FunctionCall(vector.type, signature, (vector,))

    def index(self) -> VectorIndex:
        """Return the vector index that serves the query: the forced one, or the best."""
        scan = self._block.scan
        assert scan is not None
        forced = next((value for name, value in scan.hints if name == "force_index"), None)
        reads_table = self._planning.hint("force_index", scan.hints) == _BASE_TABLE
        if forced is not None and not reads_table:
            return self._forced(str(forced))
        known, filtering = self._block.not_null(), None
        fitting: list[VectorIndex] = []
        if not reads_table:
            for index in self._schema.vector_indexes.values():
                if not self._measures(index) or is_disabled(index) or not index.ready:
                    continue
                if self._unfiltered(index, known) is None:
                    fitting.append(index)
                else:
                    filtering = filtering or index
        if fitting:
            read = {stored.name for _, stored in scan.columns}
            return max(fitting, key=lambda index: _merit(index, read))
        if filtering is not None:
            raise NullsFilteredByIndex(filtering.name, self._column.name)
        distance = _DISTANCE_TYPES[self._call.signature.operation]
        raise NoVectorIndex(distance, self._column.name, self._function)

    def _measures(self, index: VectorIndex) -> bool:
        distance = _DISTANCE_TYPES[self._call.signature.operation]
        is_on_column = index.table == self._table.name and index.key[0].id == self._column.id
        return is_on_column and index.options.get("distance_type") == distance

    def _forced(self, name: str) -> VectorIndex:
        index = self._schema.index_of_any_kind(name)
        if index is None or index.table != self._table.name:
            raise IndexNotFound(self._table.name, name)
        if not isinstance(index, VectorIndex):
            raise ForcedIndexNotVector(index.name)
        if index.key[0].id != self._column.id:
            raise ForcedIndexOnOtherColumn(index.name, self._column.name, self._function)
        if not self._measures(index):
            distance = str(index.options.get("distance_type"))
            raise ForcedIndexOfOtherDistance(
                index.name, distance, self._function, self._column.name
            )
        if not index.ready:
            raise ForcedIndexNotReady(self._table.name, index.name)
        if is_disabled(index):
            raise ForcedIndexDisabled(index.name)
        unfiltered = self._unfiltered(index, self._block.not_null())
        if unfiltered is not None:
            raise NullsFilteredByIndex(index.name, unfiltered)
        return index

    def _unfiltered(self, index: VectorIndex, known: frozenset[str]) -> str | None:
        """Return a column by whose NULLs the index leaves out rows that the query may need."""
        table = self._table
        for name in index.where_not_null:
            column = table.by_name[table.fold(name)]
            if not column.not_null and column.name not in known:
                return column.name
        return None


def is_disabled(index: VectorIndex) -> bool:
    """Return whether an option keeps queries from using a vector index."""
    return bool(index.options.get("disable_search"))


def _merit(index: VectorIndex, read: set[str]) -> tuple[int, int, int]:
    """Return how well an index serves a query that reads columns: the more it filters, the better.

    Of equally good indexes, the older one wins.
    """
    held = {column.name for column in index.columns}
    return len(index.where_not_null), len(read & held), -index.id


def _literal(vector: Expr) -> Literal | None:
    """Return a literal vector, or an array of literal elements as one; None for any other."""
    if isinstance(vector, MakeArray) and all(isinstance(item, Literal) for item in vector.items):
        values = tuple([item.value for item in vector.items if isinstance(item, Literal)])
        return Literal(vector.type, values)
    return vector if isinstance(vector, Literal) else None


def _checked(
    value: tuple[Any, ...], function: str, length: int, operation: Operation | None
) -> tuple[Any, ...]:
    """Return a constant vector. Raise if it has another length, or no direction to compare."""
    if len(value) != length:
        raise VectorLengthsDiffer(function, len(value), length)
    if operation is Operation.COSINE_DISTANCE and not any(value):
        raise ZeroVector()
    return value
