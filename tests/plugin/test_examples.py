"""The projects of docs/examples, run as their readers would run them, on every target there is."""

import shutil
from pathlib import Path

import pytest

from tests.conformance.reference import official_process
from tests.installed import needs
from tests.plugin.conftest import UNNEEDED

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
# The libraries warn of each other.
QUIET = tuple(
    word
    for kind in ("DeprecationWarning", "FutureWarning", "UserWarning")
    for word in ("-W", f"ignore::{kind}")
)
# What the examples of a shop show, by the names of their tests.
SHOPS = ("django", "plain", "sqlalchemy_alembic")
SHOWN = (
    "n_plus_one_is_found",
    "and_its_repair",
    "full_scan_is_found",
    "and_an_index_for_it",
    "hotspot_is_found",
    "and_fixed",
    "missing_retry_is_found",
    "a_lost_answer",
)
NEEDED = {
    "booking": (),
    "django": ("django", "django_spanner"),
    "plain": (),
    "product_search": (),
    "retrieval": (),
    "sqlalchemy_alembic": ("sqlalchemy", "alembic", "google.cloud.sqlalchemy_spanner"),
}


@pytest.fixture
def run(project, pytester):
    """Run an example."""

    def run(name, *args):
        needs(*NEEDED[name])
        shutil.copytree(EXAMPLES / name, project.path, dirs_exist_ok=True)
        return pytester.runpytest_subprocess("-W", "error", *QUIET, *UNNEEDED, "-v", *args)

    return run


def test_every_example_is_run():
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(NEEDED)


@pytest.mark.parametrize("name", NEEDED)
def test_example(run, name):
    result = run(name)
    outcomes = result.parseoutcomes()
    assert outcomes.keys() <= {"passed", "warnings"}, outcomes
    for shown in SHOWN if name in SHOPS else ():
        result.stdout.fnmatch_lines([f"*::test_*{shown}*PASSED*"])


def test_an_example_runs_unchanged_in_a_subprocess(run):
    outcomes = run("plain", "--spanner-target=subprocess").parseoutcomes()
    assert outcomes.keys() <= {"passed", "warnings"}, outcomes


@pytest.mark.reference
@pytest.mark.parametrize("name", SHOPS)
def test_an_example_runs_unchanged_on_googles_emulator(run, name):
    with official_process() as (client, _):
        result = run(name, "--spanner-target=external", f"--spanner-host={client._emulator_host}")
    outcomes = result.parseoutcomes()
    assert outcomes.keys() <= {"passed", "skipped", "warnings"}, outcomes
    assert outcomes["passed"] >= 5
    result.stdout.re_match_lines(
        [r"not run on external: \d+ tests for want of faults, \d+ tests for want of recording"]
    )
