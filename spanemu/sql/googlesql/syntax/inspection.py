"""Looking into an expression: which functions it calls and which columns it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.sql.googlesql.ast import (
    Between,
    Binary,
    BoolLiteral,
    BytesLiteral,
    Call,
    Expression,
    FloatLiteral,
    In,
    IntLiteral,
    Junction,
    Name,
    Node,
    StringLiteral,
    TypedLiteral,
)

Trail = tuple[Node, ...]


def walk(node: Node, above: Trail = ()) -> Iterator[tuple[Node, Trail]]:
    """Every node of a tree with those that it is inside of, outermost first."""
    yield node, above
    inside = (*above, node)
    for name in node.__dataclass_fields__:
        for child in _nodes(getattr(node, name)):
            yield from walk(child, inside)


def _nodes(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def function_of(node: Node) -> str:
    """The upper-cased name of the function that a node calls; "" for any other node."""
    if not isinstance(node, Call):
        return ""
    return ".".join(node.function.names).upper().removeprefix("SAFE.")


def functions(tree: Expression | None) -> set[str]:
    """The functions that an expression calls."""
    if tree is None:
        return set()
    return {name for node, _ in walk(tree) if (name := function_of(node))}


def columns_read(tree: Expression) -> set[str]:
    """The columns that an expression reads, folded."""
    return {fold(node.path.names[0]) for node, _ in walk(tree) if isinstance(node, Name)}


def integer(node: Expression) -> int | None:
    """The value of an integer literal, with or without a sign."""
    return node.value if isinstance(node, IntLiteral) else None


_LITERALS = (BoolLiteral, BytesLiteral, FloatLiteral, IntLiteral, StringLiteral, TypedLiteral)


def is_literal(node: Expression) -> bool:
    """Whether an expression is one constant other than NULL."""
    return isinstance(node, _LITERALS)


def allowed_by(tree: Expression, column: str) -> int | None:
    """How many values of a column a CHECK allows; None if it does not say.

    `c IN (a, b)`, `c BETWEEN 0 AND 9`, `c >= 0 AND c < 10`, `c = 1 OR c = 2`.
    """
    name = fold(column)
    match tree:
        case In(operand=Name(path), items=items, negated=False) if items and _is(path.names, name):
            return len(items)
        case Between(operand=Name(path), low=low, high=high, negated=False) if _is(
            path.names, name
        ):
            first, last = integer(low), integer(high)
            return None if first is None or last is None else last - first + 1
        case Junction(op="OR", operands=operands):
            counts = [_equals(each, name) for each in operands]
            return len(counts) if all(counts) else None
        case Junction(op="AND", operands=operands):
            within = next((n for each in operands if (n := allowed_by(each, column))), None)
            return within or _between_bounds(operands, name)
    return None


def _is(names: tuple[str, ...], name: str) -> bool:
    return len(names) == 1 and fold(names[0]) == name


def _equals(tree: Expression, name: str) -> bool:
    match tree:
        case Binary(op="=", left=Name(path)):
            return _is(path.names, name)
    return False


def _between_bounds(operands: tuple[Expression, ...], name: str) -> int | None:
    low = high = None
    for each in operands:
        match each:
            case Binary(op=op, left=Name(path), right=right) if _is(path.names, name):
                bound = integer(right)
                if bound is None:
                    continue
                if op in (">", ">="):
                    low = bound + (op == ">")
                elif op in ("<", "<="):
                    high = bound - (op == "<")
    return None if low is None or high is None else high - low + 1


def modulus(tree: Expression | None) -> tuple[int, bool] | None:
    """(N, whether the sign survives) of the outermost MOD(x, N) in an expression."""
    if tree is None:
        return None
    for node, above in walk(tree):
        if isinstance(node, Call) and function_of(node) == "MOD" and len(node.arguments) == 2:
            count = integer(node.arguments[1])
            if count is not None:
                return count, _is_signed(node, above)
    return None


def _is_signed(mod: Call, above: tuple[Node, ...]) -> bool:
    """Whether a MOD can be negative: its operand is a bare FARM_FINGERPRINT.

    A function around the hash, or ABS around all, helps; so does MOD(MOD(h, n) + n, n).
    """
    if any(function_of(node) == "ABS" for node in above):
        return False
    return any(
        function_of(node) == "FARM_FINGERPRINT" and not any(map(function_of, inside[1:]))
        for node, inside in walk(mod)
    )
