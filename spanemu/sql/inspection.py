"""Questions about an expression: its functions, its columns, the number of values it allows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.sql.syntax_tree import (
    Between,
    Binary,
    BoolLiteral,
    BytesLiteral,
    Call,
    Expression,
    Extract,
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
    """Yield every node of a tree with its ancestors, outermost first."""
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


def called_function(node: Node) -> str:
    """Return the upper-cased name of the function that a node calls; "" for any other node.

    The name is without the prefixes SAFE and spanner. EXTRACT in PostgreSQL is "EXTRACT YEAR".
    """
    if not isinstance(node, Expression):
        return ""
    return node.called.removeprefix("SAFE.").removeprefix("SPANNER.")


def extracted_part(node: Node) -> str:
    """Return the upper-cased part of a time that EXTRACT returns; "" for any other node."""
    if isinstance(node, Extract):
        return node.part
    name = called_function(node)
    return name.removeprefix("EXTRACT ") if name.startswith("EXTRACT ") else ""


def called_functions(tree: Expression | None) -> set[str]:
    """Return the upper-cased names of the functions that an expression calls."""
    if tree is None:
        return set()
    return {name for node, _ in walk(tree) if (name := called_function(node))}


def columns_read(tree: Expression) -> set[str]:
    """Return the folded names of the columns that an expression reads."""
    return {fold(node.path.names[0]) for node, _ in walk(tree) if isinstance(node, Name)}


def integer_value(node: Expression) -> int | None:
    """Return the value of an integer literal, with or without a sign; None for other nodes."""
    return node.value if isinstance(node, IntLiteral) else None


_LITERALS = (BoolLiteral, BytesLiteral, FloatLiteral, IntLiteral, StringLiteral, TypedLiteral)


def is_literal(node: Expression) -> bool:
    """Return whether an expression is a single literal other than NULL."""
    return isinstance(node, _LITERALS)


def allowed_value_count(tree: Expression, column: str) -> int | None:
    """Return how many values of `column` a CHECK expression allows; None if it sets no bound.

    Recognized forms: `c IN (a, b)`, `c BETWEEN 0 AND 9`, `c >= 0 AND c < 10`, `c = 1 OR c = 2`.
    """
    name = fold(column)
    match tree:
        case In(operand=Name(path), items=items, negated=False) if items and _is(path.names, name):
            return len(items)
        case Between(operand=Name(path), low=low, high=high, negated=False) if _is(
            path.names, name
        ):
            first, last = integer_value(low), integer_value(high)
            return None if first is None or last is None else last - first + 1
        case Junction(op="OR", operands=operands):
            counts = [_equals(operand, name) for operand in operands]
            return len(counts) if all(counts) else None
        case Junction(op="AND", operands=operands):
            within = next(
                (n for operand in operands if (n := allowed_value_count(operand, column))), None
            )
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
    for operand in operands:
        match operand:
            case Binary(op=op, left=Name(path), right=right) if _is(path.names, name):
                bound = integer_value(right)
                if bound is None:
                    continue
                if op in (">", ">="):
                    low = bound + (op == ">")
                elif op in ("<", "<="):
                    high = bound - (op == "<")
    return None if low is None or high is None else high - low + 1


def modulus(tree: Expression | None) -> tuple[int, bool] | None:
    """Return N of the outermost MOD(x, N) or x % N, and whether it can be negative.

    Returns None if the expression has no MOD by an integer literal.
    """
    if tree is None:
        return None
    for node, above in walk(tree):
        divisor = _divisor(node)
        count = None if divisor is None else integer_value(divisor)
        if count is not None:
            return count, _is_signed(node, above)
    return None


def _divisor(node: Node) -> Expression | None:
    """Return the second operand of MOD(x, y) or x % y; None for other nodes."""
    match node:
        case Call(arguments=(_, divisor)) if called_function(node) == "MOD":
            return divisor
        case Binary(op="%", right=divisor):
            return divisor
    return None


def _is_signed(mod: Node, above: tuple[Node, ...]) -> bool:
    """Return whether a MOD can be negative because its operand is a bare FARM_FINGERPRINT.

    The result is not negative with a function around the hash, with ABS around the MOD, or in
    MOD(MOD(h, n) + n, n).
    """
    if any(called_function(node) == "ABS" for node in above):
        return False
    return any(
        called_function(node) == "FARM_FINGERPRINT" and not any(map(called_function, inside[1:]))
        for node, inside in walk(mod)
    )
