"""Importing a module of the SQL engine changes no other module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.modules import PACKAGE, modules, name_of, tree_of

# Statements that do something when the module is imported, besides binding its own names.
_COMPOUND = (ast.For, ast.While, ast.With, ast.Match, ast.Delete)


def effects(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that change objects, where a declaration would bind a name."""
    for statement in statements:
        if isinstance(statement, ast.If):
            yield from effects([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):  # of an import
            handled = [each for handler in statement.handlers for each in handler.body]
            yield from effects([*statement.body, *handled, *statement.orelse])
        elif isinstance(statement, _COMPOUND) or _is_call(statement) or _is_change(statement):
            yield statement


def _is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant)


def _is_change(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(each, ast.Subscript | ast.Attribute) for each in targets)


@pytest.mark.parametrize("path", modules(PACKAGE / "sql"), ids=name_of)
def test_nothing_is_registered_at_import(path: Path) -> None:
    found = [f"{name_of(path)}:{each.lineno}" for each in effects(tree_of(path).body)]
    assert not found, "declare the fact where the object is declared"


def test_registrations_are_seen() -> None:
    text = "'doc'\nX = {}\nX.update(a=1)\nX['b'] = 2\nfor y in X: pass\nif X:\n    register(X)\n"
    assert [each.lineno for each in effects(ast.parse(text).body)] == [3, 4, 5, 7]
