"""Resolves RETURN and WITH: the columns of the next working table, with grouping and DISTINCT.

The rows pass through these steps, of which most queries have few:

    working table -> groups -> columns -> DISTINCT -> ORDER BY -> OFFSET, LIMIT
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spanemu.base.record import dataclass
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.errors import GROUP_KEYS
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.errors import BadGrouping, BadQuery
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.names import implied_name
from spanemu.sql.googlesql.analyzer.queries.group_by import check_groupable
from spanemu.sql.googlesql.analyzer.queries.select_list import LITERALS, ordinal
from spanemu.sql.googlesql.analyzer.scope import Env, Origin, Scope
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.derived_elements import Groups
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.errors import (
    BadGraphQuery,
    DuplicateColumn,
    NameNeeded,
    NotUsableInDistinct,
)
from spanemu.sql.googlesql.graph.analyzer.predicates import FirstRows
from spanemu.sql.googlesql.graph.analyzer.state import element_of, graph_state
from spanemu.sql.googlesql.graph.analyzer.statements import row_count, sort_key, with_windows
from spanemu.sql.googlesql.graph.analyzer.table import (
    Build,
    Column,
    ElementVariable,
    GraphEnv,
    Variable,
    WorkingTable,
    projected,
    variable_of,
)
from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    Expr,
    Hints,
    LimitScan,
    Literal,
    OrderScan,
    ResolvedColumn,
    Scan,
    SortKey,
)
from spanemu.values.types import INT64
from spanemu.values.value import INT64_MAX


@dataclass(slots=True)
class _Item:
    """An item of RETURN: a name, and a value or an element.

    `is_aggregated` and `is_windowed` say that it holds a call of such a function.
    """

    name: str
    value: Expr
    element: Element | None
    at: int
    is_aggregated: bool = False
    is_windowed: bool = False


def resolve_return(node: ast.Return, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table after RETURN. Raise AnalysisError if it is invalid."""
    check_hints(node.hint, HintTarget.SELECT, env.analysis)
    check_hints(node.order_hint, HintTarget.ORDER_BY, env.analysis)
    projection = _Projection("RETURN", table, env)
    projection.resolve_items(node.items, node.group_by)
    projection.resolve_order(node.order_by, is_distinct=node.distinct)
    after = projection.table(is_distinct=node.distinct)
    if node.limit is None and node.offset is None:
        return after
    count: Expr = Literal(INT64, INT64_MAX)
    if node.limit is not None:
        count = row_count(node.limit, env, "LIMIT")
    skipped = None if node.offset is None else row_count(node.offset, env, "OFFSET")
    build = after.build
    limited = WorkingTable(after.variables, lambda: LimitScan(build(), count, skipped), after.fold)
    limited.is_ordered = after.is_ordered
    return limited


