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
# What every example shows, by the names of its tests.
SHOWN = (
    "n_plus_one_is_found",
    "full_scan_is_found",
    "hotspot_is_found",
    "and_fixed",
    "missing_retry_is_found",
    "a_lost_answer",
)
NEEDED = {
    "django": ("django", "django_spanner"),
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
    result = pytester.runpytest_subprocess("-W", "error", *QUIET, "-v")
    outcomes = result.parseoutcomes()
    assert outcomes.keys() <= {"passed", "warnings"}, outcomes
    for shown in SHOWN:
        result.stdout.fnmatch_lines([f"*::test_*{shown}*PASSED*"])
