"""Tests that freeze Python's time, or travel in it, and use Spanner as well."""

import pytest

from tests.installed import needs

SCHEMA = """
CREATE TABLE Notes (
  Id INT64, Noted TIMESTAMP OPTIONS (allow_commit_timestamp = true)
) PRIMARY KEY (Id);
"""
SUITE = """
import datetime

import pytest
from google.cloud.spanner import COMMIT_TIMESTAMP

NOW = datetime.datetime.now().year

def note(database, number):
    with database.batch() as batch:
        batch.insert("Notes", ["Id", "Noted"], [[number, COMMIT_TIMESTAMP]])
    return batch.committed.year

@pytest.mark.parametrize("year", [NOW - 20, NOW + 20])
def test_the_servers_time_is_its_own(spanner_database, year):
    with at(year):
        assert datetime.datetime.now().year == year
        assert note(spanner_database, 1) == NOW
    assert note(spanner_database, 2) == NOW

def test_unless_it_follows(spanner_database, spanner_clock):
    with at(NOW + 20):
        spanner_clock.follow()
        assert note(spanner_database, 1) == NOW + 20
    with at(NOW + 30):
        assert note(spanner_database, 2) == NOW + 30

def test_it_goes_on_from_there(spanner_database, spanner_clock):
    assert note(spanner_database, 1) == NOW + 30
    assert not spanner_clock.is_frozen
"""
TOOLS = {
    "freezegun": "import freezegun\ndef at(year): return freezegun.freeze_time(f'{year}-02-01')\n",
    "time_machine": "import time_machine\ndef at(year): "
    "return time_machine.travel(f'{year}-02-01', tick=False)\n",
}


@pytest.mark.parametrize(
    ("tool", "start"), [("freezegun", "lazy"), ("time_machine", "lazy"), ("time_machine", "eager")]
)
def test_time_in_tests(project, tool, start):
    needs(tool)
    project.file("schema.sql", SCHEMA)
    text = TOOLS[tool] + SUITE
    result = project.run_apart(text, f"--spanner-start={start}", "-p", "no:randomly")
    result.assert_outcomes(passed=4)
