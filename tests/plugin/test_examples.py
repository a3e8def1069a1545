"""The projects of docs/examples, run as their readers would run them."""

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
# The libraries warn of each other.
QUIET = tuple(
    word
    for kind in ("DeprecationWarning", "FutureWarning", "UserWarning")
    for word in ("-W", f"ignore::{kind}")
)
NEEDED = {
    "plain": (),
    "sqlalchemy_alembic": ("sqlalchemy", "alembic", "google.cloud.sqlalchemy_spanner"),
}


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(NEEDED)


@pytest.mark.parametrize("name", NEEDED)
def test_example(project, pytester, name):
    for package in NEEDED[name]:
        pytest.importorskip(package)
    shutil.copytree(EXAMPLES / name, project.path, dirs_exist_ok=True)
    result = pytester.runpytest_subprocess("-W", "error", *QUIET)
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed"}, outcomes
