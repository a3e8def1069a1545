"""Walking and rewriting plans and expressions, and asking what they need from outside.

Nothing here knows the meaning of a node: `PARTS` (for expressions) and each node's `parts` name
the fields that hold nodes or expressions, however nested in tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from spanemu.base.deadline_checks import paced
from spanemu.sql import resolved
from spanemu.sql.plan import operators as op
from spanemu.sql.plan import seek
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
    resolved.Cast: ("operand",),
    resolved.Case: ("whens", "otherwise"),
    resolved.And: ("operands",),
    resolved.Or: ("operands",),
    resolved.MakeArray: ("items",),
    resolved.MakeStruct: ("items",),
    resolved.GetField: ("operand",),
    resolved.LambdaExpr: ("body",),
    resolved.Let: ("bindings", "result"),
    Subquery: Subquery.parts,
    resolved.SortKey: ("value", "collation"),
    resolved.AggregateCall: ("arguments", "having", "order_by", "limit"),
    seek.Equal: seek.Equal.parts,
    seek.Among: seek.Among.parts,
    seek.Within: seek.Within.parts,
    seek.Prefixed: seek.Prefixed.parts,
    seek.Seek: seek.Seek.parts,
    CommonTable: CommonTable.parts,
}


# Expressions with nothing inside. A statement may be full of them, and asking an object for its
# `__dict__` makes Python build one: nothing is kept in these.
_LEAVES = frozenset(kind for kind, names in PARTS.items() if not names)
_CONSTANTS = _LEAVES - {ColumnRef}


def parts_of(thing: Any) -> tuple[str, ...]:
    """Names of the fields of `thing` in which nodes or expressions are found."""
    return thing.parts if isinstance(thing, Node) else PARTS[type(thing)]


def mapped(thing: T, on_node: OnNode, on_expr: OnExpr) -> T:
    """`thing` with its direct nodes and expressions replaced; itself when none changed."""
    changes: dict[str, Any] = {}
    for name in parts_of(thing):
        before = getattr(thing, name)
        if before is None or before == ():
            continue
        after = _mapped_value(before, on_node, on_expr)
        if after is not before:
            changes[name] = after
    return changed(thing, changes) if changes else thing


def changed(thing: T, changes: Mapping[str, Any]) -> T:
    """What `dataclasses.replace` gives, faster: planning a statement makes hundreds of these.

    Plan nodes have no validation to run, and what is kept about the old one is dropped.
    """
    made = object.__new__(type(thing))
    state = made.__dict__
    state.update(thing.__dict__)
    for kept in _KEPT:
        state.pop(kept, None)
    state.update(changes)
    return made


# Computed once and kept in an instance: see `scope_of`, `parts` and `Node.ids`.
_SCOPE = "_scope"
_PARTS = "_parts"
_KEPT = (_SCOPE, _PARTS, "ids")


def _mapped_value(value: Any, on_node: OnNode, on_expr: OnExpr) -> Any:
    if isinstance(value, Expr):
        return on_expr(value)
    if isinstance(value, Node):
        return on_node(value)
    kind = type(value)
    if kind is tuple:
        return _mapped_tuple(value, on_node, on_expr)
    if kind in PARTS:
        return mapped(value, on_node, on_expr)
    return value


def _mapped_tuple(value: Any, on_node: OnNode, on_expr: OnExpr) -> Any:
    items: list[Any] = []
    is_changed = False
    for item in paced(value):
        # Without a call in between: nested calls use up Python's stack.
        made = on_expr(item) if isinstance(item, Expr) else _mapped_value(item, on_node, on_expr)
        is_changed = is_changed or made is not item
        items.append(made)
    return tuple(items) if is_changed else value


def parts(thing: Any) -> Sequence[Node | Expr]:
    """The direct nodes and expressions of `thing`. Collected once, then kept in it."""
    if type(thing) in _LEAVES:
        return ()
    kept: Sequence[Node | Expr] | None = thing.__dict__.get(_PARTS)
    if kept is None:
        found: list[Node | Expr] = []
        _collect(thing, found)
        kept = thing.__dict__[_PARTS] = found
    return kept


def _collect(thing: Any, found: list[Node | Expr]) -> None:
    for name in parts_of(thing):
        value = getattr(thing, name)
        if value is not None:
            _collect_value(value, found)


def _collect_value(value: Any, found: list[Node | Expr]) -> None:
    if isinstance(value, (Expr, Node)):
        found.append(value)
    elif type(value) is tuple:
        for item in value:
            if isinstance(item, (Expr, Node)):  # Most are; a call less for each.
                found.append(item)
            else:
                _collect_value(item, found)
    elif type(value) in PARTS:
        _collect(value, found)


def walk(thing: Node | Expr) -> Iterator[Node | Expr]:
    """`thing` and everything in it, from the top."""
    pending: list[Node | Expr] = [thing]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(parts(current))


@dataclass(frozen=True, slots=True)
class Scope:
    """Ids of the columns that something refers to, and of those that it produces itself.

    `free`: what it refers to and does not produce; ids are unique within a statement, so all that
    is produced anywhere inside may be taken away from all that is referred to anywhere inside.
    `has_query`: there is a subquery in it. `is_volatile`: evaluated again it may differ.
    `is_slow`: a function in it does more work than a comparison. `may_fail`: for some values its
    evaluation ends the statement.
    """

    used: frozenset[int]
    made: frozenset[int]
    free: frozenset[int]
    has_query: bool = False
    is_volatile: bool = False
    is_slow: bool = False
    may_fail: bool = False


_NOTHING: frozenset[int] = frozenset()
_EMPTY = Scope(_NOTHING, _NOTHING, _NOTHING)


def scope_of(thing: Node | Expr) -> Scope:
    """The columns of a node or expression, at any depth. Computed once, then kept in it."""
    if type(thing) in _CONSTANTS:
        return _EMPTY
    found: Scope | None = thing.__dict__.get(_SCOPE)
    if found is None:
        found = thing.__dict__[_SCOPE] = _scope(thing)
    return found


def _scope(thing: Node | Expr) -> Scope:
    if isinstance(thing, ColumnRef):
        itself = frozenset((thing.column.id,))
        return Scope(itself, _NOTHING, itself)
    own = _PRODUCERS.get(type(thing), _own_columns)
    made = _NOTHING.union([column.id for column in own(thing)])
    inner = [scope_of(part) for part in paced(parts(thing))]
    used = _NOTHING.union(*[one.used for one in inner])
    made = made.union(*[one.made for one in inner])
    call = thing if isinstance(thing, resolved.FunctionCall) else None
    has_query = isinstance(thing, Subquery)
    return Scope(
        used,
        made,
        used - made if made else used,
        has_query or any(one.has_query for one in inner),
        (call is not None and call.signature.volatile) or any(one.is_volatile for one in inner),
        (call is not None and call.signature.function.startswith(op.SLOW_PREFIXES))
        or any(one.is_slow for one in inner),
        has_query or _fails_itself(thing) or any(one.may_fail for one in inner),
    )


def _fails_itself(thing: Node | Expr) -> bool:
    """Return whether the outermost operation of an expression may fail."""
    if isinstance(thing, resolved.FunctionCall):
        return not (thing.safe or thing.signature.function in op.NEVER_FAILING)
    if isinstance(thing, resolved.Cast):
        return not (thing.safe or (thing.implicit and thing.operand.type.is_number))
    return False


def _own_columns(thing: Any) -> Iterable[resolved.ResolvedColumn]:
    return thing.produced if isinstance(thing, Node) else ()


_PRODUCERS: Mapping[type, Callable[[Any], Iterable[resolved.ResolvedColumn]]] = {
    resolved.LambdaExpr: lambda expr: expr.parameters,
    resolved.Let: lambda expr: [column for column, _ in expr.bindings],
}


def free(thing: Node | Expr) -> frozenset[int]:
    """Ids of the columns that `thing` refers to and does not produce itself."""
    return scope_of(thing).free


def has_query(thing: Node | Expr) -> bool:
    """Whether there is a subquery in it."""
    return scope_of(thing).has_query


def is_volatile(thing: Node | Expr) -> bool:
    """Whether evaluating it again may give something else."""
    return scope_of(thing).is_volatile


def may_fail(thing: Node | Expr) -> bool:
    """Return whether evaluating it may end the statement."""
    return scope_of(thing).may_fail


def substitute(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """`expr` with references to the given columns replaced, inside subqueries too."""

    def on_expr(item: Expr) -> Expr:
        if isinstance(item, ColumnRef):
            return values.get(item.column.id, item)
        if scope_of(item).used.isdisjoint(values):
            return item
        return mapped(item, on_node, on_expr)

    def on_node(item: Node) -> Node:
        if scope_of(item).used.isdisjoint(values):
            return item
        return mapped(item, on_node, on_expr)

    return on_expr(expr)
