"""The architecture is a table of who may import whom; this test holds the code to it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from spanemu.lazy_modules import LAZY_MODULES
from tests.tidy.modules import (
    PACKAGE,
    PLUGIN,
    functions,
    import_graph,
    imports,
    modules,
    name_of,
    nodes_of,
    tree_of,
)

_BELOW_DATABASE = {
    *("base", "values", "schema", "storage", "sql", "txn", "ddl", "hotspots"),
    "change_streams",
    "models",
    "queues",
}

# A package may import only what its row lists, besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "messages": {"values"},
    "schema": {"base", "values"},
    "storage": {"base", "values", "schema"},
    "web": set(),
    "hotspots": {"base", "values", "schema", "storage", "web"},
    "sql": {"base", "values", "messages", "schema"},
    "models": {"base", "values", "sql"},
    "txn": {"base", "values", "schema", "storage", "sql"},
    "ddl": {"base", "values", "messages", "schema", "storage", "sql", "txn"},
    "queues": {"base", "schema", "storage"},
    "change_streams": {"base", "values", "messages", "schema", "storage", "sql"},
    # `schema` and `ddl` tell what Spanner would refuse; rules read the text and its places alone.
    "lint": {"base", "schema", "sql", "ddl", "schema_source"},
    "database": _BELOW_DATABASE,
    "admin": {"base", "values", "schema", "storage", "sql", "ddl", "database"},
    "frontend": {"base", "values", "schema", "database", "admin"},
    "rest": {"base", "frontend", "control"},
    "http2": {"base", "frontend"},
    "interchange": {"base", "values", "schema", "sql", "ddl", "schema_source"},
    "telemetry": {"base", "database", "admin", "frontend", "control"},
    "console": {"rest", "web", "lint", "schema"},  # lint: the pages of the rules
    # `lint` tells which rules there are, `storage` has the settings of splits.
    "explorer": {"base", "values", "schema", "storage", "txn", "database", "frontend", "control"},
    "control": {"base", "storage", "database", "admin", "hotspots", "lint", "models"},
}
# The outer shell composes everything.
FREE = {"api", "cli", "__init__", "__main__", "config", "lazy_modules", "schema_source"}

# Inside `sql` each stage knows only those before it.
SQL_ORDER = (
    "errors",
    "syntax_tree",
    "token_cursor",
    "inspection",
    "ddl_ast",
    "graph_ast",
    "remote_calls",
    "functions",
    "resolved",
    "usage",
    "dialect",
    "ddl_format",
    "analysis",
    "googlesql.ast",
    "googlesql.syntax",
    "googlesql.catalog",
    "googlesql.analyzer",
    "googlesql.printing",
    "googlesql.dialect",
    "postgresql.types",
    "postgresql.ast",
    "postgresql.syntax",
    "postgresql.catalog",
    "postgresql.analyzer",
    "postgresql.printing",
    "postgresql.dialect",
    "dialects",
    "plan",
    "planner",
    "executor",
)

# The packages of the dialects, which only `sql.dialects` opens to everything else.
DIALECT_PACKAGES = ("spanemu.sql.googlesql", "spanemu.sql.postgresql")
DIALECT_REGISTRY = "spanemu/sql/dialects.py"

# Modules outside the standard library that only some packages may see.
ONLY_IN: dict[str, set[str]] = {
    "google": {"frontend", "messages", "rest", "api", "cli"},
    "http": {"rest", "api", "models"},
    "grpc": {"frontend", "api"},
    "click": {"cli"},
    "rich": {"cli"},
    "sortedcontainers": {"storage", "queues", "txn", "database", "admin", "values"},
    "re2": {"sql"},
    "fastavro": {"interchange"},
    "prompt_toolkit": {"cli"},
}


# Modules outside the import graph at start: a function imports them on first use, or the type
# checker alone imports them. By the name of the module or of its package.
LAZY: dict[str, str] = {
    "spanemu.hotspots": "the hotspot detector is for databases that are observed",
    "spanemu.database.splits.hotspot_monitor": "the same",
    "spanemu.control.hotspots": "the same",
    "spanemu.control.hotspot_watch": "the same",
    "spanemu.console": "the console is for emulators that serve it",
    "spanemu.rest": "the REST interface is for emulators that listen for it",
    "spanemu.telemetry": "logs and metrics are for emulators that are asked for them",
    "opentelemetry": "traces are for emulators that are asked for them",
    "spanemu.control.request_log": "the same",
    "spanemu.lint": "the linter is for runs that ask for it",
    "pytest_spanemu.lint": "the same",
    "spanemu.cli.shell.editor": "its package is for interactive shells only",
    "spanemu.interchange.avro": "its package is for users of Avro only",
    "difflib": "for mistakes only, and every test run loads `base.suggestions`",
    "faker": "imported when a row factory is used",
    "asyncio": "for coroutine functions only",
    "ctypes": "for servers that return memory",
    "google.api_core": "most commands ask the server itself",
    "importlib.metadata": "for a description of the emulator only",
    "sysconfig": "for the lines of code of a request only",
    "zoneinfo": "for time zones other than UTC only",
}
# The plugin modules that pytest loads in every run: each of their fixtures and hooks imports what
# it needs.
LOADED_BY_PYTEST = {
    f"pytest_spanemu/{name}.py" for name in "plugin session_fixtures fixtures run markers".split()
}


def owner(path: Path) -> str:
    """Return the package that a module belongs to."""
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
    """Return the stage of the engine that a module below `spanemu.sql` belongs to.

    The rooms of graph queries are in the stages of SQL's rooms: GQL is a part of GoogleSQL.
    """
    if list(parts[:2]) == ["googlesql", "graph"]:
        parts = ["googlesql", *parts[2:]]
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


def test_dialects_are_reached_through_their_registry() -> None:
    against = [
        f"{name_of(path)}:{line} imports {name}"
        for path in [*modules(PACKAGE), *modules(PLUGIN)]
        if name_of(path) != DIALECT_REGISTRY
        for dialect in DIALECT_PACKAGES
        if not name_of(path).startswith(dialect.replace(".", "/"))
        for name, line in imports(path)
        if f"{name}.".startswith(f"{dialect}.")
    ]
    assert not against, "use dialect_of(schema.dialect)"


def test_the_engine_behind_the_analyzer_knows_no_dialect() -> None:
    known = {"spanemu.sql.dialect", "spanemu.sql.dialects"}
    against = [
        f"{name_of(path)}:{line} imports {name}"
        for stage in ("plan", "planner", "executor", "functions")
        for path in modules(PACKAGE / "sql" / stage)
        for name, line in imports(path)
        if ".".join(name.split(".")[:3]) in known
    ]
    assert not against


def is_lazy(node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether an import may stand in a function, or be for the type checker alone."""
    names = (
        [f"{node.module}.{alias.name}" for alias in node.names]
        if isinstance(node, ast.ImportFrom)
        else [alias.name for alias in node.names]
    )
    return all(any(f"{name}.".startswith(f"{lazy}.") for lazy in LAZY) for name in names)


