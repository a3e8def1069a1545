"""Paths through arrays: in `IN UNNEST(t.orders.items)`, the items of all orders as one array.

Only IN UNNEST takes them. Each step behind the first array is taken for every element, and what
comes of it is one flat array, in order; the elements of an array are put side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.names import NoFields
from spanemu.sql.analyzer.expressions.constructors import subscript_of
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.expressions.names import field_of, resolve_path
from spanemu.sql.analyzer.resolved import (
    ArrayScan,
    ColumnRef,
    Expr,
    ProjectScan,
    Scan,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.sql.syntax import ast
from spanemu.values.types import array_of


def resolve_array_path(node: ast.Expression, env: Env) -> Expr:
    """An expression that may be a path through arrays."""
    try:
        return resolve(node, env)
    except NoFields:
        array, steps = _split(node, env)
        if array is None:
            raise
    return _flattened(array, steps, env)


# A field, or an element by its place.
_Step = ast.Identifier | ast.Subscript


def _split(node: ast.Expression, env: Env) -> tuple[Expr | None, Sequence[_Step]]:
    """The first array of a path, and the steps behind it; None if no array is on the way."""
    steps: list[_Step] = []
    while isinstance(node, ast.FieldAccess | ast.Subscript):
        steps.insert(0, node.field_name if isinstance(node, ast.FieldAccess) else node)
        node = node.operand
    if type(node) is not ast.Name:
        value = resolve(node, env)
    else:
        value, used = _first_array(node.path, env)
        steps = [*node.path.parts[used:], *steps]
    while steps and not value.type.is_array:
        value = _taken(value, steps.pop(0), env)
    return (value if value.type.is_array else None), steps


def _first_array(path: ast.Path, env: Env) -> tuple[Expr, int]:
    """What the shortest part of a path stands for that is an array, or else the first name."""
    for used in range(1, len(path.parts)):
        value = resolve_path(path.parts[:used], env, path.at)
        if value.type.is_array:
            return value, used
    return resolve_path(path.parts[:1], env, path.at), 1


def _taken(value: Expr, step: _Step, env: Env) -> Expr:
    if isinstance(step, ast.Subscript):
        return subscript_of(value, step, env)
    return field_of(value, step, env)


def _flattened(array: Expr, steps: Sequence[_Step], env: Env) -> Expr:
    scan: Scan | None = None
    value = array
    for step in steps:
        if value.type.is_array and isinstance(step, ast.Identifier):
            scan, value = _elements(scan, value, env)
        value = _taken(value, step, env)
    if value.type.is_array:
        scan, value = _elements(scan, value, env)
    assert scan is not None
    column = env.analysis.column("$flattened", value.type)
    projected = ProjectScan(scan, ((column, value),))
    env.analysis.traits.subquery = True
    return SubqueryExpr(array_of(value.type), SubqueryKind.ARRAY, projected, (column,))


def _elements(scan: Scan | None, array: Expr, env: Env) -> tuple[Scan, Expr]:
    column = env.analysis.column("$element", array.type.item())
    return ArrayScan(scan, array, column, None), ColumnRef(column.type, column)
