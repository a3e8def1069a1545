"""The conditions that a node or edge pattern puts on its element: labels, properties, WHERE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.functions.registry import Function
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call, operator_call
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import ColumnarElement, Element
from spanemu.sql.googlesql.graph.analyzer.errors import (
    BadCost,
    DynamicPropertyEquality,
    EarlierNameInPattern,
)
from spanemu.sql.googlesql.graph.analyzer.labels import condition_on_rows, labeled_value, verdict
from spanemu.sql.googlesql.graph.analyzer.properties import ElementRelation
from spanemu.sql.googlesql.graph.analyzer.rows import Rows
from spanemu.sql.googlesql.graph.analyzer.state import graph_state
from spanemu.sql.googlesql.graph.analyzer.table import GraphEnv, WorkingTable
from spanemu.sql.resolved import Expr, Scan
from spanemu.values.types import BOOL, Type, TypeCode


class EarlierNames(Relation):
    """The columns of earlier statements, which a pattern may not use but in its outermost WHERE."""

    def __init__(self, table: WorkingTable) -> None:
        super().__init__("", table.fold)
        self._table = table

    def column(self, name: str, at: int) -> Expr | None:
        if self._table.variable(name) is None:
            return None
        raise EarlierNameInPattern(name, at=at)

    def star(self) -> Star:
        return ()

    def column_names(self) -> Iterator[str]:
        return iter(())

    def scan(self) -> Scan:
        raise AssertionError("names alone have no rows")


def pattern_scope(named: Mapping[str, Relation], table: WorkingTable, env: GraphEnv) -> Scope:
    """Return the scope of a condition inside of a pattern, which sees the elements `named`."""
    scope = Scope(Scope(env.outer, EarlierNames(table)))
    scope.aliases = named
    return scope


def filler_conditions(
    pattern: ast.ElementPattern,
    element: Element,
    exposed: Numbers,
    table: WorkingTable,
    env: GraphEnv,
) -> list[Expr]:
    """Return the conditions of an element pattern on the element that the pattern denotes."""
    conditions = label_conditions(pattern.labels, element, env)
    if pattern.where is None and not pattern.properties:
        return conditions
    name = pattern.variable
    relation = ElementRelation("" if name is None else name.name, element, exposed)
    graph_state(env.analysis).register(element, exposed)
    named = {} if name is None else {table.fold(name.name): relation}
    inside = env.within(pattern_scope(named, table, env), "WHERE clause")
    if pattern.where is not None:
        conditions.append(resolve_condition(pattern.where, inside))
    for written in pattern.properties:
        conditions.append(_property_condition(written, relation, inside))
    return conditions


def label_conditions(
    labels: sql_ast.LabelExpression | None, element: Element, env: GraphEnv
) -> list[Expr]:
    """Return the conditions that labels put on the rows of tables with labels of their own."""
    if labels is None:
        return []
    catalog = env.catalog
    some = element.tables.some(element.numbers)
    if all(verdict(labels, table, catalog) for table in some):
        return []
    return [label_condition(labels, element, env)]


def label_condition(labels: sql_ast.LabelExpression, element: Element, env: GraphEnv) -> Expr:
    """Return whether an element satisfies a label expression; not NULL but for a NULL element."""
    catalog, analysis = env.catalog, env.analysis

    def negate(condition: Expr) -> Expr:
        return operator_call("$not", (condition,), analysis, -1)

    def value(rows: Rows) -> Expr:
        return condition_on_rows(labels, rows.table, catalog, rows.has_dynamic_label, negate)

    if isinstance(element, ColumnarElement):
        return element.part(("labels", id(labels)), "$labeled", BOOL, value)
    return labeled_value(labels, element.value, env.analysis)


def _property_condition(written: ast.PropertyFilter, relation: ElementRelation, env: Env) -> Expr:
    name = written.name
    value = resolve(written.value, env)
    stored = relation.column(name.name, name.at)
    analysis = env.analysis
    if stored.type.code is TypeCode.JSON and _is_dynamic(name.name, relation):
        stored = _converted(stored, value, env, written.value.at)
    return operator_call("$equal", (stored, value), analysis, name.at)


def _is_dynamic(name: str, relation: ElementRelation) -> bool:
    folded = relation.fold(name)
    element = relation.element
    return all(folded not in table.properties for table in element.tables.some(element.numbers))


# The strict conversions of JSON by the type of the value that a dynamic property is compared with.
_CONVERSIONS: Mapping[TypeCode, str] = {
    TypeCode.BOOL: "BOOL",
    TypeCode.INT64: "INT64",
    TypeCode.FLOAT64: "FLOAT64",
    TypeCode.STRING: "STRING",
}


def _converted(stored: Expr, value: Expr, env: Env, at: int) -> Expr:
    """Return a dynamic property as a value of the type of `value`, NULL if it is of another."""
    function = _conversion(value.type, env)
    if function is None:
        raise DynamicPropertyEquality(str(value.type), at=at)
    return replace(function_call(function, (stored,), {}, env.analysis, at), safe=True)


def _conversion(type_: Type, env: Env) -> Function | None:
    name = _CONVERSIONS.get(type_.code)
    if type_.is_array:
        element = _CONVERSIONS.get(type_.item().code)
        name = None if element is None else f"{element}_ARRAY"
    return None if name is None else env.analysis.catalog.scalars.get(name)


def edge_cost(
    pattern: ast.EdgePattern, element: Element, table: WorkingTable, env: GraphEnv
) -> Expr:
    """Return the cost of an edge. Raise BadCost for a NULL and for a value that is no number."""
    assert pattern.cost is not None
    name = pattern.variable
    named: dict[str, Relation] = {}
    if name is not None:
        named[table.fold(name.name)] = ElementRelation(name.name, element, element.numbers)
    inside = env.within(pattern_scope(named, table, env), "COST expression")
    at = pattern.cost.at
    if isinstance(pattern.cost, sql_ast.NullLiteral):
        raise BadCost("COST expression cannot be NULL literal", at=at)
    cost = resolve(pattern.cost, inside)
    if not cost.type.is_number:
        raise BadCost(f"Cost expression must be a numerical type, but has type {cost.type}", at=at)
    return cost
