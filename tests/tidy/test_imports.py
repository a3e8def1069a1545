"""The architecture is a table of who may import whom; this test holds the code to it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from tests.tidy.modules import (
    PACKAGE,
    PLUGIN,
    functions,
    imports,
    modules,
    name_of,
    nodes_of,
    tree_of,
)

_BELOW_DATABASE = {"base", "values", "schema", "storage", "sql", "txn", "ddl", "hotspots"}

# A package may import only what its row lists, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "messages": {"values"},
    "schema": {"base", "values"},
    "storage": {"base", "values", "schema"},
    "hotspots": {"base", "values", "schema", "storage"},
    "sql": {"base", "values", "messages", "schema"},
    "txn": {"base", "values", "schema", "storage", "sql"},
    "ddl": {"base", "values", "messages", "schema", "storage", "sql", "txn"},
    "lint": {"base", "sql", "schema_source"},  # the text and its places, not what came of it
    "database": _BELOW_DATABASE,
    "admin": {"base", "values", "schema", "storage", "ddl", "database"},
    "frontend": {"base", "values", "schema", "database", "admin"},
    "control": {"base", "database", "admin", "hotspots", "lint"},  # lint: which rules there are
    "wire_control": {"base", "control", "frontend", "hotspots"},
}
# The outer shell composes everything.
FREE = {"api", "cli", "__init__", "__main__", "config", "schema_source"}

# Inside `sql` each stage knows only those before it.
SQL_ORDER = (
    "errors",
    "googlesql.ast",
    "ddl_ast",
    "googlesql.syntax",
    "functions",
    "resolved",
    "googlesql.catalog",
    "googlesql.analyzer",
    "plan",
    "planner",
    "executor",
)

# Modules outside the standard library that only some packages may see.
ONLY_IN: dict[str, set[str]] = {
    "google": {"frontend", "messages", "api", "cli", "wire_control"},
    "grpc": {"frontend", "api", "wire_control"},
    "click": {"cli"},
    "rich": {"cli"},
    "sortedcontainers": {"storage", "txn", "database", "admin", "values"},
    "re2": {"sql"},
}


# Where an import is put off on purpose, and why.
LAZY_IMPORTS = {
    "spanemu/database/database.py": "the detector of hotspots is for those who watch",
    "spanemu/control/ignored.py": "the linter's rules are for those who name one",
    "spanemu/api/embedded.py": "the detector of hotspots is for those who watch",
    "spanemu/api/remote.py": "the detector of hotspots is for those who watch",
    "spanemu/base/suggestions.py": "difflib is for mistakes, and every test run loads this module",
    "pytest_spanemu/marker_checks.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/plugin.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/fixtures.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/run.py": "the plugin imports nothing heavy until a fixture asks",
    "pytest_spanemu/databases/templates.py": "the linter is for runs that ask for it",
    "pytest_spanemu/report/pictures.py": "the detector of hotspots is for those who watch",
    "pytest_spanemu/rows/factory.py": "Faker is imported when a factory is used",
}

# Where an import is for the type checker alone, and why: anywhere else it would hide a cycle.
TYPING_ONLY = {
    "spanemu/__init__.py": "importing spanemu must cost nothing until an Emulator is made",
    "spanemu/ddl/__init__.py": "a database does not need the library for tools",
    "spanemu/database/core.py": "the detector of hotspots is for those who watch",
    "spanemu/database/database.py": "the detector of hotspots is for those who watch",
    "spanemu/api/embedded.py": "the detector of hotspots is for those who watch",
    "spanemu/api/handles.py": "the detector of hotspots is for those who watch",
    "spanemu/api/remote.py": "the detector of hotspots is for those who watch",
    "spanemu/sql/googlesql/analyzer/analysis.py": "expressions hold queries, queries hold expressions",
}


def owner(path: Path) -> str:
    """The package that a module belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def test_every_package_has_a_row() -> None:
    found = {owner(path) for path in modules(PACKAGE)}
    assert found == MAY_IMPORT.keys() | FREE, "the tables name all packages and no others"


def test_imports_are_absolute() -> None:
    relative = [
        f"{name_of(path)}:{node.lineno}"
        for path in [*modules(PACKAGE), *modules(PLUGIN)]
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert not relative


def test_imports_point_down() -> None:
    against = []
    for path in modules(PACKAGE):
        package = owner(path)
        for name, line in imports(path):
            top, *rest = name.split(".")
            if top == "spanemu" and rest and package not in FREE:
                if rest[0] not in MAY_IMPORT[package] | {package}:
                    against.append(f"{name_of(path)}:{line} imports {name}")
            elif top in ONLY_IN and package not in ONLY_IN[top]:
                against.append(f"{name_of(path)}:{line}: {top} is not for {package}")
    assert not against, "move the code, or declare a protocol"


def sql_stage(parts: Sequence[str]) -> str | None:
    """Return the stage of the engine that a module below `spanemu.sql` belongs to."""
    for length in (1, 2):
        if (stage := ".".join(parts[:length])) in SQL_ORDER:
            return stage
    return None


def test_sql_stages_are_in_order() -> None:
    against = []
    for path in modules(PACKAGE / "sql"):
        stage = sql_stage(path.relative_to(PACKAGE / "sql").with_suffix("").parts)
        if stage is None:
            assert path.name == "__init__.py", f"{name_of(path)} belongs to no stage"
            continue
        for name, line in imports(path):
            if not name.startswith("spanemu.sql."):
                continue
            used = sql_stage(name.split(".")[2:])
            if used and SQL_ORDER.index(used) > SQL_ORDER.index(stage):
                against.append(f"{name_of(path)}:{line}: {stage} comes before {used}")
    assert not against


def test_no_import_inside_a_function() -> None:
    inside = {
        name_of(path)
        for path in [*modules(PACKAGE), *modules(PLUGIN)]
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert inside == LAZY_IMPORTS.keys(), "imports belong at the top"


def test_no_import_for_the_type_checker_alone() -> None:
    hidden = {
        name_of(path)
        for path in modules(PACKAGE)
        for node in tree_of(path).body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in node.body)
    }
    assert hidden == TYPING_ONLY.keys(), "import it, or declare a protocol"


def test_time_and_chance_come_from_base() -> None:
    other = {"random": "base.rand", "secrets": "base.rand", "uuid.uuid4": "base.rand"}
    against = [
        f"{name_of(path)}:{line}: use {use}"
        for path in modules(PACKAGE)
        if owner(path) != "base"
        for name, line in imports(path)
        for use in ["base.clock" if name.split(".")[0] == "time" else other.get(name, "")]
        if use
    ]
    assert not against
