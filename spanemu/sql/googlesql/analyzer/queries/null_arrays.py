"""Refuses queries that can return a NULL array of structs, or a NULL struct in an array.

Spanner's API cannot represent such values, so Spanner analyzes the expression of a result column:

    @parameter, NULL, NULLIF(...), a scalar subquery that can have no row,  can be NULL
    an aggregate without GROUP BY in a subquery, a column of the optional
    side of an outer join, ARRAY(...) over a value that can be NULL
    [...], ARRAY_AGG                                                        cannot be NULL
    CASE, IF                                                                if any branch can be
    IFNULL, COALESCE                                                        if all arguments can be

The source is "query-syntax.md", "Using STRUCTs with SELECT", which calls the analysis incomplete.
Every expression that is not in the table is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.sql.googlesql.analyzer.errors import NullArrayColumn
from spanemu.sql.resolved import (
    AggregateCall,
    AggregateScan,
    Case,
    Cast,
    ColumnRef,
    Expr,
    FunctionCall,
    GetField,
    JoinScan,
    JoinType,
    Let,
    Literal,
    MakeStruct,
    OrderScan,
    OutputColumn,
    ParameterRef,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SetOpScan,
    SingleRow,
    SubqueryExpr,
    SubqueryKind,
    WithRef,
    WithScan,
)
from spanemu.values.types import Type

Part = Expr | ResolvedColumn | AggregateCall

_LEFT_MAY_MISS = frozenset({JoinType.RIGHT, JoinType.FULL})
_RIGHT_MAY_MISS = frozenset({JoinType.LEFT, JoinType.FULL})
_COALESCING = frozenset({"COALESCE", "IFNULL"})


def check_arrays(scan: Scan, output: Iterable[OutputColumn]) -> None:
    """Raise NullArrayColumn for the first output column that Spanner cannot return."""
    arrays = [column for column in output if _holds_structs(column.column.type)]
    if arrays:
        column_parts = _ColumnParts()
        column_parts.add(scan)
        for column in arrays:
            if column_parts.can_be_null(column.column):
                raise NullArrayColumn(str(column.column.type))


def _holds_structs(type_: Type) -> bool:
    return type_.is_struct or (type_.element is not None and type_.element.is_struct)


class _ColumnParts:
    """The expressions that produce the columns of the added scans, by column id."""

    def __init__(self) -> None:
        self._parts: dict[int, Sequence[Part]] = {}  # the alternative sources of the column's value
        self._empty: set[int] = set()  # NULL if a join or an aggregate has no input row
        self._tables: dict[str, tuple[ResolvedColumn, ...]] = {}

    # ------------------------------------------------------------------ what makes columns

    def add(self, scan: Scan, *, may_miss: bool = False, inside: bool = False) -> None:
        """Record the columns of a scan and of the scans below it.

        `may_miss` is True if an outer join can lack a row of the scan, `inside` if the scan is part
        of a subquery.
        """
        for column, parts in self._columns(scan):
            self._parts[column.id] = parts
            if may_miss or (inside and isinstance(scan, AggregateScan) and not scan.keys):
                self._empty.add(column.id)
        if isinstance(scan, WithScan):
            for name, table, columns in scan.tables:
                self.add(table, inside=inside)
                self._tables[name] = columns
        for below, misses in _below(scan):
            self.add(below, may_miss=may_miss or misses, inside=inside)

    def _columns(self, scan: Scan) -> Iterable[tuple[ResolvedColumn, Sequence[Part]]]:
        """Return the columns that a scan computes, without the columns that it passes on."""
        match scan:
            case ProjectScan(computed=computed):
                return [(column, (value,)) for column, value in computed]
            case AggregateScan(keys=keys, aggregates=aggregates):
                values: tuple[tuple[ResolvedColumn, Part], ...] = (*keys, *aggregates)
                return [(column, (value,)) for column, value in values]
            case SetOpScan(columns=columns, inputs=inputs):
                return zip(columns, zip(*(given for _, given in inputs), strict=True), strict=True)
            case WithRef(columns=columns, name=name):
                return zip(columns, zip(self._tables.get(name, ()), strict=True), strict=False)
            case _:
                return ()

    # ------------------------------------------------------------------ what can be NULL

    def can_be_null(self, part: Part) -> bool:
        """Return whether Spanner considers a value, or an element of it, nullable."""
        match part:
            case ResolvedColumn(id=id_):
                return id_ in self._empty or any(map(self.can_be_null, self._parts.get(id_, ())))
            case ColumnRef(column=column):
                return self.can_be_null(column)
            case Literal(value=value):
                return value is None
            case ParameterRef():
                return True
            case Case(whens=whens, otherwise=otherwise):
                return any(map(self.can_be_null, (*(value for _, value in whens), otherwise)))
            case Cast(operand=operand):
                return self.can_be_null(operand)
            case Let(bindings=bindings, result=result):
                self._parts.update((column.id, (value,)) for column, value in bindings)
                return self.can_be_null(result)
            case GetField(operand=MakeStruct(items=items), index=index):
                return self.can_be_null(items[index])
            case FunctionCall():
                return self._call_can_be_null(part)
            case SubqueryExpr():
                return self._subquery_can_be_null(part)
            case _:
                return False

    def _call_can_be_null(self, call: FunctionCall) -> bool:
        name = call.signature.function
        if name == "NULLIF":
            return True
        values = [one for one in call.arguments if _holds_structs(one.type)]
        combine = all if name in _COALESCING else any
        return bool(values) and combine(map(self.can_be_null, values))

    def _subquery_can_be_null(self, query: SubqueryExpr) -> bool:
        self.add(query.scan, inside=True)
        empty = query.kind is SubqueryKind.SCALAR and not _yields_a_row(query.scan)
        return empty or self.can_be_null(query.output[0])


def _below(scan: Scan) -> Iterable[tuple[Scan, bool]]:
    """Return the inputs of a scan, each with whether the scan supplies NULLs for missing rows."""
    match scan:
        case JoinScan(join_type=kind, left=left, right=right):
            return ((left, kind in _LEFT_MAY_MISS), (right, kind in _RIGHT_MAY_MISS))
        case SetOpScan(inputs=inputs):
            return [(below, False) for below, _ in inputs]
        case WithScan(body=body):
            return ((body, False),)
        case _:
            below = getattr(scan, "input", None)
            return () if below is None else ((below, False),)


def _yields_a_row(scan: Scan) -> bool:
    """Return whether the scan has a row even if all tables are empty."""
    match scan:
        case SingleRow():
            return True
        case AggregateScan(keys=keys):
            return not keys
        case ProjectScan(input=below) | OrderScan(input=below):
            return _yields_a_row(below)
        case WithScan(body=below):
            return _yields_a_row(below)
        case _:
            return False
