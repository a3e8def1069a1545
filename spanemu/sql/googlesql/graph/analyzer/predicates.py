"""Resolves the predicates and functions of graph queries that need more than a function's row.

IS LABELED, IS SOURCE OF, IS DESTINATION OF, PROPERTY_EXISTS, the equality of elements, IS_FIRST.
An element that is known by its columns is compared by them, so that no value is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from spanemu.base.record import Unique, record
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import BadCall, NoMatchingSignature
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_int64
from spanemu.sql.googlesql.analyzer.expressions.operator_call import argument_types, operator_call
from spanemu.sql.googlesql.analyzer.name_errors import closest
from spanemu.sql.googlesql.analyzer.queries.ordering import resolve_sort_key
from spanemu.sql.googlesql.analyzer.scope import Env, Origin, Scope
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTable, catalog_by_name
from spanemu.sql.googlesql.graph.analyzer.elements import ColumnarElement, Element
from spanemu.sql.googlesql.graph.analyzer.errors import BadGraphQuery, PropertyNotDefined
from spanemu.sql.googlesql.graph.analyzer.identity import Identity, conjunction, same
from spanemu.sql.googlesql.graph.analyzer.labels import (
    check_labels,
    condition_on_rows,
    labeled_value,
)
from spanemu.sql.googlesql.graph.analyzer.properties import share_origin
from spanemu.sql.googlesql.graph.analyzer.rows import Rows
from spanemu.sql.googlesql.graph.analyzer.state import element_of, group_of
from spanemu.sql.googlesql.graph.analyzer.table import PathVariable, WorkingTable
from spanemu.sql.googlesql.graph.analyzer.value_element import ValueElement
from spanemu.sql.resolved import (
    Case,
    ColumnRef,
    Expr,
    Literal,
    Or,
    RankScan,
    ResolvedColumn,
    Scan,
    SortKey,
)
from spanemu.values.graph_types import GraphType
from spanemu.values.types import BOOL, STRING, TypeCode

T = TypeVar("T")

_ELEMENTS = frozenset({TypeCode.GRAPH_NODE, TypeCode.GRAPH_EDGE})


def narrowed(value: T, analysis: Analysis) -> T | Expr:
    """Return an element without its properties, where it is known by its columns.

    Return any other value as it is.
    """
    if not isinstance(value, Expr):
        return value
    element = element_of(value, analysis)
    if element is None:
        return value
    element.release()
    return element.identity_value()


def path_length(node: sql_ast.Call, env: Env) -> Expr | None:
    """Return PATH_LENGTH of a path variable, counted without the path; None for another value."""
    (written,) = node.arguments if len(node.arguments) == 1 else (None,)
    if not isinstance(written, sql_ast.Name) or len(written.path.parts) != 1:
        return None
    name = env.analysis.fold(written.path.parts[0].name)
    scope: Scope | None = env.scope
    while scope is not None:
        if name in scope.names or name in scope.aliases:
            return None
        if isinstance(scope.source, WorkingTable):
            variable = scope.source.variable(name)
            if variable is not None:
                length = variable.length() if isinstance(variable, PathVariable) else None
                if length is not None and scope.origins is not None:
                    shown = f"column {variable.name}"
                    scope.origins.append(Origin(length, node.at, env.clause, shown))
                return length
        elif scope.source is not None:
            return None
        scope = scope.parent
    return None


def light_array(value: T, analysis: Analysis) -> T | Expr:
    """Return an array as long as a group variable, for ARRAY_LENGTH; another value as it is."""
    group = group_of(value, analysis) if isinstance(value, ColumnRef) else None
    if group is None:
        return value
    group.release()
    return group.light()


def _known(value: ColumnRef, analysis: Analysis) -> Element:
    """Return the element that a column holds, which need not be made if it has columns."""
    element = element_of(value, analysis)
    if element is not None:
        element.release()
        return element
    assert isinstance(value.type, GraphType)
    catalog = catalog_by_name(value.type.graph, analysis.schema)
    return ValueElement(value.column, catalog, analysis)


def equality(left: Expr, right: Expr, analysis: Analysis, at: int) -> Expr:
    """Return whether two elements or paths are equal. Raise NoMatchingSignature for two kinds."""
    if left.type.code not in _ELEMENTS or left.type.code is not right.type.code:
        return operator_call("$equal", (left, right), analysis, at)
    assert isinstance(left.type, GraphType)
    assert isinstance(right.type, GraphType)
    if left.type.graph != right.type.graph:
        return operator_call("$equal", (left, right), analysis, at)
    first, second = element_of(left, analysis), element_of(right, analysis)
    if first is None and second is None:
        return operator_call("$equal", (left, right), analysis, at)
    if type(left) is not ColumnRef or type(right) is not ColumnRef:
        values = (narrowed(left, analysis), narrowed(right, analysis))
        return operator_call("$equal", values, analysis, at)
    first_element, second_element = _known(left, analysis), _known(right, analysis)
    return compared(
        first_element, second_element, (first_element.is_null, second_element.is_null), analysis
    )


def compared(first: Identity, second: Identity, are_null: object, analysis: Analysis) -> Expr:
    """Return whether two elements are equal; NULL if one of them is NULL."""
    conditions = same(first, second, analysis)
    if first.numbers & second.numbers:
        return conjunction(conditions)
    assert isinstance(are_null, tuple)
    missing = Or(BOOL, tuple(is_null() for is_null in are_null))
    return Case(BOOL, ((missing, Literal(BOOL, None)),), Literal(BOOL, False))


# ---------------------------------------------------------------------------- IS ...


def resolve_is_labeled(node: sql_ast.IsLabeled, env: Env) -> Expr:
    """Resolve IS [NOT] LABELED. Raise AnalysisError for an unknown label."""
    analysis = env.analysis
    operand = resolve(node.operand, env)
    if operand.type.code not in _ELEMENTS:
        raise BadGraphQuery("Operand to IS LABELED must be a graph element", at=node.operand.at)
    assert isinstance(operand.type, GraphType)
    catalog = catalog_by_name(operand.type.graph, analysis.schema)
    check_labels(node.labels, catalog, operand.type.code is TypeCode.GRAPH_EDGE)
    element = element_of(operand, analysis)
    if isinstance(element, ColumnarElement):
        element.release()
        labeled = _labeled_element(node.labels, element, catalog, analysis)
    else:
        labeled = labeled_value(node.labels, lambda: operand, analysis)
    return operator_call("$not", (labeled,), analysis, node.at) if node.negated else labeled


def _labeled_element(
    labels: sql_ast.LabelExpression,
    element: ColumnarElement,
    catalog: GraphCatalog,
    analysis: Analysis,
) -> Expr:
    def negate(condition: Expr) -> Expr:
        return operator_call("$not", (condition,), analysis, -1)

    def value(rows: Rows) -> Expr:
        return condition_on_rows(labels, rows.table, catalog, rows.has_dynamic_label, negate)

    return element.part(("labels", id(labels)), "$labeled", BOOL, value)


def resolve_is_endpoint(node: sql_ast.IsEndpoint, env: Env) -> Expr:
    """Resolve IS [NOT] SOURCE OF and IS [NOT] DESTINATION OF."""
    analysis = env.analysis
    tested, edge = resolve(node.node, env), resolve(node.edge, env)
    if (tested.type.code, edge.type.code) != (TypeCode.GRAPH_NODE, TypeCode.GRAPH_EDGE):
        words = "IS DESTINATION OF" if node.is_destination else "IS SOURCE OF"
        types = argument_types((tested, edge), analysis)
        supported = (f"GRAPH_NODE {words} GRAPH_EDGE",)
        raise NoMatchingSignature(f"operator {words}", types, supported, at=node.at)
    name = "$is_destination_of" if node.is_destination else "$is_source_of"
    known_node, known_edge = element_of(tested, analysis), element_of(edge, analysis)
    if known_node is not None and known_edge is not None:
        known_node.release()
        known_edge.release()
        end = known_edge.end(is_source=not node.is_destination)
        are_null = (known_node.is_null, known_edge.is_null)
        call = compared(known_node, end, are_null, analysis)
    else:
        values = (narrowed(tested, analysis), narrowed(edge, analysis))
        call = operator_call(name, values, analysis, node.op_at)
    return operator_call("$not", (call,), analysis, node.at) if node.negated else call


def resolve_property_exists(node: sql_ast.Call, env: Env) -> Expr:
    """Resolve PROPERTY_EXISTS(element, property)."""
    if len(node.arguments) != 2:
        raise BadCall("PROPERTY_EXISTS should have exactly two arguments", at=node.at)
    written = node.arguments[1]
    if not isinstance(written, sql_ast.Name) or len(written.path.parts) != 1:
        raise BadCall(
            "Second argument of PROPERTY_EXISTS must be identifier of the property", at=written.at
        )
    analysis = env.analysis
    operand = resolve(node.arguments[0], env)
    if operand.type.code not in _ELEMENTS:
        raise BadCall(
            "First argument of PROPERTY_EXISTS must be GRAPH_ELEMENT", at=node.arguments[0].at
        )
    assert isinstance(operand.type, GraphType)
    catalog = catalog_by_name(operand.type.graph, analysis.schema)
    name = written.path.parts[0]
    folded = catalog.fold(name.name)
    if folded not in catalog.properties and not catalog.has_dynamic_properties:
        known = (each for each, _ in catalog.properties.values())
        raise PropertyNotDefined(name.name, closest(name.name, known), catalog.name, at=name.at)
    element = element_of(operand, analysis)
    if not isinstance(element, ColumnarElement):
        call = (operand, Literal(STRING, name.name))
        return operator_call("$property_exists", call, analysis, node.at)
    element.release()

    def value(rows: Rows) -> Expr:
        if _has_dynamic(rows.table, folded):
            member = rows.property(folded)
            assert member is not None
            missing = operator_call("$is_null", (member,), analysis, -1)
            return operator_call("$not", (missing,), analysis, -1)
        return Literal(BOOL, folded in rows.table.properties)

    return element.part(("exists", folded), "$exists", BOOL, value)


def _has_dynamic(table: GraphTable, folded: str) -> bool:
    return folded not in table.properties and table.declared.dynamic_properties is not None


# ---------------------------------------------------------------------------- IS_FIRST


@record
class FirstRows(Unique):
    """A call of IS_FIRST: whether a row is among the first `limit` rows of its partition."""

    partition_by: tuple[Expr, ...]
    order_by: tuple[SortKey, ...]
    limit: Expr
    column: ResolvedColumn

    def __call__(self, rows: Scan) -> Scan:
        """Return rows with the result of the call."""
        return RankScan(rows, self.partition_by, self.order_by, self.limit, self.column)

    def over(self, change: Callable[[Expr], Expr]) -> FirstRows:
        """Return the same call with other arguments, which are those over groups of rows."""
        order_by = [replace(key, value=change(key.value)) for key in self.order_by]
        partition_by = tuple(map(change, self.partition_by))
        return FirstRows(partition_by, tuple(order_by), change(self.limit), self.column)


def resolve_is_first(node: sql_ast.WindowCall, env: Env) -> Expr:
    """Resolve IS_FIRST(k) OVER (...) as a column that the rows get.

    The window may hold aggregates where the clause does: it is then one over groups.
    """
    window = node.window
    if len(node.arguments) != 1:
        raise BadCall("IS_FIRST takes the number of rows as its only argument", at=node.at)
    if window.name is not None or window.has_frame:
        raise BadCall("IS_FIRST does not support named windows or window frames", at=node.at)
    inside = Env(env.analysis, env.scope, env.clause, env.common_tables, env.aggregation)
    limit = resolve_int64(node.arguments[0], inside, "IS_FIRST")
    partition_by = tuple([_partition_key(each, inside) for each in window.partition_by])
    order_by = tuple(resolve_sort_key(item, inside) for item in window.order_by)
    column: ResolvedColumn = env.analysis.column("$is_first", BOOL)
    assert env.windows is not None
    env.windows.append(FirstRows(partition_by, order_by, limit, column))
    return ColumnRef(BOOL, column)


def _partition_key(node: sql_ast.Expression, env: Env) -> Expr:
    value = resolve(node, env)
    key = narrowed(value, env.analysis)
    if key is not value:
        share_origin(value, key, env)
    return key
