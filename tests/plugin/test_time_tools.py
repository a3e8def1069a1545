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

def test_it_is_the_next_tests_own_again(spanner_database, spanner_clock):
    assert note(spanner_database, 1) == NOW
    assert not spanner_clock.is_frozen

def test_which_may_lie_in_the_past(spanner_database, spanner_clock):
    with at(NOW - 20):
        spanner_clock.follow()
        assert note(spanner_database, 1) == NOW - 20
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
    result.assert_outcomes(passed=5)


FROZEN = """
import datetime
import time

import freezegun
import pytest
from google.cloud.spanner import COMMIT_TIMESTAMP

REAL_SLEEP, WAIT_SECONDS = time.sleep, {wait}

@pytest.fixture(autouse=True)
def frozen_time(spanner_clock):
    with freezegun.freeze_time("2024-01-01"):
        spanner_clock.follow()
        yield

@pytest.mark.parametrize("number", range({tests}))
def test_frozen(spanner_database, number):
    for key in range(3):
        with spanner_database.batch() as batch:
            batch.insert("Notes", ["Id", "Noted"], [[key, COMMIT_TIMESTAMP]])
        ahead = batch.committed - datetime.datetime.now(datetime.UTC)
        assert datetime.timedelta() <= ahead < datetime.timedelta(milliseconds=1)
    with spanner_database.snapshot(exact_staleness=datetime.timedelta(seconds=10)) as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*), MAX(Id) FROM Notes")) == [[1, -1]]
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*), MAX(Id) FROM Notes")) == [[4, 2]]
    REAL_SLEEP(WAIT_SECONDS)
"""


@pytest.mark.parametrize("isolation", ["restore", "clone"])
def test_a_suite_frozen_at_one_date(project, isolation):
    needs("freezegun")
    project.file("schema.sql", SCHEMA)
    project.file("seeds/Notes.csv", "Id,Noted\n-1,2026-05-05T00:00:00Z\n")
    text = FROZEN.format(tests=100, wait=0.002)
    result = project.run_apart(text, f"--spanner-isolation={isolation}", "-p", "no:randomly")
    result.assert_outcomes(passed=100)


DATES = """
import random

import pytest
from google.cloud.spanner import COMMIT_TIMESTAMP

DATES = ["2024-01-01", "2019-06-30T12:00Z", "1999-12-31"] * 20
random.Random(4).shuffle(DATES)

@pytest.mark.parametrize(("number", "date"), list(enumerate(DATES)))
def test_date(spanner_database, spanner_clock, spanner_sql, number, date):
    spanner_clock.freeze(date)
    with spanner_database.batch() as batch:
        batch.insert("Notes", ["Id", "Noted"], [[1, COMMIT_TIMESTAMP]])
    assert batch.committed.isoformat().startswith(date[:10])
    assert spanner_sql("SELECT EXTRACT(YEAR FROM CURRENT_TIMESTAMP() AT TIME ZONE 'UTC') AS Y")[0]["Y"] == int(date[:4])
    spanner_clock.advance(days=2)
    assert spanner_sql("SELECT COUNT(*) AS C FROM Notes") == [{"C": 1}]
"""


@pytest.mark.parametrize("flags", [("-n", "2"), ("--spanner-target=subprocess",)], ids=" ".join)
def test_past_dates_in_any_order(project, flags):
    needs("xdist")
    project.file("schema.sql", SCHEMA)
    project.run_apart(DATES, *flags).assert_outcomes(passed=60)


def test_without_a_reset_the_message_says_what_to_do(project):
    project.file("schema.sql", SCHEMA)
    result = project.run(
        """
        import pytest

        def test_writes(spanner_sql):
            spanner_sql("INSERT INTO Notes (Id) VALUES (1)")

        def test_past(spanner_clock):
            spanner_clock.freeze("2024-01-01")
        """,
        "--spanner-isolation=none",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*2024-01-01*has passed in*isolation restore or clone*"])


def test_a_transaction_left_open_in_the_past_is_reported(project):
    project.file("schema.sql", SCHEMA)
    result = project.run(
        """
        def test_leaves_it(spanner_database, spanner_clock):
            spanner_clock.freeze("2024-01-01")
            session = spanner_database.session()
            session.create()
            transaction = session.transaction()
            transaction.begin()
            transaction.execute_update("INSERT INTO Notes (Id) VALUES (1)")
        """,
        "--spanner-fail-on=open-transaction",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*transactions left open*"])
