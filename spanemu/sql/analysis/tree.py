"""Traversal, comparison and rewriting of resolved trees, for every kind of node."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

from spanemu.sql.resolved import (
    AggregateCall,
    ApproximateDistance,
    ColumnRef,
    Expr,
    FunctionCall,
    LambdaExpr,
    Let,
    Literal,
    ParameterRef,
    PathPart,
    Scan,
    SortKey,
    SubqueryExpr,
)

V = TypeVar("V")

_NODES = (Expr, Scan, SortKey, AggregateCall, PathPart)
_NO_CHILDREN = frozenset({"type", "table", "signature", "at", "column"})
# Each node of these kinds produces columns of its own, so two nodes never use the same columns.
_NEVER_EQUIVALENT = (SubqueryExpr, LambdaExpr, Let)


_children: dict[type, tuple[str, ...]] = {}


def _children_of(kind: type) -> tuple[str, ...]:
    """Return the names of the fields in which nodes of type `kind` can hold other nodes."""
    known = _children.get(kind)
    if known is None:
        known = ()
        if issubclass(kind, _NODES) and is_dataclass(kind):
            known = tuple(f.name for f in fields(kind) if f.name not in _NO_CHILDREN)
        _children[kind] = known
    return known


def rewrite(node: Any, change: Callable[[Expr], Expr | None]) -> Any:
    """Return `node` with each expression replaced by the result of `change`.

    Where `change` returns None, the children of the expression are rewritten instead. Unchanged
    subtrees are shared with the old tree.
    """
    if isinstance(node, Expr):
        changed = change(node)
        if changed is not None:
            return changed
    elif type(node) is tuple:
        items = tuple(rewrite(item, change) for item in node)
        unchanged = all(new is old for new, old in zip(items, node, strict=True))
        return node if unchanged else items
    changes = {}
    for name in _children_of(type(node)):
        old = getattr(node, name)
        new = rewrite(old, change)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def column_refs(node: Any) -> Iterator[ColumnRef]:
    """Yield every column reference of a tree, subqueries included."""
    if type(node) is ColumnRef:
        yield node
    elif type(node) is tuple:
        for item in node:
            yield from column_refs(item)
    else:
        for name in _children_of(type(node)):
            yield from column_refs(getattr(node, name))


def expressions_in(node: Any) -> Iterator[Expr]:
    """Yield every expression of a tree, subqueries included."""
    if isinstance(node, Expr):
        yield node
    if type(node) is tuple:
        children = node
    else:
        children = tuple([getattr(node, name) for name in _children_of(type(node))])
    for child in children:
        yield from expressions_in(child)


APPROXIMATION = "An approximate distance function"  # in error messages


def has_approximation(expression: Expr) -> bool:
    """Return whether an expression calls an approximate distance function."""
    return any(isinstance(part, ApproximateDistance) for part in expressions_in(expression))


def is_equivalent(first: Any, second: Any) -> bool:
    """Return whether two expressions certainly have equal values on the same row."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if type(first) is tuple:
        return len(first) == len(second) and all(
            is_equivalent(left, right) for left, right in zip(first, second, strict=True)
        )
    if not isinstance(first, Expr):
        return bool(first == second)
    if first.type != second.type:
        return False
    compare = _COMPARISONS.get(type(first))
    if compare is not None:
        return compare(first, second)
    if isinstance(first, _NEVER_EQUIVALENT):
        return False
    return all(
        is_equivalent(getattr(first, name), getattr(second, name))
        for name in _children_of(type(first))
    )


def _is_equivalent_call(first: FunctionCall, second: FunctionCall) -> bool:
    return (
        first.signature.function == second.signature.function
        and not first.signature.volatile
        and first.safe == second.safe
        and is_equivalent(first.arguments, second.arguments)
    )


def _is_equal_literal(first: Literal, second: Literal) -> bool:
    return type(first.value) is type(second.value) and bool(first.value == second.value)


_COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ColumnRef: lambda one, other: one.column.id == other.column.id,
    ParameterRef: lambda one, other: one.name == other.name,
    Literal: _is_equal_literal,
    FunctionCall: _is_equivalent_call,
    ApproximateDistance: _is_equivalent_call,
}


def similarity_key(node: Any) -> Hashable:
    """Return a hash key: equivalent expressions have equal keys, and few others do."""
    kind = type(node)
    if kind is tuple:
        return tuple([similarity_key(item) for item in node])
    if kind is Literal:
        try:
            return hash(node.value)
        except TypeError:  # JSON, or an array of it
            return None
    if isinstance(node, ColumnRef):
        return node.column.id
    if isinstance(node, FunctionCall):
        return node.signature.function, similarity_key(node.arguments)
    if isinstance(node, Expr):
        return kind, *[similarity_key(getattr(node, name)) for name in _children_of(kind)]
    return None


class ExpressionMap(Generic[V]):
    """A map keyed by expression, up to equivalence, with lookups in constant time."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, list[tuple[Expr, V]]] = {}

    def __bool__(self) -> bool:
        return bool(self._entries)

    def add(self, expression: Expr, value: V) -> None:
        """Add `value` for an expression that is not in the map yet."""
        self._entries.setdefault(similarity_key(expression), []).append((expression, value))

    def find(self, expression: Expr) -> V | None:
        """Return the value of an equivalent expression, or None if the map has none."""
        for known, value in self._entries.get(similarity_key(expression), ()):
            if is_equivalent(known, expression):
                return value
        return None


def depth(node: Any) -> int:
    """Return the nesting depth of the expressions of a tree: 1 for a leaf."""
    if type(node) is tuple:
        return max((depth(item) for item in node), default=0)
    names = _children_of(type(node))
    below = max((depth(getattr(node, name)) for name in names), default=0)
    return below + (1 if isinstance(node, Expr) else 0)
