"""Resolves a SELECT: FROM, WHERE, the select list, GROUP BY, HAVING, DISTINCT, ORDER BY.

All clauses are resolved over the rows of FROM, and rewritten over the grouped rows afterwards. Only
ORDER BY and GROUP BY can name columns of the select list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.errors import CHILD_SUBQUERIES, NESTED_QUERIES
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import QueryResult
from spanemu.sql.postgresql.analyzer.errors import (
    NotGrouped,
    NotInSelectList,
    UnsupportedDistinctType,
    UnsupportedQuery,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import is_unknown
from spanemu.sql.postgresql.analyzer.expressions.expression import (
    make_sort_key,
    resolve_condition,
    resolve_output,
)
from spanemu.sql.postgresql.analyzer.queries.from_clause import resolve_from
from spanemu.sql.postgresql.analyzer.queries.group_by import (
    Grouping,
    Keys,
    is_key_type,
    resolve_group_by,
)
from spanemu.sql.postgresql.analyzer.queries.select_list import (
    Clause,
    SelectColumn,
    resolve_items,
    selected_column,
)
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.types import title
from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    Expr,
    FilterScan,
    OrderScan,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
    SortKey,
)
from spanemu.sql.syntax_tree import Expression

_NESTED = NESTED_QUERIES


def resolve_select(
    select: ast.Select, env: Env, order_by: Sequence[ast.SortItem] = ()
) -> QueryResult:
    """Resolve a SELECT, sorted by `order_by`. Raise AnalysisError if the SELECT is invalid."""
    if select.source is None:
        _check_without_from(select, order_by)
    analysis = env.analysis
    analysis.enter(_NESTED, analysis.limits.subselect_depth, select.at)
    siblings = analysis.counts.pop(CHILD_SUBQUERIES, 0)
    result = _Select(select, env).resolve(order_by)
    analysis.counts[CHILD_SUBQUERIES] = siblings
    analysis.leave(_NESTED)
    return result


def _check_without_from(select: ast.Select, order_by: Sequence[ast.SortItem]) -> None:
    for clause, written in (
        ("a WHERE", select.where),
        ("a GROUP BY", select.group_by),
        ("a HAVING", select.having),
        ("an ORDER BY", order_by),
        ("a DISTINCT", select.distinct),
    ):
        if written:
            feature = f"Queries containing {clause} clause without a FROM clause are"
            raise UnsupportedQuery(feature, at=select.at)


@dataclass(frozen=True, slots=True)
class _Output:
    """A column of the result; `value` is the expression to compute, None for an input column."""

    column: ResolvedColumn
    value: Expr | None


class _Select:
    """The state of the resolution of one SELECT."""

    def __init__(self, select: ast.Select, outer: Env) -> None:
        self.select = select
        self.outer = outer
        self.analysis = outer.analysis
        self.aggregation = Aggregation()

    def resolve(self, order_by: Sequence[ast.SortItem]) -> QueryResult:
        select = self.select
        self.source = None
        if select.source is not None:
            self.source = resolve_from(select.source, self._from_env())
        self.scope = Scope(self.outer.scope, self.source)
        where = self._condition(select.where, "WHERE")
        self.scope.origins = []
        columns = resolve_items(select.items, self.source, self._env("SELECT", aggregates=True))
        having = self._condition(select.having, "HAVING", aggregates=True)
        order = [(item, *self._sorted_value(item, columns)) for item in order_by]
        keys = resolve_group_by(select.group_by, columns, self._env("GROUP BY"))
        if select.distinct or not self.outer.keeps_unknown:
            for column in columns:
                column.settle(self.outer)
        grouping = self._grouping(keys)
        if self.outer.for_update and select is not None:
            self._check_for_update(is_grouped=grouping is not None)
        if grouping is not None:
            for column in columns:
                column.expression = grouping.regroup(column.expression)
            having = None if having is None else grouping.regroup(having)
            order = [(item, column, grouping.regroup(value)) for item, column, value in order]
        scan = self._input(where, having, keys, is_grouped=grouping is not None)
        return self._projected(scan, columns, keys, order)

    def _from_env(self) -> Env:
        outer = self.outer
        return Env(
            self.analysis, outer.scope, "FROM", outer.common_tables, for_update=outer.for_update
        )

    def _env(self, clause: str, *, aggregates: bool = False) -> Env:
        aggregation = self.aggregation if aggregates else None
        self.scope.clause, self.scope.allows_aggregates = clause, aggregates
        return Env(self.analysis, self.scope, clause, self.outer.common_tables, aggregation)

    # ------------------------------------------------------------------ clauses

    def _condition(
        self, written: Expression | None, clause: str, *, aggregates: bool = False
    ) -> Expr | None:
        if written is None:
            return None
        return resolve_condition(written, self._env(clause, aggregates=aggregates), clause)

    def _sorted_value(
        self, item: ast.SortItem, columns: Sequence[SelectColumn]
    ) -> tuple[SelectColumn | None, Expr]:
        """Return the value of an item of ORDER BY, and the select column that it is, if any."""
        column = selected_column(item.value, columns, Clause.ORDER_BY)
        if column is not None:
            return column, column.settle(self.outer)
        value = resolve_output(item.value, self._env("ORDER BY", aggregates=True))
        return _equal_column(value, columns), value

    def _grouping(self, keys: Keys) -> Grouping | None:
        """Return the grouping of the rows; None if the SELECT neither groups nor aggregates."""
        is_grouped = self.select.group_by or self.aggregation.calls or self.select.having
        origins, aggregated = self.scope.origins, self.scope.aggregated
        assert origins is not None
        if not is_grouped and aggregated is not None:
            for origin in origins:
                if id(origin) not in aggregated:
                    raise NotGrouped(origin.display_name, at=origin.at)
        return Grouping(keys, origins) if is_grouped else None

    def _check_for_update(self, *, is_grouped: bool) -> None:
        select = self.select
        for clause, written in (
            ("GROUP BY clause", select.group_by),
            ("HAVING clause", select.having),
            ("DISTINCT clause", select.distinct),
            ("aggregate functions", is_grouped),
        ):
            if written:
                raise UnsupportedQuery(f"[ERROR] FOR UPDATE with {clause} is", at=select.at)

    # ------------------------------------------------------------------ scans

    def _input(
        self, where: Expr | None, having: Expr | None, keys: Keys, *, is_grouped: bool
    ) -> Scan:
        """Return the scan that the select list is computed over."""
        scan: Scan = SingleRow() if self.source is None else self.source.scan()
        if where is not None:
            scan = FilterScan(scan, where)
        if is_grouped:
            scan = AggregateScan(scan, tuple(keys), tuple(self.aggregation.calls))
        return scan if having is None else FilterScan(scan, having)

    def _outputs(self, columns: Sequence[SelectColumn], keys: Keys) -> list[_Output]:
        """Return the result columns over the scan of the grouped rows or of FROM."""
        assert self.scope.origins is not None
        own = {id(origin.expression) for origin in self.scope.origins}
        produced = {column.id for column, _ in (*keys, *self.aggregation.calls)}
        outputs = []
        for column in columns:
            value = column.expression
            # A column of an enclosing query is copied: a query must produce its output columns.
            if isinstance(value, ColumnRef) and (value.column.id in produced or id(value) in own):
                outputs.append(_Output(value.column, None))
            else:
                outputs.append(_Output(self.analysis.column(column.name, value.type), value))
        return outputs

    def _projected(
        self,
        scan: Scan,
        columns: Sequence[SelectColumn],
        keys: Keys,
        order: Sequence[tuple[ast.SortItem, SelectColumn | None, Expr]],
    ) -> QueryResult:
        outputs = self._outputs(columns, keys)
        computed = tuple((one.column, one.value) for one in outputs if one.value is not None)
        if computed:
            scan = ProjectScan(scan, computed)
        results = [one.column for one in outputs]
        if self.select.distinct:
            scan, results = self._distinct(scan, columns, results, order)
        if order:
            sort_keys = [
                self._sort_key(item, column, value, columns, results)
                for item, column, value in order
            ]
            scan = OrderScan(scan, tuple(sort_keys))
        unknown = {
            number: column.expression
            for number, column in enumerate(columns)
            if is_unknown(column.expression)
        }
        names = [column.name for column in columns]
        named = tuple(zip(names, results, strict=True))
        return QueryResult(scan, named, ordered=bool(order), unknown=unknown)

    def _sort_key(
        self,
        item: ast.SortItem,
        column: SelectColumn | None,
        value: Expr,
        columns: Sequence[SelectColumn],
        results: Sequence[ResolvedColumn],
    ) -> SortKey:
        if column is not None:
            number = next(number for number, one in enumerate(columns) if one is column)
            value = ColumnRef(results[number].type, results[number])
        return make_sort_key(item, value, self.outer)

    def _distinct(
        self,
        scan: Scan,
        columns: Sequence[SelectColumn],
        results: Sequence[ResolvedColumn],
        order: Sequence[tuple[ast.SortItem, SelectColumn | None, Expr]],
    ) -> tuple[Scan, list[ResolvedColumn]]:
        """Remove duplicate rows; raise NotInSelectList if ORDER BY uses other values."""
        for column in columns:
            type_ = column.expression.type
            if not is_key_type(type_):
                raise UnsupportedDistinctType(column.name, title(type_), at=column.at)
        for item, selected, _ in order:
            if selected is None:
                raise NotInSelectList(at=item.value.at)
        return without_duplicates(scan, results, self.outer)


def _equal_column(value: Expr, columns: Sequence[SelectColumn]) -> SelectColumn | None:
    """Return the select column whose value is `value` too, or None."""
    return next((one for one in columns if is_equivalent(one.expression, value)), None)


def without_duplicates(
    scan: Scan, columns: Sequence[ResolvedColumn], env: Env
) -> tuple[Scan, list[ResolvedColumn]]:
    """Return the distinct rows of a scan, with the columns that hold them."""
    keys = [
        (env.analysis.column(column.name, column.type), ColumnRef(column.type, column))
        for column in columns
    ]
    return AggregateScan(scan, tuple(keys)), [column for column, _ in keys]
