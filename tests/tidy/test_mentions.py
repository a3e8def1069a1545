"""Packages name their modules; modules and files that docstrings and pages speak of are there.

    `txn.locks.modes`   `executor.run.Profile`   `planner.physical`   `sql/planner/rules`
    tests/golden/txn    docs/hotspots.md         python -m tests.stress.server

A name counts when it begins with a package of spanemu, a stage of its engine, or a folder at the
top of the repository.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tidy.modules import PACKAGE, PLUGIN, ROOT, modules, name_of

DOTTED = re.compile(r"`((?:[a-z_]+\.)+[A-Za-z_]+)")
PATH = re.compile(r"`([a-z_]+(?:/[a-z_]+)+(?:\.py)?)`")
FILE = re.compile(r"(?<![\w./-])(?:docs|fixtures|pytest_spanemu|spanemu|tests)/[\w./-]*\w")
PROGRAM = re.compile(r"-m (tests(?:\.\w+)*)")
# Packages whose modules are rows of a table: the module that imports them names them.
TABLES = {"spanemu/ddl/kinds": "table.py"}
NO_FILES = {"spanemu/v1": "a key of SARIF", "tests/seeds": "in somebody's project"}
PAGES = sorted(
    [
        *(ROOT / "docs" / "architecture").glob("*.md"),
        *(ROOT / "docs" / "adr").glob("*.md"),
        ROOT / "docs" / "contributing.md",
    ]
)


def folders(parent: Path) -> set[str]:
    return {path.parent.name for path in parent.glob("*/__init__.py")}


def is_there(parts: list[str], base: Path) -> bool:
    """Return whether the parts lead from a package to a module, or to a name in its text."""
    position = base
    for number, part in enumerate(parts):
        if (position / part).is_dir():
            position /= part
        elif (position / f"{part}.py").is_file():
            rest = parts[number + 1 :]
            return not rest or rest[0] in words(position / f"{part}.py")
        else:
            return position != base and part in words(position / "__init__.py")
    return True


def words(path: Path) -> set[str]:
    return set(re.findall(r"\w+", path.read_text()))


def map_of(folder: Path) -> set[str]:
    """Return the words that name the modules of a package."""
    table = TABLES.get(name_of(folder))
    return words(folder / "__init__.py") | (words(folder / table) if table else set())


def homes(path: Path, first: str) -> list[Path]:
    """Return where a mentioned name may be defined; nowhere if it is no module."""
    if first in folders(PACKAGE):
        return [PACKAGE, *path.parents[:-2]]
    if first in folders(PACKAGE / "sql"):
        return [PACKAGE / "sql", *path.parents[:-2]]
    return []


def test_every_package_names_its_modules() -> None:
    # The docstring of a package is its map.
    unnamed = []
    for path in (*modules(PACKAGE), *modules(PLUGIN)):
        parts = path.parent.name if path.stem == "__init__" else path.stem
        folder = path.parents[1] if path.stem == "__init__" else path.parent
        if parts != "__main__" and folder != ROOT and parts not in map_of(folder):
            unnamed.append(name_of(path))
    assert not unnamed, "name it in the docstring of its package"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_pages_name_existing_modules_and_files(path: Path) -> None:
    assert not list(missing(path))


def test_docstrings_name_existing_modules_and_files() -> None:
    assert not [said for path in (*modules(PACKAGE), *modules(PLUGIN)) for said in missing(path)]


def missing(path: Path) -> list[str]:
    """Return the names in a file that lead nowhere."""
    result = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in DOTTED.findall(line):
            parts = name.removeprefix("spanemu.").split(".")
            bases = homes(path, parts[0])
            if bases and not any(is_there(parts, base) for base in bases):
                result.append(f"{name_of(path)}:{number} {name}")
        for name in PATH.findall(line):
            parts = name.removeprefix("spanemu/").removesuffix(".py").split("/")
            bases = homes(path, parts[0])
            if bases and not any(is_there(parts, base) for base in bases):
                result.append(f"{name_of(path)}:{number} {name}")
    return result


def told() -> list[Path]:
    """Return everything that people read: the code, the tests, and the pages."""
    code = (*modules(PACKAGE), *modules(PLUGIN), *modules(ROOT / "tests"))
    return [*code, ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]


def test_files_and_programs_are_there() -> None:
    gone = []
    for path in told():
        text = path.read_text()
        files = FILE.findall(text)
        files += [name.replace(".", "/") for name in PROGRAM.findall(text)]
        gone += [
            f"{name_of(path)} {name}"
            for name in files
            if name not in NO_FILES and not any(ROOT.glob(f"{name}*"))
        ]
    assert not gone


def test_no_merge_is_left_unresolved() -> None:
    marks = ("<" * 7 + " ", ">" * 7 + " ")
    assert not [
        f"{name_of(path)}:{number}"
        for path in told()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.startswith(marks)
    ]
