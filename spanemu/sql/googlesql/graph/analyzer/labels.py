"""Resolves label expressions to sets of element tables.

A table with a dynamic label belongs to the result where a row's own label can decide; the pattern
then filters the rows by `condition_on_rows`.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.name_errors import closest
from spanemu.sql.googlesql.ast import LabelExpression
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTable, Numbers
from spanemu.sql.googlesql.graph.analyzer.errors import LabelNotFound, LabelOfOtherKind
from spanemu.sql.resolved import And, Expr, Literal, Or
from spanemu.values.types import BOOL, STRING

# Whether the dynamic label of a row is a label, by the label's folded name.
HasLabel = Callable[[str], Expr]
Negate = Callable[[Expr], Expr]


def check_labels(labels: LabelExpression, catalog: GraphCatalog, is_edge: bool) -> None:
    """Raise LabelNotFound or LabelOfOtherKind for a label that no element of the kind can have."""
    if isinstance(labels, ast.LabelName):
        _check_label(labels, catalog, is_edge)
    elif isinstance(labels, ast.LabelNot):
        check_labels(labels.operand, catalog, is_edge)
    elif isinstance(labels, ast.LabelJunction):
        for operand in labels.operands:
            check_labels(operand, catalog, is_edge)


def _check_label(label: ast.LabelName, catalog: GraphCatalog, is_edge: bool) -> None:
    name = label.name.name
    folded = catalog.fold(name)
    own, other = catalog.tables(is_edge), catalog.tables(not is_edge)
    if own.with_label(folded) is not None or own.dynamic:
        return
    if other.with_label(folded) is not None:
        valid = "nodes" if is_edge else "edges"
        raise LabelOfOtherKind(name, valid, "edge" if is_edge else "node", at=label.name.at)
    known = [
        each for tables in (own, other) for one in tables.tables for each in one.element.labels
    ]
    raise LabelNotFound(name, closest(name, known), at=label.name.at)


def tables_with(labels: LabelExpression | None, catalog: GraphCatalog, is_edge: bool) -> Numbers:
    """Return the element tables with rows that may satisfy a label expression."""
    tables = catalog.tables(is_edge)
    if labels is None:
        return tables.all
    return frozenset(
        table.number for table in tables.tables if verdict(labels, table, catalog) is not False
    )


def verdict(labels: LabelExpression, table: GraphTable, catalog: GraphCatalog) -> bool | None:
    """Return whether the rows of a table satisfy a label expression; None if each row decides."""
    if isinstance(labels, ast.LabelName):
        if catalog.fold(labels.name.name) in table.labels:
            return True
        return None if table.declared.dynamic_label is not None else False
    if isinstance(labels, ast.AnyLabel):
        if table.labels:
            return True
        return None if table.declared.dynamic_label is not None else False
    if isinstance(labels, ast.LabelNot):
        inner = verdict(labels.operand, table, catalog)
        return None if inner is None else not inner
    assert isinstance(labels, ast.LabelJunction)
    verdicts = [verdict(operand, table, catalog) for operand in labels.operands]
    decisive = labels.op == "OR"
    if decisive in verdicts:
        return decisive
    return None if None in verdicts else not decisive


def condition_on_rows(
    labels: LabelExpression,
    table: GraphTable,
    catalog: GraphCatalog,
    has_label: HasLabel,
    negate: Negate,
) -> Expr:
    """Return the condition on a row of a table that satisfies a label expression.

    `has_label` returns the condition that the row's own label has a name, or that it has any label
    for "".
    """
    known = verdict(labels, table, catalog)
    if known is not None:
        return Literal(BOOL, known)
    if isinstance(labels, ast.LabelName):
        return has_label(catalog.fold(labels.name.name))
    if isinstance(labels, ast.AnyLabel):
        return has_label("")

    def inside(operand: LabelExpression) -> Expr:
        return condition_on_rows(operand, table, catalog, has_label, negate)

    if isinstance(labels, ast.LabelNot):
        return negate(inside(labels.operand))
    assert isinstance(labels, ast.LabelJunction)
    operands = tuple(inside(operand) for operand in labels.operands)
    return And(BOOL, operands) if labels.op == "AND" else Or(BOOL, operands)


def labeled_value(labels: LabelExpression, element: Callable[[], Expr], analysis: Analysis) -> Expr:
    """Return whether an element that is a value satisfies a label expression; NULL of NULL."""

    def inside(operand: LabelExpression) -> Expr:
        return labeled_value(operand, element, analysis)

    if isinstance(labels, ast.LabelName):
        label = Literal(STRING, labels.name.name)
        return operator_call("$has_label", (element(), label), analysis, -1)
    if isinstance(labels, ast.AnyLabel):
        return operator_call("$has_any_label", (element(),), analysis, -1)
    if isinstance(labels, ast.LabelNot):
        return operator_call("$not", (inside(labels.operand),), analysis, -1)
    assert isinstance(labels, ast.LabelJunction)
    operands = tuple(inside(operand) for operand in labels.operands)
    return And(BOOL, operands) if labels.op == "AND" else Or(BOOL, operands)
