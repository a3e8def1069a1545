"""The commit timestamp's placeholder in mutations."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.conformance.backends import (
    AE,
    COMMIT_TIMESTAMP,
    FP,
    IA,
    delete,
    delete_range,
    insert,
    insert_or_update,
    refused,
    replace,
    spanemu_only,
    update,
)

OPTION = "OPTIONS (allow_commit_timestamp = true)"
EVENTS = f"""CREATE TABLE Events (
    Id INT64 NOT NULL, Ts TIMESTAMP {OPTION}, Plain TIMESTAMP,
) PRIMARY KEY (Id)"""
LOG = f"""CREATE TABLE Log (
    Id INT64 NOT NULL, Ts TIMESTAMP NOT NULL {OPTION}, Note STRING(MAX),
) PRIMARY KEY (Id, Ts DESC)"""
ENTRIES = """CREATE TABLE Entries (
    Id INT64 NOT NULL, Ts TIMESTAMP NOT NULL {}, Number INT64 NOT NULL,
) PRIMARY KEY (Id, Ts DESC, Number), INTERLEAVE IN PARENT Log ON DELETE CASCADE"""
NOW = COMMIT_TIMESTAMP
PAST = datetime(2020, 1, 2, 3, 4, 5, 678900, UTC)
FUTURE = "9999-12-31T23:59:59.999999999Z"
WRITES = [insert, insert_or_update, replace]


@pytest.fixture
def db(create):
    """Return a column that may hold the commit timestamp and one that may not."""
    return create(EVENTS, LOG, ENTRIES.format(OPTION), "CREATE INDEX EventsByTs ON Events (Ts)")


@pytest.mark.parametrize("write", WRITES)
def test_the_placeholder_becomes_the_timestamp_of_the_commit(db, write):
    at = db.commit(write("Events", "Id Ts", (1, NOW), (2, NOW)), write("Log", "Id Ts", (1, NOW)))
    assert db.read("Events", "Ts") == [[at], [at]]
    assert db.read("Log", "Ts") == [[at]]
    assert db.read("Events", "Ts Id", index="EventsByTs") == [[at, 1], [at, 2]]
    assert at.microsecond == at.nanosecond // 1000
    assert at.nanosecond % 1000 == 0


@pytest.mark.parametrize("write", [update, insert_or_update, replace])
def test_the_placeholder_in_an_update(db, write):
    db.commit(insert("Events", "Id Ts", (1, PAST)))
    at = db.commit(write("Events", "Id Ts", (1, NOW)))
    assert db.read("Events", "Ts Id", index="EventsByTs") == [[at, 1]]


def test_later_mutations_of_the_commit_win_over_the_placeholder(db):
    db.commit(insert("Events", "Id Ts", (1, NOW)), update("Events", "Id Ts", (1, PAST)))
    assert db.read("Events", "Ts Id", index="EventsByTs") == [[PAST, 1]]


@pytest.mark.parametrize("write", WRITES)
def test_a_column_without_the_option(db, write):
    with refused(FP, match="allow_commit_timestamp"):
        db.commit(write("Events", "Id Plain", (1, NOW)))


def test_only_the_exact_placeholder_text_is_replaced(db):
    for text in ("SPANNER.COMMIT_TIMESTAMP()", "spanner.commit_timestamp", "commit_timestamp()"):
        with refused(FP):
            db.commit(insert("Events", "Id Ts", (1, text)))


def test_keys_of_parent_and_child(db):
    at = db.commit(
        insert("Log", "Id Ts Note", (1, NOW, "x")), insert("Entries", "Id Ts Number", (1, NOW, 1))
    )
    assert db.read("Log", "Ts Note", (1, at)) == [[at, "x"]]
    assert db.read("Entries", "Ts Number", (1, at, 1)) == [[at, 1]]
    later = db.commit(
        insert("Log", "Id Ts", (1, NOW)), insert("Entries", "Id Ts Number", (1, NOW, 2))
    )
    assert db.read("Log", "Ts") == [[later], [at]]


def test_a_literal_key_for_a_child_of_an_older_parent(db):
    at = db.commit(insert("Log", "Id Ts", (1, NOW)))
    db.commit(insert("Entries", "Id Ts Number", (1, at, 1)))
    assert db.read("Entries", "Ts Number") == [[at, 1]]


@pytest.mark.parametrize("option", ["", "OPTIONS (allow_commit_timestamp = false)"])
def test_the_option_must_hold_through_the_hierarchy(create, option):
    db = create(LOG, ENTRIES.format(option))
    with refused(FP):
        db.commit(insert("Log", "Id Ts", (1, NOW)))
    db.commit(insert("Log", "Id Ts", (1, PAST)), insert("Entries", "Id Ts Number", (1, PAST, 1)))
    with refused(FP):
        db.commit(insert("Entries", "Id Ts Number", (1, NOW, 1)))


def test_a_delete_up_to_now(create):
    db = create(LOG.replace(" DESC", ""))
    first = db.commit(insert("Log", "Id Ts", (1, NOW), (2, NOW)))
    second = db.commit(insert("Log", "Id Ts", (1, NOW)))
    db.commit(delete_range("Log", start_open=[1, first], end_closed=[1, NOW]))
    assert db.read("Log", "Id Ts") == [[1, first], [2, first]]
    db.commit(delete_range("Log", start_closed=[1, first], end_open=[1, NOW]))
    assert db.read("Log", "Id Ts") == [[2, first]]
    assert first < second


@spanemu_only
def test_a_delete_up_to_now_in_descending_order(db):
    first = db.commit(insert("Log", "Id Ts", (1, NOW), (2, NOW)))
    db.commit(insert("Log", "Id Ts", (1, NOW)))
    db.commit(delete_range("Log", start_closed=[1, NOW], end_open=[1, first]))
    assert db.read("Log", "Id Ts") == [[1, first], [2, first]]
    db.commit(delete_range("Log", start_closed=[1, NOW], end_closed=[1, first]))
    assert db.read("Log", "Id Ts") == [[2, first]]


def test_a_delete_of_the_point_now_matches_nothing(db):
    at = db.commit(insert("Log", "Id Ts", (1, NOW)))
    db.commit(delete("Log", (1, NOW)))
    assert db.read("Log", "Ts") == [[at]]


@spanemu_only
def test_two_rows_of_the_same_key_now(db):
    with refused(AE):
        db.commit(insert("Log", "Id Ts", (1, NOW), (1, NOW)))
    assert db.read("Log", "Id") == []


@spanemu_only
def test_a_child_now_under_an_older_parent(db):
    db.commit(insert("Log", "Id Ts", (1, NOW)))
    with refused(IA):
        db.commit(insert("Entries", "Id Ts Number", (1, NOW, 1)))


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("table", ["Events", "Log"])
def test_a_value_in_the_future(db, write, table):
    soon = datetime.now(UTC) + timedelta(hours=1)
    for value in (soon, FUTURE):
        with refused(FP, match="in the future"):
            db.commit(write(table, "Id Ts", (1, value)))
    assert db.read(table, "Id") == []


def test_a_future_value_in_a_column_without_the_option(db):
    db.commit(insert("Events", "Id Plain", (1, FUTURE)))
    assert db.read("Events", "Plain")[0][0].year == 9999


def test_a_future_value_in_the_key_of_a_delete(db):
    for gone in (
        delete("Log", (1, FUTURE)),
        delete_range("Log", start_closed=[1, FUTURE], end_closed=[1, PAST]),
        delete_range("Log", start_open=[1, FUTURE], end_open=[1, PAST]),
    ):
        with refused(FP, match="in the future"):
            db.commit(gone)


def test_an_empty_range_in_the_future(db):
    db.commit(delete_range("Log", start_closed=[1, PAST], end_closed=[1, FUTURE]))
    db.commit(delete_range("Log", start_closed=[1, FUTURE], end_open=[1, FUTURE]))


def test_a_key_without_the_option_in_a_delete(create):
    db = create(LOG.replace(OPTION, "").replace(" DESC", ""))
    db.commit(delete_range("Log", start_closed=[1, PAST], end_closed=[1, FUTURE]))
    for gone in (
        delete("Log", (1, NOW)),
        delete_range("Log", start_closed=[1, PAST], end_closed=[1, NOW]),
    ):
        with refused(FP, match="allow_commit_timestamp"):
            db.commit(gone)


def test_a_future_value_by_dml(db):
    with refused(FP, match="in the future"):
        db.dml(f"INSERT INTO Events (Id, Ts) VALUES (1, TIMESTAMP '{FUTURE}')")
    db.dml(f"INSERT INTO Events (Id, Plain) VALUES (1, TIMESTAMP '{FUTURE}')")


@pytest.mark.parametrize("write", WRITES)
def test_past_values_and_nulls(db, write):
    db.commit(write("Events", "Id Ts", (1, PAST), (2, None)), write("Log", "Id Ts", (1, PAST)))
    assert db.read("Events", "Ts") == [[PAST], [None]]
    assert db.read("Log", "Ts") == [[PAST]]
    with refused(FP):
        db.commit(write("Log", "Id Ts", (1, None)))


def test_reading_at_the_commit_timestamp(db):
    at = db.commit(insert("Events", "Id Ts", (1, NOW)))
    db.commit(update("Events", "Id Ts", (1, None)))
    with db.official.snapshot(read_timestamp=at) as snapshot:
        assert list(snapshot.execute_sql("SELECT Ts FROM Events")) == [[at]]


def test_a_unique_index_over_the_placeholder(create):
    db = create(EVENTS, "CREATE UNIQUE INDEX ByTs ON Events (Ts)")
    first = db.commit(insert("Events", "Id Ts", (1, NOW)))
    second = db.commit(insert("Events", "Id Ts", (2, NOW)))
    assert db.read("Events", "Ts Id", index="ByTs") == [[first, 1], [second, 2]]
    with refused(Exception, match="(?i)unique"):
        db.commit(insert("Events", "Id Ts", (3, NOW), (4, NOW)))
