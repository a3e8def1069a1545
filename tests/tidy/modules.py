"""The project's modules, read and parsed once for all rules of this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "spanemu"
PLUGIN = ROOT / "pytest_spanemu"
TESTS = ROOT / "tests"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def name_of(path: Path) -> str:
    """Return the name of a module in messages and exceptions: its path in the project."""
    return str(path.relative_to(ROOT))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(path)))


def functions(path: Path) -> Iterator[Function]:
    """Return all functions of a module, those inside classes and functions too."""
    return (node for node in nodes_of(path) if isinstance(node, Function))


def import_graph(*packages: Path) -> dict[Path, set[Path]]:
    """Return the modules that each module of the packages imports from them."""
    by_name = {dotted(path): path for package in packages for path in modules(package)}
    return {
        path: {
            by_name[target]
            for imported, _ in imports(path)
            for target in [imported if imported in by_name else imported.rpartition(".")[0]]
            if target in by_name and by_name[target] != path
        }
        for path in by_name.values()
    }


def dotted(path: Path) -> str:
    """Return the name by which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield every name that a module imports, with the line."""
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((name, node.lineno) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