def test_no_import_inside_a_function() -> None:
    inside = {
        f"{name_of(path)}:{node.lineno}"
        for path in [*modules(PACKAGE), *modules(PLUGIN)]
        if name_of(path) not in LOADED_BY_PYTEST
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and not is_lazy(node)
    }
    assert not inside, "imports belong at the top"


def resolves_names(path: Path) -> bool:
    """Return whether a module has a `__getattr__`, which imports its names on first use."""
    assigned = {
        ast.unparse(target)
        for node in tree_of(path).body
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    return "__getattr__" in assigned | {function.name for function in functions(path)}


def test_no_import_for_the_type_checker_alone() -> None:
    # A package that resolves its names on first use declares them to the type checker.
    hidden = {
        f"{name_of(path)}:{inner.lineno}"
        for path in modules(PACKAGE)
        if not resolves_names(path)
        for node in tree_of(path).body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in node.body
        if isinstance(inner, ast.Import | ast.ImportFrom) and not is_lazy(inner)
    }
    assert not hidden, "import it: `spanemu.lazy_modules` says what runs later"


def test_no_import_circle() -> None:
    # No module imports itself through others, not even for the type checker or in a function.
    graph = {
        path: used - calls_of_graphs(path) for path, used in import_graph(PACKAGE, PLUGIN).items()
    }
    circle: list[str] = []
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert not circle


def calls_of_graphs(path: Path) -> set[Path]:
    """Return the modules by which the analyzer of GoogleSQL's queries calls that of graph queries.

    GQL is a part of GoogleSQL, so that either analyzer calls the other. These modules are lazy.
    """
    googlesql = PACKAGE / "sql" / "googlesql"
    return (
        set(modules(googlesql / "graph" / "analyzer"))
        if googlesql / "analyzer" in path.parents
        else set()
    )


def test_modules_that_analyze_graphs_are_lazy() -> None:
    called = {
        name
        for path in modules(PACKAGE / "sql" / "googlesql" / "analyzer")
        for name, _ in imports(path)
        if name.startswith("spanemu.sql.googlesql.graph.analyzer.")
    }
    assert called
    assert called <= LAZY_MODULES


def test_time_and_randomness_come_from_base() -> None:
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
