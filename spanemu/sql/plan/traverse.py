"""Walking and rewriting plans and expressions, and computing which outer columns they need.

The module does not know the meaning of a node: `PARTS` (for expressions) and each node's `parts`
name the fields that hold nodes or expressions, nested in tuples at any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import NamedTuple
from spanemu.sql import resolved
from spanemu.sql.plan import nodes, paths
from spanemu.sql.plan.nodes import CommonTable, Node, Subquery
from spanemu.sql.resolved import ColumnRef, Expr

T = TypeVar("T")
OnNode = Callable[[Node], Node]
OnExpr = Callable[[Expr], Expr]

PARTS: Mapping[type, tuple[str, ...]] = {
    resolved.Literal: (),
    resolved.ParameterRef: (),
    resolved.ColumnRef: (),
    resolved.SequenceRef: (),
    resolved.FunctionCall: ("arguments",),
    resolved.ApproximateDistance: ("arguments",),
    resolved.Cast: ("operand",),
    resolved.Case: ("whens", "otherwise"),
    resolved.And: ("operands",),
    resolved.Or: ("operands",),
    resolved.MakeArray: ("items",),
    resolved.MakeStruct: ("items",),
    resolved.GetField: ("operand",),
    resolved.MakeElement: (
        "key", "properties", "source", "destination", "dynamic_label", "dynamic_properties",
    ),
    resolved.GetProperty: ("operand",),
    resolved.GetKey: ("operand",),
    resolved.MakePath: ("items",),
    resolved.LambdaExpr: ("body",),
    resolved.Let: ("bindings", "result"),
    Subquery: Subquery.parts,
    resolved.SortKey: ("value", "collation"),
    resolved.AggregateCall: ("arguments", "having", "order_by", "limit"),
    nodes.Equal: nodes.Equal.parts,
    nodes.Among: nodes.Among.parts,
    nodes.Within: nodes.Within.parts,
    nodes.Prefixed: nodes.Prefixed.parts,
    nodes.Seek: nodes.Seek.parts,
    CommonTable: CommonTable.parts,
    **paths.PARTS,
}  # fmt: skip


# Expressions without parts. A statement may hold very many, and reading an object's `__dict__`
# makes Python create the dictionary: nothing is cached in these.
_LEAVES = frozenset(kind for kind, names in PARTS.items() if not names)


def parts_of(item: Any) -> tuple[str, ...]:
    """Return the names of the fields of `item` that hold nodes or expressions."""
    names = PARTS.get(type(item))
    return item.parts if names is None else names


def map_parts(item: T, on_node: OnNode, on_expr: OnExpr) -> T:
    """Return `item` with its direct nodes and expressions replaced, or itself if none changed."""
    # Planning a statement does this for every node, several times: most fields need no more calls.
    changes: dict[str, Any] = {}
    for name in parts_of(item):
        before = getattr(item, name)
        if isinstance(before, Expr):
            after: Any = on_expr(before)
        elif isinstance(before, Node):
            after = on_node(before)
        elif before:
            after = _mapped_value(before, on_node, on_expr)
        else:
            continue  # None or an empty tuple
        if after is not before:
            changes[name] = after
    return replace_fields(item, changes) if changes else item


def replace_fields(item: T, changes: Mapping[str, Any]) -> T:
    """Return a copy of `item` with some fields replaced, faster than `dataclasses.replace`.

    Planning one statement makes hundreds of such copies. Plan nodes have no validation to run.
    Values that were cached in the old instance are dropped.
    """
    copy = object.__new__(type(item))
    state = copy.__dict__
    state.update(item.__dict__)
    for cached in _KEPT:
        state.pop(cached, None)
    state.update(changes)
    return copy


# What is noted in an instance, and does not hold for a copy: see `scope_of`, `parts`, `Node.ids`
# and `settle`.
_SCOPE = "_scope"
_PARTS = "_parts"
_SETTLED = "_settled"
_KEPT = (_SCOPE, _PARTS, _SETTLED, "ids")


def settle(node: Node) -> None:
    """Note that a node's conditions are as far down as they can be."""
    node.__dict__[_SETTLED] = True


def is_settled(node: Node) -> bool:
    """Return whether `settle` was called for this node; it was not called for a changed copy."""
    return _SETTLED in node.__dict__


def _mapped_value(value: Any, on_node: OnNode, on_expr: OnExpr) -> Any:
    if isinstance(value, Expr):
        return on_expr(value)
    if isinstance(value, Node):
        return on_node(value)
    kind = type(value)
    if kind is tuple:
        return _mapped_tuple(value, on_node, on_expr)
    if kind in PARTS:
        return map_parts(value, on_node, on_expr)
    return value


def _mapped_tuple(value: Any, on_node: OnNode, on_expr: OnExpr) -> Any:
    items: list[Any] = []
    is_changed = False
    for item in interruptible(value):
        # An expression needs no intermediate call: nested calls use up Python's stack.
        mapped_item = (
            on_expr(item) if isinstance(item, Expr) else _mapped_value(item, on_node, on_expr)
        )
        is_changed = is_changed or mapped_item is not item
        items.append(mapped_item)
    return tuple(items) if is_changed else value


def parts(item: Any) -> Sequence[Node | Expr]:
    """Return the direct nodes and expressions of `item`; they are collected once and cached."""
    if type(item) in _LEAVES:
        return ()
    cached: Sequence[Node | Expr] | None = item.__dict__.get(_PARTS)
    if cached is None:
        collected: list[Node | Expr] = []
        _collect(item, collected)
        cached = item.__dict__[_PARTS] = collected
    return cached