def resolve_with(node: ast.With, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table after WITH. Raise AnalysisError if it is invalid."""
    check_hints(node.hint, HintTarget.SELECT, env.analysis)
    projection = _Projection("WITH", table, env)
    projection.resolve_items(node.items, node.group_by)
    return projection.table(is_distinct=node.distinct)


def distinct_rows(table: WorkingTable, env: GraphEnv, clause: str, at: int) -> WorkingTable:
    """Return the distinct rows of a working table."""
    groups = Groups(env.analysis, (), is_distinct=True)
    variables = _distinct_variables(table.variables, groups, clause, at)
    return WorkingTable(variables, _grouped(table.build, groups, ()), table.fold)


def _distinct_variables(
    variables: Sequence[Variable], groups: Groups, clause: str, at: int
) -> list[Variable]:
    kept: list[Variable] = []
    for variable in variables:
        element = variable.element
        if element is not None:
            mapped = groups.add_element(variable.name, element)
            assert isinstance(variable, ElementVariable)
            kept.append(ElementVariable(variable.name, mapped, variable.exposed))
            continue
        if not is_groupable(variable.type):
            raise NotUsableInDistinct(variable.name, str(variable.type), clause, at=at)
        kept.append(Column(variable.name, groups.add_key(variable.name, variable.value())))
    return kept


def _grouped(build: Build, groups: Groups, hints: Hints) -> Build:
    """Return the function that builds the groups of rows."""

    def built() -> Scan:
        groups.finish()
        return AggregateScan(build(), tuple(groups.keys), tuple(groups.calls), hints)

    return built


class _Projection:
    """The state of the resolution of one RETURN or WITH."""

    def __init__(self, word: str, table: WorkingTable, env: GraphEnv) -> None:
        self._word = word
        self._table = table
        self._env = env
        self._analysis = env.analysis
        self._scope = Scope(env.outer, table)
        self._scope.origins = []
        self._aggregation = Aggregation()
        self._items: list[_Item] = []
        self._groups: Groups | None = None
        self._windows: Sequence[FirstRows] = ()  # over the groups
        self._hints: Hints = ()
        self._outputs: list[Variable] = []
        self._computed: list[tuple[ResolvedColumn, Expr]] = []
        self._key_elements: list[Element] = []
        self._order: tuple[SortKey, ...] = ()
        self._inside = self._expressions(f"Graph {word} operator")

    def _expressions(self, clause: str) -> Env:
        inside = self._env.within(self._scope, clause)
        inside.aggregation = self._aggregation
        inside.windows = [] if self._word == "RETURN" else None
        return inside

    @property
    def _origins(self) -> list[Origin]:
        assert self._scope.origins is not None
        return self._scope.origins

    # ------------------------------------------------------------------ items

    def resolve_items(
        self,
        written: Sequence[sql_ast.SelectItem | sql_ast.SelectStar],
        group_by: sql_ast.GroupBy | None,
    ) -> None:
        """Resolve the items, with their grouping."""
        for item in written:
            if isinstance(item, sql_ast.SelectStar):
                self._add_star(item)
            else:
                self._items.append(self._item(item))
        self._check_names()
        if group_by is not None or self._aggregation.calls:
            self._group(group_by)
        for known in self._items:
            self._outputs.append(self._output(known))

    def _add_star(self, star: sql_ast.SelectStar) -> None:
        if star.operand is not None or star.excepted or star.replaced:
            raise BadQuery("Dot-star is not supported for graph elements", at=star.at)
        if not self._table.variables:
            raise BadGraphQuery(f"{self._word} * would expand to zero columns", at=star.at)
        for variable in self._table.variables:
            value = variable.value()
            if variable.element is not None:
                variable.element.release()
            origin = Origin(value, star.at, self._inside.clause, f"column {variable.name}")
            self._origins.append(origin)
            self._items.append(_Item(variable.name, value, variable.element, star.at))

    def _item(self, item: sql_ast.SelectItem) -> _Item:
        before = self._calls()
        value = resolve(item.value, self._inside)
        if self._analysis.parameters.is_pending(value):
            value = coerce(value, INT64, self._analysis, item.value.at)
        name = implied_name(item.value) if item.alias is None else item.alias.name
        if not name:
            raise NameNeeded(at=item.value.at)
        element = element_of(value, self._analysis)
        if element is not None:
            element.release()
        more = [now > earlier for now, earlier in zip(self._calls(), before, strict=True)]
        return _Item(name, value, element, item.value.at, *more)

    def _calls(self) -> tuple[int, int]:
        """Return the numbers of calls of aggregate functions and of window functions so far."""
        return len(self._aggregation.calls), len(self._inside.windows or ())

    def _check_names(self) -> None:
        known: set[str] = set()
        for item in self._items:
            key = self._table.fold(item.name)
            if key in known:
                raise DuplicateColumn(item.name, at=item.at)
            known.add(key)

    def _output(self, item: _Item) -> Variable:
        """Return an item as a variable of the next table."""
        element, value = item.element, item.value
        if self._groups is not None:
            if element is not None and self._is_key(element):
                mapped = self._groups.add_element(item.name, element)
                return ElementVariable(item.name, mapped, self._exposed(element))
            value = self._groups.regroup(value)
            element = None
        if element is not None:
            return ElementVariable(item.name, element, self._exposed(element))
        if isinstance(value, ColumnRef) and self._is_own(value):
            return variable_of(item.name, value.column, self._analysis)
        column = self._analysis.column(item.name, value.type)
        self._computed.append((column, value))
        variable = variable_of(item.name, column, self._analysis)
        if isinstance(value, Literal) and self._groups is None:
            variable.literal = value
        return variable

    def _is_own(self, value: ColumnRef) -> bool:
        """Return whether the rows themselves have a column, and not an enclosing query."""
        if any(origin.expression is value for origin in self._origins):
            return True
        grouped = self._groups
        if grouped is None:
            return False
        return any(column.id == value.column.id for column, _ in (*grouped.keys, *grouped.calls))

    def _exposed(self, element: Element) -> frozenset[int]:
        known = graph_state(self._analysis).elements.get(element.column.id)
        return element.numbers if known is None else known[1]

    # ------------------------------------------------------------------ grouping

    def _group(self, group_by: sql_ast.GroupBy | None) -> None:
        groups = self._groups = Groups(self._analysis, self._origins)
        if group_by is None:
            for item in self._items:
                if not (item.is_aggregated or item.is_windowed):
                    self._add_key(item, item.at)
        else:
            self._hints = check_hints(group_by.hint, HintTarget.GROUP_BY, self._analysis)
            self._check_group_by(group_by)
            for written in group_by.items:
                self._add_key(self._key(written.value), written.value.at)
        groups.calls = self._aggregation.calls
        self._windows = [self._over_groups(window) for window in self._inside.windows or ()]

    def _over_groups(self, window: Callable[[Scan], Scan]) -> FirstRows:
        assert self._groups is not None
        assert isinstance(window, FirstRows)
        return window.over(self._groups.regroup)

    def _check_group_by(self, group_by: sql_ast.GroupBy) -> None:
        limit = self._analysis.limits.group_keys
        if len(group_by.items) > limit:
            raise LimitExceeded(GROUP_KEYS, limit, at=group_by.at)
        if group_by.all:
            raise BadGraphQuery(f"GROUP BY ALL is not supported in {self._word}", at=group_by.at)
        for item in group_by.items:
            if ordinal(item.value) is not None:
                raise BadGraphQuery(
                    f"GROUP BY ordinal is not allowed in {self._word}", at=item.value.at
                )
            if type(item.value) in LITERALS:
                raise BadGrouping("Cannot GROUP BY literal values", at=item.value.at)

    def _key(self, node: sql_ast.Expression) -> _Item:
        """Return what an item of GROUP BY denotes: an item of the list, or an expression."""
        fold = self._table.fold
        if type(node) is sql_ast.Name and len(node.path.parts) == 1:
            name = fold(node.path.parts[0].name)
            for item in self._items:
                if fold(item.name) == name:
                    if item.is_aggregated or item.is_windowed:
                        kind = "aggregation" if item.is_aggregated else "analytic"
                        raise BadGrouping(
                            f"Column {item.name} contains an {kind} function, which is not "
                            "allowed in GROUP BY",
                            at=node.at,
                        )
                    return item
        inside = self._env.within(self._scope, "GROUP BY")
        value = resolve(node, inside)
        element = element_of(value, self._analysis)
        if element is not None:
            element.release()
        return _Item("", value, element, node.at)

    def _add_key(self, item: _Item, at: int) -> None:
        assert self._groups is not None
        if item.element is not None:
            self._key_elements.append(item.element)
            self._groups.add_element(item.name or item.element.name, item.element)
            return
        check_groupable(item.value.type, at)
        self._groups.add_key(item.name, item.value)

    def _is_key(self, element: Element) -> bool:
        return any(each is element for each in self._key_elements)

    # ------------------------------------------------------------------ order

    def resolve_order(self, written: Sequence[sql_ast.OrderItem], *, is_distinct: bool) -> None:
        """Resolve ORDER BY over the columns, and over the rows before them."""
        if not written:
            return
        outputs = WorkingTable(self._outputs, self._table.build, self._table.fold)
        clause = "ORDER BY clause after RETURN DISTINCT" if is_distinct else "ORDER BY clause"
        inside = self._env.within(Scope(self._scope, outputs), clause)
        if self._groups is not None and not is_distinct:
            inside.aggregation = self._aggregation
            inside.scope.in_aggregates = self._scope
        keys = [sort_key(item, inside) for item in written]
        if self._groups is not None:
            keys = [self._regrouped(key) for key in keys]
        self._order = tuple(keys)

    def _regrouped(self, key: SortKey) -> SortKey:
        assert self._groups is not None
        return replace(key, value=self._groups.regroup(key.value))

    # ------------------------------------------------------------------ rows

    def table(self, *, is_distinct: bool) -> WorkingTable:
        """Return the next working table."""
        if self._groups is None:
            build = with_windows(self._table.build, self._inside.windows)
        else:
            build = _grouped(self._table.build, self._groups, self._hints)
            build = with_windows(build, self._windows)
        if self._computed:
            build = projected(build, tuple(self._computed))
        variables: Sequence[Variable] = self._outputs
        order = self._order
        if is_distinct:
            at = self._items[0].at
            groups = Groups(self._analysis, self._origins, is_distinct=True)
            variables = _distinct_variables(variables, groups, self._word, at)
            order = tuple(replace(key, value=groups.regroup(key.value)) for key in order)
            build = _grouped(build, groups, ())
        after = WorkingTable(variables, _ordered(build, order), self._table.fold)
        after.is_ordered = bool(order)
        return after


def _ordered(build: Build, order: tuple[SortKey, ...]) -> Build:
    return (lambda: OrderScan(build(), order)) if order else build
