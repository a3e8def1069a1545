"""Looking into an expression: which functions it calls and which columns it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.sql.syntax.ast import (
    BoolLiteral,
    BytesLiteral,
    Call,
    Expression,
    FloatLiteral,
    IntLiteral,
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