def _collect(item: Any, parts_found: list[Node | Expr]) -> None:
    for name in parts_of(item):
        value = getattr(item, name)
        if isinstance(value, (Expr, Node)):
            parts_found.append(value)
        elif value:
            _collect_value(value, parts_found)


def _collect_value(value: Any, parts_found: list[Node | Expr]) -> None:
    """Collect from a value that is neither a node nor an expression itself."""
    if type(value) is tuple:
        for item in value:
            if isinstance(item, (Expr, Node)):  # Most items are: this saves a call per item.
                parts_found.append(item)
            else:
                _collect_value(item, parts_found)
    elif type(value) in PARTS:
        _collect(value, parts_found)


def walk(item: Node | Expr) -> Iterator[Node | Expr]:
    """Yield `item` and everything in it, from the top."""
    pending: list[Node | Expr] = [item]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(parts(current))


def walk_nodes(item: Node | Expr) -> Iterator[Node]:
    """Yield the nodes in `item`, itself included, from the top; also those of subqueries."""
    pending: list[Node | Expr] = [item]
    while pending:
        current = pending.pop()
        if isinstance(current, Node):
            yield current
        pending.extend(
            [part for part in parts(current) if isinstance(part, Node) or has_query(part)]
        )


class Scope(NamedTuple):
    """The ids of the columns that a node or expression refers to, and of those that it produces.

    - `free`: columns that are referred to and not produced. Ids are unique within a statement, so
      the set of all produced columns can be subtracted from the set of all referenced columns.
    - `has_query`: there is a subquery inside
    - `is_volatile`: evaluated again, the value may differ
    - `is_slow`: some function inside does more work than a comparison
    - `may_fail`: for some values the evaluation ends the statement with an error
    """

    used: frozenset[int]
    produced: frozenset[int]
    free: frozenset[int]
    has_query: bool = False
    is_volatile: bool = False
    is_slow: bool = False
    may_fail: bool = False


_NOTHING: frozenset[int] = frozenset()
_EMPTY = Scope(_NOTHING, _NOTHING, _NOTHING)


def scope_of(item: Node | Expr) -> Scope:
    """Return the columns of a node or expression, at any depth; the object caches the result."""
    if type(item) in _LEAVES:
        return _of_column(item.column.id) if isinstance(item, ColumnRef) else _EMPTY
    scope: Scope | None = item.__dict__.get(_SCOPE)
    if scope is None:
        scope = item.__dict__[_SCOPE] = _scope(item)
    return scope


@lru_cache(maxsize=4096)
def _of_column(column: int) -> Scope:
    """Return the scope of references to a column; small ids occur in every statement."""
    itself = frozenset((column,))
    return Scope(itself, _NOTHING, itself)


def _scope(item: Node | Expr) -> Scope:
    # Planning a statement does this for every new node: one loop, and no set that stays as it is.
    produced = frozenset([column.id for column in _PRODUCERS.get(type(item), _own_columns)(item)])
    used = _NOTHING
    is_volatile = is_slow = False
    has_query = may_fail = isinstance(item, Subquery)
    if isinstance(item, resolved.FunctionCall):
        is_volatile, is_slow = item.signature.volatile, item.signature.is_slow
    elif isinstance(item, nodes.RemoteCall):
        is_volatile = is_slow = may_fail = True
    for part in interruptible(parts(item)):
        scope = scope_of(part)
        used = used | scope.used if used else scope.used
        if scope.produced:
            produced |= scope.produced
        has_query = has_query or scope.has_query
        is_volatile = is_volatile or scope.is_volatile
        is_slow = is_slow or scope.is_slow
        may_fail = may_fail or scope.may_fail
    free = used - produced if produced else used
    may_fail = may_fail or _fails_itself(item)
    return Scope(used, produced, free, has_query, is_volatile, is_slow, may_fail)


def _fails_itself(item: Node | Expr) -> bool:
    """Return whether the outermost operation of an expression may fail."""
    if isinstance(item, resolved.FunctionCall):
        return not (item.safe or item.signature.cannot_fail)
    if isinstance(item, resolved.Cast):
        return not (item.safe or (item.implicit and item.operand.type.is_number))
    return False


def _own_columns(item: Any) -> Iterable[resolved.ResolvedColumn]:
    return item.produced if isinstance(item, Node) else ()


_PRODUCERS: Mapping[type, Callable[[Any], Iterable[resolved.ResolvedColumn]]] = {
    resolved.LambdaExpr: lambda expr: expr.parameters,
    resolved.Let: lambda expr: [column for column, _ in expr.bindings],
    paths.PathScan: lambda node: [*node.produced, *node.internal],
}


def free(item: Node | Expr) -> frozenset[int]:
    """Return the ids of the columns that `item` refers to and does not produce itself."""
    return scope_of(item).free


def has_query(item: Node | Expr) -> bool:
    """Return whether `item` contains a subquery."""
    return scope_of(item).has_query


def is_volatile(item: Node | Expr) -> bool:
    """Return whether `item` may have another value when it is evaluated again."""
    return scope_of(item).is_volatile


def may_fail(item: Node | Expr) -> bool:
    """Return whether evaluating `item` may end the statement with an error."""
    return scope_of(item).may_fail


def substitute(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """Return `expr` with references to the given columns replaced, inside subqueries too."""

    def on_expr(item: Expr) -> Expr:
        if isinstance(item, ColumnRef):
            return values.get(item.column.id, item)
        if scope_of(item).used.isdisjoint(values):
            return item
        return map_parts(item, on_node, on_expr)

    def on_node(item: Node) -> Node:
        if scope_of(item).used.isdisjoint(values):
            return item
        return map_parts(item, on_node, on_expr)

    return on_expr(expr)
