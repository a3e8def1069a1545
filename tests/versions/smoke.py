"""The plugin as its pages show it, in a project without settings: one test for each tool."""

from datetime import UTC, datetime

import freezegun
import pytest
import time_machine

import spanemu

pytestmark = pytest.mark.spanner(
    schema="CREATE TABLE Orders (OrderId STRING(36) NOT NULL, Status STRING(9)) PRIMARY KEY (OrderId)"
)


def add(database, order):
    with database.batch() as batch:
        batch.insert("Orders", ["OrderId", "Status"], [[order, "OPEN"]])


def test_rows_and_budgets(spanner_database, spanner_factory, spanner_sql, spanner_assert):
    spanner_factory.Orders.many(3, Status="SENT")
    with spanner_assert.commits(1), spanner_assert.no_full_scan():
        add(spanner_database, "a")
    assert spanner_sql("SELECT COUNT(*) AS n FROM Orders") == [{"n": 4}]


def test_the_rows_of_another_test_are_gone(spanner_sql):
    assert spanner_sql("SELECT * FROM Orders") == []


def test_hotspots_are_found(spanner_database, hotspots):
    for number in range(40):
        add(spanner_database, f"{number:09}")
    assert hotspots.report().findings


def test_a_commit_that_is_aborted_is_made_again(spanner_database, spanner_faults):
    spanner_faults.abort("Commit")
    add(spanner_database, "a")


@pytest.mark.parametrize(
    ("travel", "year"), [(freezegun.freeze_time, 2040), (time_machine.travel, 2050)]
)
def test_the_server_follows_a_clock(travel, year, spanner_clock, spanner_sql):
    new_year = datetime(year, 1, 1, tzinfo=UTC)
    with travel(new_year):
        spanner_clock.follow()
        (row,) = spanner_sql("SELECT CURRENT_TIMESTAMP() AS now")
    assert row["now"].year == year


def test_a_server_of_its_own():
    with spanemu.Emulator.subprocess() as emulator:
        assert emulator.client().list_instance_configs()
