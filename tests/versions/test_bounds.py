"""Lower bounds as they stand in pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.versions.bounds import TOOLS, pins

ROOT = Path(__file__).parents[2]


def project(**changes: object) -> dict[str, object]:
    names = ("alembic", "django", "functions", "sqlalchemy")
    extras = {**{name: [] for name in names}, "test": ["pytest>=8", "mypy>=1"]}
    return {"dependencies": ["click>=8.1"], "optional-dependencies": extras, **changes}


def test_dependencies_extras_and_tools_are_pinned_to_their_lowest_versions() -> None:
    assert pins(project()) == {"click": "8.1", "pytest": "8"}


def test_an_environment_marker_may_follow_the_lower_bound() -> None:
    dependencies = ["click>=8.1; python_version < '3.14'"]
    assert pins(project(dependencies=dependencies)) == {"click": "8.1", "pytest": "8"}


@pytest.mark.parametrize("requirement", ["click", "click==8.1", "click<9"])
def test_a_dependency_without_a_plain_lower_bound_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match="has no lower bound"):
        pins(project(dependencies=[requirement]))


def test_this_project_names_a_lower_bound_for_all_that_users_install() -> None:
    found = pins(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])
    assert found.keys() >= {"faker", "google-cloud-spanner", "grpcio", "django", *TOOLS}


def test_the_page_on_versions_names_the_bounds_of_this_project() -> None:
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata["classifiers"]))
    lowest = {name.lower(): version for name, version in pins(metadata).items()}
    table = {
        name.partition(",")[0].lower(): (low, high)
        for name, low, high in re.findall(
            r"^\| ([A-Za-z][^|]*) \| ([\d.]+) \| ([^|]+) \|$",
            (ROOT / "docs" / "versions.md").read_text(),
            re.MULTILINE,
        )
    }
    assert table.pop("python") == (pythons[0], pythons[-1])
    assert metadata["requires-python"] == f">={pythons[0]}"
    assert table.keys() >= {"google-cloud-spanner", "pytest", "sqlalchemy-spanner", "django"}
    assert {name: low for name, (low, _) in table.items()} == {n: lowest[n] for n in table}
    below = {name for name, (_, high) in table.items() if high != "any"}
    assert below == {"django"}  # django>=5.2,<6
