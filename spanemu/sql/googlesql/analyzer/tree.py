"""Walks and rewrites resolved trees, whatever their nodes are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

from spanemu.sql.resolved import (
    AggregateCall,
    ColumnRef,
    Expr,
    FunctionCall,
    LambdaExpr,
    Let,
    Literal,
    ParameterRef,
    Scan,
    SortKey,
    SubqueryExpr,
)

V = TypeVar("V")

_NODES = (Expr, Scan, SortKey, AggregateCall)
_NO_CHILDREN = frozenset({"type", "table", "signature", "at", "column"})
# They make columns of their own, so two of them never mention the same ones.
_NEVER_SAME = (SubqueryExpr, LambdaExpr, Let)


_children: dict[type, tuple[str, ...]] = {}


def _children_of(kind: type) -> tuple[str, ...]:
    """Names of the fields in which nodes of that kind may hold other nodes."""
    known = _children.get(kind)
    if known is None:
        known = ()
        if issubclass(kind, _NODES) and is_dataclass(kind):
            known = tuple(f.name for f in fields(kind) if f.name not in _NO_CHILDREN)
        _children[kind] = known
    return known


def rewritten(node: Any, change: Callable[[Expr], Expr | None]) -> Any:
    """`node` with each expression replaced by what `change` makes of it; None: look inside.

    What does not change is shared with the old tree.
    """
    if isinstance(node, Expr):
        changed = change(node)
        if changed is not None:
            return changed
    elif type(node) is tuple:
        items = tuple(rewritten(item, change) for item in node)
        same = all(new is old for new, old in zip(items, node, strict=True))
        return node if same else items
    changes = {}
    for name in _children_of(type(node)):
        old = getattr(node, name)
        new = rewritten(old, change)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def column_refs(node: Any) -> Iterator[ColumnRef]:
    """Every reference to a column in a tree, subqueries included."""
    if type(node) is ColumnRef:
        yield node
    elif type(node) is tuple:
        for item in node:
            yield from column_refs(item)
    else:
        for name in _children_of(type(node)):
            yield from column_refs(getattr(node, name))


def expressions_in(node: Any) -> Iterator[Expr]:
    """Every expression in a tree, subqueries included."""
    if isinstance(node, Expr):
        yield node
    if type(node) is tuple:
        children = node
    else:
        children = tuple([getattr(node, name) for name in _children_of(type(node))])
    for child in children:
        yield from expressions_in(child)


def same(one: Any, other: Any) -> bool:
    """Whether two expressions are sure to have equal values on the same row."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if type(one) is tuple:
        return len(one) == len(other) and all(
            same(left, right) for left, right in zip(one, other, strict=True)
        )
    if not isinstance(one, Expr):
        return bool(one == other)
    if one.type != other.type:
        return False
    compare = _SAME.get(type(one))
    if compare is not None:
        return compare(one, other)
    if isinstance(one, _NEVER_SAME):
        return False
    return all(same(getattr(one, name), getattr(other, name)) for name in _children_of(type(one)))


def _same_call(one: FunctionCall, other: FunctionCall) -> bool:
    return (
        one.signature.function == other.signature.function
        and not one.signature.volatile
        and one.safe == other.safe
        and same(one.arguments, other.arguments)
    )


def _same_literal(one: Literal, other: Literal) -> bool:
    return type(one.value) is type(other.value) and bool(one.value == other.value)


_SAME: dict[type, Callable[[Any, Any], bool]] = {
    ColumnRef: lambda one, other: one.column.id == other.column.id,
    ParameterRef: lambda one, other: one.name == other.name,
    Literal: _same_literal,
    FunctionCall: _same_call,
}


def likeness(node: Any) -> Hashable:
    """What expressions that are the same have in common, and few others."""
    kind = type(node)
    if kind is tuple:
        return tuple([likeness(item) for item in node])
    if kind is Literal:
        try:
            return hash(node.value)
        except TypeError:  # JSON, or an array of it
            return None
    if isinstance(node, ColumnRef):
        return node.column.id
    if isinstance(node, FunctionCall):
        return node.signature.function, likeness(node.arguments)
    if isinstance(node, Expr):
        return kind, *[likeness(getattr(node, name)) for name in _children_of(kind)]
    return None


class ByExpression(Generic[V]):
    """Values by expression: two that are the same are one. Takes no longer for many of them."""

    def __init__(self) -> None:
        self._alike: dict[Hashable, list[tuple[Expr, V]]] = {}

    def __bool__(self) -> bool:
        return bool(self._alike)

    def add(self, expression: Expr, value: V) -> None:
        """Add an expression that is not there yet."""
        self._alike.setdefault(likeness(expression), []).append((expression, value))

    def find(self, expression: Expr) -> V | None:
        """The value of an expression that is the same."""
        for known, value in self._alike.get(likeness(expression), ()):
            if same(known, expression):
                return value
        return None


def depth(node: Any) -> int:
    """How deep a tree is nested: 1 for a leaf."""
    if type(node) is tuple:
        return max((depth(item) for item in node), default=0)
    names = _children_of(type(node))
    below = max((depth(getattr(node, name)) for name in names), default=0)
    return below + (1 if isinstance(node, Expr) else 0)
