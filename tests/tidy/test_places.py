"""Unit tests stand where the modules do that they are about."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.tidy.modules import PACKAGE, ROOT, name_of

UNIT_TESTS = ROOT / "tests" / "unit"


def mirrored(folder: Path) -> Path:
    """Return the folder of the package that a folder of unit tests stands for."""
    return PACKAGE / folder.relative_to(UNIT_TESTS)


def test_folders_are_those_of_the_package() -> None:
    folders = {path.parent for path in UNIT_TESTS.rglob("test_*.py")}
    assert not [name_of(each) for each in folders if not mirrored(each).is_dir()]


def test_a_module_and_its_test_have_the_same_place() -> None:
    # As far as the name of a test tells its module: no other of the same package has it.
    homes = defaultdict(set)
    for module in PACKAGE.rglob("*.py"):
        top = module.relative_to(PACKAGE).parts[0]
        homes[top, module.stem].add(module.parent)
    elsewhere = []
    for test in UNIT_TESTS.rglob("test_*.py"):
        top = test.relative_to(UNIT_TESTS).parts[0]
        result = homes[top, test.stem.removeprefix("test_")]
        if len(result) == 1 and mirrored(test.parent) not in result:
            elsewhere.append(name_of(test))
    assert not elsewhere
