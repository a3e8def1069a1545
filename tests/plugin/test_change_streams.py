"""Change streams in tests: the records of a test, and assertions about them."""

import pytest

from tests.plugin.test_docs import blocks

(SCHEMA,) = blocks("how-to/change-streams.md", "sql")
ORDERS = """
import threading

import pytest

def place(database, *orders, status="OPEN"):
    with database.batch() as batch:
        rows = [[order, status] for order in orders]
        batch.insert_or_update("Orders", ["OrderId", "Status"], rows)
"""


@pytest.fixture
def shop(project):
    project.file("schema.sql", SCHEMA)
    return project


@pytest.mark.parametrize(
    ("target", "isolation"),
    [("embedded", "restore"), ("embedded", "truncate"), ("subprocess", "restore")],
)
def test_a_test_has_its_own_records(shop, target, isolation):
    shop.run(
        f"""{ORDERS}
@pytest.mark.parametrize("order", [1, 2])
def test_records(spanner_change_streams, spanner_database, order):
    stream = spanner_change_streams["OrderChanges"]
    assert stream.records() == []
    place(spanner_database, order)
    (record,) = stream.records()
    assert record.mods[0].keys == {{"OrderId": order}}
    assert [str(each) for each in stream.changes()] == [f"INSERT Orders({{order}}) Status='OPEN'"]
    assert spanner_change_streams.names() == ["OrderChanges", "OutboxChanges"]
""",
        f"--spanner-target={target}",
        f"--spanner-isolation={isolation}",
    ).assert_outcomes(passed=2)


def test_changes_and_their_texts(shop):
    result = shop.run(
        f"""{ORDERS}
INSERT = ("INSERT", "Orders", {{"OrderId": 7}})
UPDATE = ("update", "orders", {{"Status": "PAID"}})

def test_passes(spanner_assert, spanner_database):
    place(spanner_database, 6)
    with spanner_assert.changes("OrderChanges", [INSERT, UPDATE]):
        place(spanner_database, 7)
        place(spanner_database, 7, status="PAID")
    with spanner_assert.changes("OutboxChanges", []), spanner_assert.changes("OrderChanges", []):
        pass
    with spanner_assert.changes("OrderChanges", [("INSERT", "Orders")] * 2):
        place(spanner_database, 8, 9)
    spanner_assert.changes("OrderChanges", [], tables=["Outbox"]).so_far()

def test_missing_and_more(spanner_assert, spanner_database):
    place(spanner_database, 7)
    with spanner_assert.changes("OrderChanges", [INSERT, UPDATE]):
        place(spanner_database, 8)
        place(spanner_database, 7, status="SENT")

def test_order(spanner_assert, spanner_database):
    with spanner_assert.changes("OrderChanges", [UPDATE, INSERT]):
        place(spanner_database, 7)
        place(spanner_database, 7, status="PAID")

def test_none(spanner_assert, spanner_database):
    place(spanner_database, 7)
    spanner_assert.changes("OrderChanges", []).so_far()

def test_other_forms(spanner_assert):
    for expected in (["INSERT"], [("UPSERT", "Orders")], [("INSERT", "Orders", 7)]):
        with pytest.raises(ValueError, match="no expected change"):
            spanner_assert.changes("OrderChanges", expected)
"""
    )
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*Expected 2 changes in OrderChanges, saw 2 (- missing, + not expected):",
            "*  + INSERT Orders(8) Status='OPEN'",
            "*  + UPDATE Orders(7) Status 'OPEN' -> 'SENT'",
            "*  - INSERT Orders OrderId=7",
            "*  - UPDATE orders Status='PAID'",
            "*Expected 2 changes in OrderChanges, saw 2 (in another order):",
            "*Expected no change in OrderChanges, saw 1 (- missing, + not expected):",
        ]
    )


def test_changes_of_another_thread(shop):
    result = shop.run(
        f"""{ORDERS}
def later(database):
    thread = threading.Thread(target=place, args=(database, 7), daemon=True)
    thread.start()
    return thread

def test_waits(spanner_assert, spanner_database, spanner_change_streams):
    with spanner_assert.changes("OrderChanges", [("INSERT", "Orders")], within=30):
        thread = later(spanner_database)
    assert len(spanner_change_streams["OrderChanges"].wait_for(within=0)) == 1
    thread.join(30)

def test_fails_after_the_bound(spanner_change_streams):
    spanner_change_streams["OrderChanges"].wait_for(2, within=0.01)
"""
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Expected 2 records in OrderChanges within 0.01 s, saw none*"])


def test_tests_do_not_see_partitions(shop):
    shop.run(
        f"""{ORDERS}
def test_churn(spanner_assert, spanner_change_streams, spanner_database):
    stream = spanner_change_streams["OrderChanges"]
    with spanner_assert.changes("OrderChanges", [("INSERT", "Orders")] * 20):
        for order in range(20):
            place(spanner_database, order)
            stream.split()
            stream.churn()
            stream.merge()
"""
    ).assert_outcomes(passed=1)
