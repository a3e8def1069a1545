"""The architecture is a table of who may import whom; this test holds the code to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "spanemu"

_BELOW_DATABASE = {"base", "values", "schema", "storage", "sql", "txn", "ddl", "stats"}

# A package may import only what its row lists, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "messages": {"values"},
    "schema": {"base", "values"},
    "storage": {"base", "values", "schema"},
    "stats": {"base", "values", "schema", "storage"},
    "sql": {"base", "values", "messages", "schema"},
    "txn": {"base", "values", "schema", "storage", "sql"},
    "ddl": {"base", "values", "messages", "schema", "storage", "sql", "txn"},
    "lint": {"base", "sql", "schema_source"},  # the text and its places, not what came of it
    "database": _BELOW_DATABASE,
    "admin": {"base", "values", "schema", "storage", "ddl", "database"},
    "frontend": {"base", "values", "schema", "database", "admin"},
    "control": {"base", "database", "admin", "stats"},
    "wire_control": {"base", "control", "frontend", "stats"},
}
# The outer shell composes everything.
FREE = {
    "cli",
    "__init__",
    "__main__",
    "client",
    "config",
    "emulated",
    "emulator",
    "endpoint",
    "handle",
    "remote",
    "schema_source",
}

# Inside `sql` each stage knows only those before it.
SQL_ORDER = ("errors", "syntax", "functions", "analyzer", "plan", "planner", "executor")

# Modules outside the standard library that only some packages may see.
ONLY_IN: dict[str, set[str]] = {
    "google": {"frontend", "messages", "client", "handle", "remote", "cli", "wire_control"},
    "grpc": {"frontend", "emulator", "wire_control"},
    "click": {"cli"},
    "rich": {"cli"},
    "sortedcontainers": {"storage", "txn", "database", "admin", "values"},
    "re2": {"sql"},
}


def modules(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, with the line."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: use absolute imports"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((name, node.lineno) for name in names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)


def owner(path: Path) -> str:
    """The package that a module belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def test_every_package_has_a_row() -> None:
    found = {owner(path) for path in modules(PACKAGE)}
    assert found <= MAY_IMPORT.keys() | FREE, "add the new package to the table"


@pytest.mark.parametrize("path", modules(PACKAGE), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    package = owner(path)
    for name, line in imports(path):
        top, *rest = name.split(".")
        if top == "spanemu" and rest and package not in FREE:
            assert rest[0] in MAY_IMPORT[package] | {package}, (
                f"{path}:{line} imports {name}: move the code, or declare a protocol"
            )
        if top in ONLY_IN:
            assert package in ONLY_IN[top], f"{path}:{line}: {top} is not for {package}"


@pytest.mark.parametrize(
    "path", modules(PACKAGE / "sql"), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_sql_stages_are_in_order(path: Path) -> None:
    stage = path.relative_to(PACKAGE / "sql").with_suffix("").parts[0]
    if stage == "__init__":
        return
    for name, line in imports(path):
        parts = name.split(".")
        if parts[:2] == ["spanemu", "sql"] and len(parts) > 2 and parts[2] in SQL_ORDER:
            assert SQL_ORDER.index(parts[2]) <= SQL_ORDER.index(stage), (
                f"{path}:{line}: {stage} comes before {parts[2]}"
            )


@pytest.mark.parametrize(
    "path",
    [*modules(PACKAGE), *modules(ROOT / "pytest_spanemu")],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_no_import_inside_a_function(path: Path) -> None:
    lazy = LAZY_IMPORTS.get(str(path.relative_to(ROOT)), "")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    assert lazy, f"{path}:{inner.lineno}: imports belong at the top"


# Where an import is put off on purpose, and why.
LAZY_IMPORTS = {
    "spanemu/database/database.py": "the detector of hotspots is for those who watch",
    "spanemu/emulator.py": "the detector of hotspots is for those who watch",
    "spanemu/remote.py": "the detector of hotspots is for those who watch",
    "spanemu/__init__.py": "importing spanemu must cost nothing until an Emulator is made",
    "pytest_spanemu/plugin.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/fixtures.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/run.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/rows/factory.py": "Faker is an extra",
}


@pytest.mark.parametrize("path", modules(PACKAGE), ids=lambda p: str(p.relative_to(ROOT)))
def test_time_and_chance_come_from_base(path: Path) -> None:
    if owner(path) == "base":
        return
    for name, line in imports(path):
        assert name.split(".")[0] not in {"random", "secrets"}, f"{path}:{line}: use base.rand"
        assert name.split(".")[0] != "time", f"{path}:{line}: use base.clock"
        assert name != "uuid.uuid4", f"{path}:{line}: use base.rand"
