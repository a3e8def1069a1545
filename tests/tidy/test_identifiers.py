"""Names of SQL are folded by the dialect of the schema, not by a method of `str`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from spanemu.schema.schema import Schema
from tests.tidy.modules import PACKAGE, modules, name_of, nodes_of

# The maps whose keys are folded names.
MAPS = {name for name in Schema.__dataclass_fields__ if name.endswith("s")} | {"by_name"}

# Where no identifier is folded by hand at all.
FOLDED = ("spanemu/schema/", "spanemu/txn/", "spanemu/storage/", "spanemu/sql/planner/")


def is_folded_by_hand(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in ("lower", "casefold")
        for part in ast.walk(node)
    )


def is_map(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in MAPS


def lookups(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the keys that an expression looks up in the maps of a schema or a table."""
    match node:
        case ast.Subscript(value=value, slice=key) if is_map(value):
            yield key
        case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[key, *_]) if is_map(value):
            yield key
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[value]) if is_map(
            value
        ):
            yield key


def test_the_maps_of_a_schema_are_asked_for_folded_names() -> None:
    against = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules(PACKAGE)
        for node in nodes_of(path)
        for key in lookups(node)
        if is_folded_by_hand(key)
    ]
    assert not against, "use schema.fold"


def test_identifiers_are_not_folded_by_hand() -> None:
    against = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules(PACKAGE)
        if name_of(path).startswith(FOLDED)
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and is_folded_by_hand(node.func)
    ]
    assert not against, "use schema.fold or table.fold"
