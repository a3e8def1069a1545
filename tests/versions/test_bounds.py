"""Lower bounds as they stand in pyproject.toml."""

from __future__ import annotations

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
