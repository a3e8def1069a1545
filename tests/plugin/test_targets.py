"""The same suite against an emulator in a process of its own, and against Google's."""

import pytest

import spanemu
from tests.conformance.reference import official_process

EVERYTHING = """
def test_rows_and_snapshots(spanner_database, spanner_snapshot, spanner_sql):
    spanner_snapshot.take("empty")
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(1, "Marc")])
    (diff,) = spanner_snapshot.diff("empty")
    assert diff.added == ((1,),)
    spanner_snapshot.restore("empty")
    assert spanner_sql("SELECT * FROM Singers") == []
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(2, "Left behind")])

def test_the_next_one_starts_anew(spanner_sql, spanner_emulator):
    assert spanner_sql("SELECT * FROM Singers") == []
    assert spanner_emulator.default_isolation == "restore"

def test_faults_and_counts(spanner_database, spanner_faults, spanner_assert):
    fault = spanner_faults.abort("Commit", database=spanner_database.name)
    with spanner_assert.commits(1), spanner_assert.aborts(1):
        spanner_database.run_in_transaction(
            lambda txn: txn.insert("Singers", ["SingerId", "Name"], [(1, "Marc")])
        )
    assert fault.fired == 1

def test_clock(spanner_clock):
    before = spanner_clock.now
    spanner_clock.advance(days=1)
    assert (spanner_clock.now - before).days == 1
"""


def test_a_process_of_its_own_has_everything(music):
    music.run(EVERYTHING, "--spanner-target=subprocess").assert_outcomes(passed=4)


def test_unused_faults_of_a_process_are_loud(music):
    result = music.run(
        "def test_one(spanner_faults):\n    spanner_faults.unavailable('Commit')\n",
        "--spanner-target=subprocess",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*faults that never struck: *unavailable(Commit)*"])


@pytest.mark.reference
def test_googles_emulator_has_rows_and_refuses_the_rest(music):
    text = EVERYTHING + (
        "\ndef test_rows(spanner_sql):\n"
        "    spanner_sql(\"INSERT INTO Singers (SingerId, Name) VALUES (1, 'Marc')\")\n"
        "    assert len(spanner_sql('SELECT * FROM Singers')) == 1\n"
    )
    with official_process() as (client, _):
        host = client._emulator_host
        result = music.run(
            text, "--spanner-target=external", f"--spanner-host={host}", "-k", "not anew", "-rs"
        )
    result.assert_outcomes(passed=1, skipped=3, deselected=1)
    result.stdout.fnmatch_lines(["*target external has no snapshots*"])


def test_an_external_spanemu_is_like_any_spanner(music):
    with spanemu.Emulator.subprocess() as running:
        result = music.run(
            "def test_rows(spanner_sql):\n    assert spanner_sql('SELECT 1 AS One') == [{'One': 1}]\n",
            "--spanner-target=external",
            f"--spanner-host={running.uri}",
        )
    result.assert_outcomes(passed=1)
