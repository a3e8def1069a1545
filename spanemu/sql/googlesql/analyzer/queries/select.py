"""Resolves one SELECT with its ORDER BY.

Expressions are resolved in the order WHERE, select list, GROUP BY, HAVING, ORDER BY, all against
the rows of FROM. The scans are then stacked in the order of execution:

    FROM -> WHERE -> GROUP BY -> HAVING -> select list -> DISTINCT -> ORDER BY

Expressions that run after GROUP BY are rewritten to use its keys (`group_by.Grouping`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.base.record import dataclass
from spanemu.sql.analysis import tree
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.errors import CHILD_SUBQUERIES, NESTED_QUERIES, STRUCT_FIELDS
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer import type_names
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors import (
    BadGrouping,
    BadQuery,
    NotAMessage,
    NotGroupable,
    NotVisibleAfterDistinct,
)
from spanemu.sql.googlesql.analyzer.expressions import message_constructors
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.queries import group_by as groups
from spanemu.sql.googlesql.analyzer.queries import ordering
from spanemu.sql.googlesql.analyzer.queries.from_clause import resolve_from
from spanemu.sql.googlesql.analyzer.queries.select_list import SelectColumn, resolve_items
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    Expr,
    FilterScan,
    Hints,
    MakeStruct,
    OrderScan,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
    SortKey,
)
from spanemu.values.types import StructField, Type, TypeCode

AFTER_DISTINCT = "ORDER BY clause after SELECT DISTINCT"


def resolve_select(
    select: ast.Select, env: Env, order_by: Sequence[ast.OrderItem] = ()
) -> QueryResult:
    """Resolve a SELECT, sorted by `order_by`. Raise AnalysisError if the SELECT is invalid."""
    if select.source is None:
        _check_without_from(select, order_by)
    analysis = env.analysis
    analysis.enter(NESTED_QUERIES, analysis.limits.subselect_depth, select.at)
    if select.group_by is not None:
        analysis.enter("nested aggregations", analysis.limits.group_by_depth, select.at)
    siblings = analysis.counts.pop(CHILD_SUBQUERIES, 0)
    result = _Select(select, env).resolve(order_by)
    analysis.counts[CHILD_SUBQUERIES] = siblings
    if select.group_by is not None:
        analysis.leave("nested aggregations")
    analysis.leave(NESTED_QUERIES)
    return result


def resolve_pipe_select(select: ast.Select, env: Env, source: Relation) -> QueryResult:
    """Resolve `|> SELECT` over the relation `source`; aggregates are not allowed."""
    env.analysis.enter(NESTED_QUERIES, env.analysis.limits.subselect_depth, select.at)
    result = _Select(select, env, source).resolve(())
    env.analysis.leave(NESTED_QUERIES)
    return result


def _check_without_from(select: ast.Select, order_by: Sequence[ast.OrderItem]) -> None:
    group_by = select.group_by
    for clause, at in (
        ("a WHERE clause", select.where_at if select.where else None),
        ("a GROUP BY clause", group_by.at if group_by else None),
        ("a HAVING clause", select.having_at if select.having else None),
        ("an ORDER BY clause", order_by[0].clause_at if order_by else None),
    ):
        if at is not None:
            raise BadQuery(f"Query without FROM clause cannot have {clause}", at=at)
    if select.distinct:
        raise BadQuery("Query without FROM clause cannot use SELECT DISTINCT", at=select.at)


class _Select:
    """The state of the resolution of one SELECT."""

    def __init__(self, select: ast.Select, outer: Env, piped: Relation | None = None) -> None:
        self.select = select
        self.outer = outer
        self.analysis = outer.analysis
        self.aggregation = Aggregation()
        self.piped = piped
        self.source = piped
        self.keys: list[tuple[ResolvedColumn, Expr]] = []
        self.grouping: groups.Grouping | None = None
        self.group_hints: Hints = ()

    def resolve(self, order_by: Sequence[ast.OrderItem]) -> QueryResult:
        select = self.select
        check_hints(select.hint, HintTarget.SELECT, self.analysis)
        if select.source is not None:
            self.source = resolve_from(select.source, self._outer_env())
        self.scope = Scope(self.outer.scope, self.source)
        where = None
        if select.where is not None:
            where = resolve_condition(select.where, self._env("WHERE clause"))
        self.scope.origins = []
        columns = self._select_list()
        if select.distinct:
            _check_distinct(columns)
        self._group(columns)
        outputs = self._outputs(columns)
        having = self._having(columns, outputs)
        ordered = self._sort_keys(order_by, columns, outputs) if order_by else ()
        return self._projected(self._input(where, having), outputs, ordered)

    def _outer_env(self) -> Env:
        outer = self.outer
        return Env(
            self.analysis,
            outer.scope,
            "FROM clause",
            outer.common_tables,
            for_update=outer.for_update,
        )

    def _env(self, clause: str, *, aggregates: bool = False, scope: Scope | None = None) -> Env:
        return Env(
            self.analysis,
            scope or self.scope,
            clause,
            self.outer.common_tables,
            self.aggregation if aggregates else None,
        )

    # ------------------------------------------------------------------ clauses

    def _select_list(self) -> list[SelectColumn]:
        if self.piped is not None:
            env = self._env("pipe SELECT")
        elif self.source is None:
            env = self._env("SELECT without FROM clause")
        else:
            env = self._env("SELECT list", aggregates=True)
        return resolve_items(self.select.items, self.source, env)

    def _group(self, columns: Sequence[SelectColumn]) -> None:
        """Resolve the keys of GROUP BY, if the SELECT groups or aggregates."""
        group_by = self.select.group_by
        if group_by is not None:
            self.group_hints = check_hints(group_by.hint, HintTarget.GROUP_BY, self.analysis)
            self.keys = groups.resolve_group_by(group_by, columns, self._env("GROUP BY"))
        if group_by is not None or self.aggregation.calls:
            assert self.scope.origins is not None
            self.grouping = groups.Grouping(
                self.keys, self.scope.origins, graph=self.analysis.graph
            )

    def _having(self, columns: Sequence[SelectColumn], outputs: Sequence[_Output]) -> Expr | None:
        written = self.select.having
        if written is None:
            return None
        # HAVING runs before the select list is computed, so an alias denotes its expression.
        scope = Scope(
            self.scope,
            names=ordering.alias_names(
                [(one.name, one.value or one.reference()) for one in outputs],
                self.outer.analysis.fold,
            ),
        )
        scope.in_aggregates = self._before_grouping(columns)
        env = self._env("HAVING clause", aggregates=True, scope=scope)
        condition = resolve_condition(written, env)
        if self.grouping is not None:
            return self.grouping.regroup(condition)
        problem = (
            "only allows aggregation if GROUP BY or SELECT list aggregation is present"
            if self.aggregation.calls
            else "requires GROUP BY or aggregation to be present"
        )
        raise BadGrouping(f"The HAVING clause {problem}", at=written.at)

    def _before_grouping(self, columns: Sequence[SelectColumn]) -> Scope:
        """Return the scope of the arguments of aggregates in HAVING and ORDER BY."""
        return Scope(
            self.scope,
            names=ordering.alias_names(
                [(one.name, one.expression) for one in columns], self.outer.analysis.fold
            ),
        )

    def _outputs(self, columns: Sequence[SelectColumn]) -> list[_Output]:
        """Return the columns of the select list, rewritten over the grouped rows."""
        outputs = []
        assert self.scope.origins is not None
        own = {id(origin.expression) for origin in self.scope.origins}
        produced = {column.id for column, _ in (*self.keys, *self.aggregation.calls)}
        for column in columns:
            value = column.expression
            if self.grouping is not None:
                value = self.grouping.regroup(value)
            # A column of an enclosing query is copied: a query must produce its output columns.
            if isinstance(value, ColumnRef) and (value.column.id in produced or id(value) in own):
                outputs.append(_Output(column.name, value.column, None))
            else:
                computed = self.analysis.column(column.name, value.type)
                outputs.append(_Output(column.name, computed, value))
        return outputs

    # ------------------------------------------------------------------ ORDER BY

    def _sort_keys(
        self,
        order_by: Sequence[ast.OrderItem],
        columns: Sequence[SelectColumn],
        outputs: Sequence[_Output],
    ) -> list[SortKey]:
        """Resolve the keys of ORDER BY over the projected rows."""
        scope = Scope(
            self.scope,
            names=ordering.alias_names(
                [(one.name, one.reference()) for one in outputs], self.outer.analysis.fold
            ),
        )
        scope.in_aggregates = self._before_grouping(columns)
        if self.select.distinct:
            env = self._env(AFTER_DISTINCT, scope=scope)
        else:
            env = self._env("ORDER BY clause", aggregates=True, scope=scope)
        before = len(self.aggregation.calls)
        references = [one.reference() for one in outputs]
        keys = [ordering.resolve_output_sort_key(item, references, env) for item in order_by]
        if self.grouping is None:
            if len(self.aggregation.calls) > before:
                raise BadGrouping(
                    "The ORDER BY clause only allows aggregation if GROUP BY or SELECT list "
                    "aggregation is present",
                    at=order_by[0].clause_at,
                )
            return keys
        return [replace(key, value=self.grouping.regroup(key.value)) for key in keys]

    # ------------------------------------------------------------------ scans

    def _input(self, where: Expr | None, having: Expr | None) -> Scan:
        """Return the scan that the select list is computed over."""
        scan: Scan = SingleRow() if self.source is None else self.source.scan()
        if where is not None:
            scan = FilterScan(scan, where)
        if self.grouping is not None:
            calls = tuple(self.aggregation.calls)
            scan = AggregateScan(scan, tuple(self.keys), calls, self.group_hints)
        return scan if having is None else FilterScan(scan, having)

    def _projected(
        self, scan: Scan, outputs: Sequence[_Output], order: Sequence[SortKey]
    ) -> QueryResult:
        computed = tuple((one.column, one.value) for one in outputs if one.value is not None)
        if computed:
            scan = ProjectScan(scan, computed)
        columns = tuple((one.name, one.column) for one in outputs)
        if self.select.distinct:
            scan, columns, order = self._distinct(scan, columns, order)
        if order:
            scan = OrderScan(scan, tuple(order))
        is_firm = self.select.having is not None or not computed
        return self._as_value(QueryResult(scan, columns, ordered=bool(order), is_firm=is_firm))

    def _distinct(
        self, scan: Scan, columns: Columns, order: Sequence[SortKey]
    ) -> tuple[Scan, Columns, Sequence[SortKey]]:
        """Remove duplicate rows; raise NotVisibleAfterDistinct if ORDER BY uses other columns."""
        keys: list[tuple[ResolvedColumn, Expr]] = []
        kept: list[tuple[str, ResolvedColumn]] = []
        for name, column in columns:
            new = self.analysis.column(column.name, column.type)
            keys.append((new, ColumnRef(column.type, column)))
            kept.append((name, new))
        assert self.scope.origins is not None
        grouping = groups.Grouping(
            keys, self.scope.origins, distinct=True, graph=self.analysis.graph
        )
        hidden = {column.id: column for column, _ in (*self.keys, *self.aggregation.calls)}
        for _, column in columns:
            hidden.pop(column.id, None)
        for key in order:
            for ref in tree.column_refs(key.value):
                if ref.column.id in hidden:
                    raise NotVisibleAfterDistinct(f"column {ref.column.name}", at=self.select.at)
        sorted_by = [replace(key, value=grouping.regroup(key.value)) for key in order]
        return AggregateScan(scan, tuple(keys)), tuple(kept), sorted_by

    def _as_value(self, result: QueryResult) -> QueryResult:
        """Apply AS STRUCT, AS VALUE or AS a message type, which turn rows into values."""
        select = self.select
        if select.as_type is not None:
            return self._as_message(result, select.as_type)
        if select.as_what is None:
            return result
        if select.as_what == "VALUE":
            if len(result.columns) != 1:
                raise BadQuery("SELECT AS VALUE query must have exactly one column", at=select.at)
            return replace(result, value_table=True)
        if len(result.columns) > type_names.STRUCT_FIELDS_MAX:
            raise LimitExceeded(STRUCT_FIELDS, type_names.STRUCT_FIELDS_MAX, at=select.at)
        fields = tuple(StructField(name, column.type) for name, column in result.columns)
        type_ = Type(TypeCode.STRUCT, fields=fields)
        items = tuple(ColumnRef(column.type, column) for _, column in result.columns)
        return self._rows_of(result, MakeStruct(type_, items))

    def _as_message(self, result: QueryResult, written: ast.TypeName) -> QueryResult:
        """Apply AS a message type: the columns become the fields of a message."""
        type_ = type_names.named_type(written, self.analysis.schema)
        if type_.code is not TypeCode.PROTO:
            raise NotAMessage("SELECT AS", str(type_), at=written.at)
        given = [
            (name, ColumnRef(column.type, column), written.at) for name, column in result.columns
        ]
        row = message_constructors.construct_message(
            type_, given, self.analysis, "Column", written.at
        )
        return self._rows_of(result, row)

    def _rows_of(self, result: QueryResult, value: Expr) -> QueryResult:
        row = self.analysis.column("$struct", value.type)
        scan = ProjectScan(result.scan, ((row, value),))
        return QueryResult(scan, (("", row),), value_table=True, ordered=result.ordered)


Columns = tuple[tuple[str, ResolvedColumn], ...]


@dataclass(frozen=True, slots=True)
class _Output:
    """A column of the result; `value` is the expression to compute, None for an input column."""

    name: str
    column: ResolvedColumn
    value: Expr | None

    def reference(self) -> Expr:
        return ColumnRef(self.column.type, self.column)


def _check_distinct(columns: Sequence[SelectColumn]) -> None:
    for number, column in enumerate(columns, 1):
        type_ = column.expression.type
        if not is_groupable(type_):
            raise NotGroupable(
                f"Column {column.name or number} of type {type_} cannot be used in SELECT DISTINCT",
                str(type_),
                at=column.at,
            )
