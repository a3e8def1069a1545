"""Budgets for modules, functions and folders, and docstrings for what is public.

Exceptions are named. Each rule tells all its breaches at once.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from tests.tidy.modules import (
    PACKAGE,
    PLUGIN,
    ROOT,
    Function,
    functions,
    import_graph,
    modules,
    name_of,
    tree_of,
)

MODULES = [*modules(PACKAGE), *modules(PLUGIN)]

MODULE_LINES_MAX = 500
DATA_MODULE_LINES_MAX = 900  # the classes of a tree, read side by side
DATA_MODULES = {
    "spanemu/sql/ddl_ast.py",
    "spanemu/sql/googlesql/ast.py",
    "spanemu/sql/postgresql/ast.py",
    "spanemu/sql/resolved.py",
}
# A module shorter than this is a row of a table (in a folder of these), or has several users.
FRAGMENT_LINES = 60
ROWS_OF_TABLES = ("spanemu/sql/planner/rules/", "spanemu/sql/functions/", "spanemu/ddl/kinds/")
FRAGMENTS = {
    "pytest_spanemu/hookspecs.py": "pytest takes the hooks of a module",
    "spanemu/cli/save.py": "each subcommand has a module",
}
FUNCTION_LINES_MAX = 50
PARAMETERS_MAX = 5  # besides self
FOLDER_MODULES_MAX = 30
PICTURE_BYTES_MAX = 150_000

# module -> why its functions take more parameters than the budget
PARAMETERS_MORE: dict[str, str] = {
    "spanemu/frontend/embedded/aio_channel.py": "the signatures are gRPC's",
    "spanemu/frontend/embedded/channel.py": "the signatures are gRPC's",
}


def test_modules_are_small() -> None:
    lines = {name_of(path): path.read_text().count("\n") for path in MODULES}
    limits = dict.fromkeys(DATA_MODULES, DATA_MODULE_LINES_MAX)
    large = {
        name: count for name, count in lines.items() if count > limits.get(name, MODULE_LINES_MAX)
    }
    assert not large, "split it where a second concept begins"


def is_shared(path: Path, importers: set[Path]) -> bool:
    """Return whether modules of two folders import a module, or two of another folder."""
    folders = [importer.parent for importer in importers]
    return len(set(folders)) > 1 or len([each for each in folders if each != path.parent]) > 1


def test_modules_are_no_fragments() -> None:
    graph = import_graph(PACKAGE, PLUGIN)
    small = {
        name_of(path)
        for path in MODULES
        if path.read_text().count("\n") < FRAGMENT_LINES
        and path.stem not in ("__init__", "__main__")
        and not name_of(path).startswith(ROWS_OF_TABLES)
        and not is_shared(path, {importer for importer in graph if path in graph[importer]})
    }
    assert small == FRAGMENTS.keys(), "merge it with its only user"


def test_folders_are_seen_at_a_glance() -> None:
    counts = Counter(name_of(path.parent) for path in MODULES)
    large = {name: count for name, count in counts.items() if count > FOLDER_MODULES_MAX}
    assert not large, "give what belongs together a folder of its own"


def test_functions_are_small() -> None:
    large = {}
    for path in MODULES:
        for node in functions(path):
            assert node.end_lineno is not None
            if (lines := node.end_lineno - node.lineno + 1) > FUNCTION_LINES_MAX:
                large[f"{name_of(path)}:{node.lineno} {node.name}"] = lines
    assert not large, "name its phases"


def test_parameters_are_few() -> None:
    many = {}
    for path in MODULES:
        for node in functions(path):
            if any("operation(" in ast.unparse(each) for each in node.decorator_list):
                continue  # The arguments of a control operation are those of its request.
            given = node.args
            names = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            count = len([each for each in names if each not in ("self", "cls")])
            if count > PARAMETERS_MAX and name_of(path) not in PARAMETERS_MORE:
                many[f"{name_of(path)}:{node.lineno} {node.name}"] = count
    assert not many, "group what belongs together"


def test_public_names_have_docstrings() -> None:
    silent = []
    for path in MODULES:
        tree = tree_of(path)
        if not ast.get_docstring(tree):
            silent.append(f"{name_of(path)}: say in one sentence what this module is for")
        silent.extend(
            f"{name_of(path)}:{node.lineno} {node.name}"
            for node in ast.iter_child_nodes(tree)
            if isinstance(node, ast.ClassDef | Function)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
            and not is_described_by_its_text(node)
        )
    assert not silent


def is_described_by_its_text(node: ast.AST) -> bool:
    """Return whether a class is a failure, whose `prose` says what a docstring would say again."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(field, ast.Assign) and ast.unparse(field.targets[0]) == "prose"
        for field in node.body
    )


def test_no_todo_comment_is_left() -> None:
    words = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    left = [
        f"{name_of(path)}:{number}"
        for path in MODULES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if any(word in line for word in words)
    ]
    assert not left


def test_pictures_of_the_docs_are_small() -> None:
    sizes = {name_of(path): path.stat().st_size for path in (ROOT / "docs").rglob("*.png")}
    assert sizes
    assert not {name: size for name, size in sizes.items() if size > PICTURE_BYTES_MAX}
