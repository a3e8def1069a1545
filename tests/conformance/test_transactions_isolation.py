"""Isolation levels and lock modes."""

from contextlib import nullcontext

import pytest

from tests.conformance.raw import (
    AB,
    AE,
    DE,
    FP,
    IA,
    NF,
    OOR,
    OPTIMISTIC,
    PDML,
    REPEATABLE,
    RW,
    delete,
    insert,
    keys,
    on_both,
    refused,
    update,
    user,
    writes,
)

LEVELS = ["ISOLATION_LEVEL_UNSPECIFIED", "SERIALIZABLE", "REPEATABLE_READ"]
MODES = ["READ_LOCK_MODE_UNSPECIFIED", "PESSIMISTIC", "OPTIMISTIC"]
REPEATABLE_LOCKING = {**REPEATABLE, "read_write": {"read_lock_mode": "PESSIMISTIC"}}


def options(level, mode):
    return {"isolation_level": level, "read_write": {"read_lock_mode": mode}}


@pytest.fixture
def other(raw, session):
    """Return another session, in a database of three users."""
    session.commit(None, user(1, 2, 3))
    return raw.session()


def age_of(session, id_, transaction=None, **fields):
    return session.rows("Users", "Age", keys(id_), transaction=transaction, **fields)[0][0]


def write(session, id_, age):
    session.commit(None, update("Users", "Id Age", (id_, age)), timeout=8)


# ------------------------------------------------------------------ what can be asked for


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mode", MODES)
def test_every_combination_reads_and_writes(session, level, mode):
    begun = session.begin(options(level, mode)).id
    session.dml("INSERT INTO Users (Id, Age) VALUES (1, 1)", begun)
    assert age_of(session, 1, begun) == "1"
    session.commit(begun, user(2))
    assert session.rows("Users", "Id") == [["1"], ["2"]]


def test_unknown_isolation_levels_are_refused(session):
    with refused(IA):
        session.begin({"read_write": {}, "isolation_level": 9})
    with refused(IA):
        session.begin({"read_write": {"read_lock_mode": 9}})


def test_partitioned_dml_has_an_isolation_of_its_own(session):
    with refused(IA, match="REPEATABLE_READ"):
        session.begin({**PDML, "isolation_level": "REPEATABLE_READ"})
    session.begin({**PDML, "isolation_level": "SERIALIZABLE"})


def test_read_only_transactions_ignore_the_isolation_level(session):
    session.begin({"read_only": {}, "isolation_level": "REPEATABLE_READ"})


# ------------------------------------------------------------------ serializable


@pytest.mark.parametrize("options", [RW, {**RW, "isolation_level": "SERIALIZABLE"}])
def test_serializable_reads_lock_by_default(session, other, options):
    begun = session.begin(options).id
    age_of(session, 1, begun)
    with refused(DE):
        other.commit(None, update("Users", "Id Age", (1, 9)), timeout=0.05)
    session.commit(begun)


def test_optimistic_reads_do_not_lock(session, other):
    begun = session.begin(OPTIMISTIC).id
    assert age_of(session, 1, begun) is None
    write(other, 1, 9)


def test_optimistic_reads_share_a_snapshot(session, other):
    begun = session.begin(OPTIMISTIC).id
    age_of(session, 1, begun)
    write(other, 2, 9)
    assert age_of(session, 2, begun) is None


def test_optimistic_reads_are_validated_at_commit(session, other):
    begun = session.begin(OPTIMISTIC).id
    age_of(session, 1, begun)
    write(other, 1, 9)
    with refused(AB):
        session.commit(begun, update("Users", "Id Age", (2, 1)))
    assert age_of(session, 2) is None


def test_optimistic_scans_are_validated_for_new_rows(session, other):
    begun = session.begin(OPTIMISTIC).id
    session.select("SELECT COUNT(*) FROM Users", begun)
    other.commit(None, user(4))
    with refused(AB):
        session.commit(begun, update("Users", "Id Age", (2, 1)))


WRITES = {
    "changed and changed back": lambda other: (write(other, 1, 9), write(other, 1, None)),
    "the same value": lambda other: write(other, 1, None),
    "deleted and inserted": lambda other: other.commit(None, delete("Users", keys(1)), user(1)),
    "replaced": lambda other: other.commit(None, writes("replace", "Users", "Id", (1,))),
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize(
    ("begin", "is_kept"), [(OPTIMISTIC, True), (REPEATABLE, False), (REPEATABLE_LOCKING, False)]
)
def test_validation_compares_written_columns(session, other, begin, is_kept, name):
    begun = session.begin(begin).id
    assert age_of(session, 1, begun) is None
    WRITES[name](other)
    with refused(AB) if is_kept else nullcontext():
        session.commit(begun, update("Users", "Id Age", (2, 1)))


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("begin", [REPEATABLE, REPEATABLE_LOCKING])
def test_repeatable_read_refuses_to_overwrite_later_writes(session, other, begin, name):
    begun = session.begin(begin).id
    age_of(session, 3, begun)
    WRITES[name](other)
    with refused(AB):
        session.commit(begun, update("Users", "Id Age", (1, 5)))


def test_optimistic_commits_when_nothing_read_has_changed(session, other):
    begun = session.begin(OPTIMISTIC).id
    age_of(session, 1, begun)
    write(other, 2, 9)
    session.commit(begun, update("Users", "Id Age", (3, 1)))
    assert age_of(session, 3) == "1"


# ------------------------------------------------------------------ repeatable read


def test_repeatable_reads_share_the_snapshot_of_the_first(session, other):
    begun = session.begin(REPEATABLE).id
    write(other, 1, 5)
    assert age_of(session, 1, begun) == "5"  # begin does not fix it, the first read does
    write(other, 1, 6)
    write(other, 2, 6)
    assert age_of(session, 1, begun) == "5"
    assert session.select("SELECT MAX(Age) FROM Users", begun) == [["5"]]
    session.commit(begun)


def test_repeatable_read_allows_write_skew(session, other):
    first, second = session.begin(REPEATABLE).id, other.begin(REPEATABLE).id
    for single, begun in ((session, first), (other, second)):
        assert single.select("SELECT COUNT(Age) FROM Users", begun) == [["0"]]
    session.commit(first, update("Users", "Id Age", (1, 1)))
    other.commit(second, update("Users", "Id Age", (2, 1)))
    assert session.select("SELECT COUNT(Age) FROM Users") == [["2"]]


@pytest.mark.parametrize("how", ["mutation", "dml"])
def test_repeatable_read_refuses_to_overwrite_newer_rows(session, other, how):
    begun = session.begin(REPEATABLE).id
    age_of(session, 1, begun)
    write(other, 1, 9)
    with refused(AB):
        if how == "dml":
            session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
            session.commit(begun)
        else:
            session.commit(begun, update("Users", "Id Age", (1, 1)))
    assert age_of(session, 1) == "9"


def test_repeatable_read_sees_its_own_writes(session, other):
    begun = session.begin(REPEATABLE).id
    age_of(session, 1, begun)
    session.dml("UPDATE Users SET Age = 7 WHERE Id = 1", begun)
    assert age_of(session, 1, begun) == "7"
    session.commit(begun)


FOR_UPDATE = [
    "SELECT Age FROM Users WHERE Id = 1 FOR UPDATE",
    "@{LOCK_SCANNED_RANGES=exclusive} SELECT Age FROM Users WHERE Id = 1",
]


@pytest.mark.parametrize("options", [REPEATABLE, REPEATABLE_LOCKING])
@pytest.mark.parametrize("locking", FOR_UPDATE)
def test_repeatable_reads_for_update_are_kept(session, other, options, locking):
    begun = session.begin(options).id
    age_of(session, 2, begun)
    write(other, 1, 9)
    session.select(locking, begun)
    with refused(AB):
        session.commit(begun, update("Users", "Id Age", (2, 1)))


@pytest.mark.parametrize("locking", FOR_UPDATE)
def test_pessimistic_repeatable_reads_for_update_lock(session, other, locking):
    begun = session.begin(REPEATABLE_LOCKING).id
    session.select(locking, begun)
    with refused(DE):
        other.commit(None, update("Users", "Id Age", (1, 9)), timeout=0.05)
    session.commit(begun)
    write(other, 1, 9)


def test_repeatable_reads_are_optimistic_by_default(session, other):
    begun = session.begin(REPEATABLE).id
    session.select(FOR_UPDATE[0], begun)
    write(other, 1, 9)
    with refused(AB):
        session.commit(begun, update("Users", "Id Age", (2, 1)))


@pytest.mark.parametrize("options", [REPEATABLE, REPEATABLE_LOCKING])
def test_repeatable_reads_of_dml_are_kept(session, other, options):
    begun = session.begin(options).id
    age_of(session, 2, begun)
    write(other, 1, 9)
    session.dml(
        "UPDATE Users SET Age = 1 WHERE Id = 2"
        " AND EXISTS (SELECT 1 FROM Users AS o WHERE o.Id = 1 AND o.Age IS NULL)",
        begun,
    )
    with refused(AB):
        session.commit(begun)


def test_pessimistic_repeatable_reads_of_dml_lock(session, other):
    begun = session.begin(REPEATABLE_LOCKING).id
    exists = "EXISTS (SELECT 1 FROM Users AS o WHERE o.Id = 1 AND o.Age IS NULL)"
    session.dml(f"UPDATE Users SET Age = 1 WHERE Id = 2 AND {exists}", begun)
    with refused(DE):
        other.commit(None, update("Users", "Id Age", (1, 9)), timeout=0.05)
    session.commit(begun)


def test_pessimistic_repeatable_writes_of_dml_lock_when_they_are_made(session, other):
    begun = session.begin(REPEATABLE_LOCKING).id
    session.dml("UPDATE Users SET Note = 'a' WHERE Id = 1", begun)
    with refused(DE):
        other.commit(None, update("Users", "Id Note", (1, "b")), timeout=0.05)
    session.commit(begun)


def test_serializable_writes_lock_at_the_commit(session, other):
    begun = session.begin(RW).id
    session.dml("UPDATE Users SET Note = 'a' WHERE Id = 1", begun)
    other.commit(None, update("Users", "Id Note", (1, "b")))
    session.commit(begun)
    assert session.rows("Users", "Note", keys(1)) == [["a"]]


@pytest.mark.parametrize("options", [REPEATABLE, OPTIMISTIC])
def test_other_writes_lock_at_the_commit(session, other, options):
    begun = session.begin(options).id
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    write(other, 1, 9)
    with refused(AB):
        session.commit(begun)
    assert age_of(session, 1) == "9"


@pytest.mark.parametrize("options", [REPEATABLE, OPTIMISTIC])
def test_a_commit_without_read_locks_waits_for_other_read_locks(session, other, options):
    begun = session.begin(RW).id
    age_of(session, 1, begun)
    late = other.begin(options).id
    other.dml("UPDATE Users SET Age = 1 WHERE Id = 1", late)
    with refused(DE):
        other.commit(late, timeout=0.05)
    session.commit(begun)


# ------------------------------------------------------------------ constraints hold at every level


@pytest.fixture(params=[REPEATABLE, REPEATABLE_LOCKING, OPTIMISTIC])
def snapshot(request, session, other):
    """Return a transaction without locks that has its snapshot."""
    begun = session.begin(request.param).id
    session.read("Pairs", "A", transaction=begun)
    return begun


def test_a_unique_index_against_a_newer_row(session, other, snapshot):
    other.commit(None, insert("Pairs", "A B C", (1, 1, 7)))
    with refused((AB, AE)):
        session.commit(snapshot, insert("Pairs", "A B C", (2, 2, 7)))
    assert session.rows("Pairs", "A") == [["1"]]


def test_a_child_of_a_parent_deleted_after_the_snapshot_is_refused(session, other, snapshot):
    other.commit(None, delete("Users", keys(1)))
    with refused((AB, NF)):
        session.commit(snapshot, insert("Posts", "Id PostId", (1, 1)))
    assert session.rows("Posts", "Id") == []


def test_a_delete_is_aborted_by_children_inserted_after_its_snapshot(session, other, snapshot):
    other.commit(None, insert("Posts", "Id PostId", (1, 1)))
    with refused(AB):
        session.commit(snapshot, delete("Users", keys(1)))
    assert session.rows("Posts", "Id") == [["1"]]


def test_a_foreign_key_against_a_newer_delete(raw, session, other):
    raw.ddl(
        "CREATE TABLE Likes (Id INT64, UserId INT64,"
        " CONSTRAINT LikesUser FOREIGN KEY (UserId) REFERENCES Users (Id)) PRIMARY KEY (Id)"
    )
    begun = session.begin(REPEATABLE).id
    session.read("Likes", "Id", transaction=begun)
    other.commit(None, delete("Users", keys(1)))
    with refused((AB, FP)):
        session.commit(begun, insert("Likes", "Id UserId", (1, 1)))
    assert session.rows("Likes", "Id") == []


@on_both
def test_check_constraints_hold_at_every_isolation_level(raw, session):
    raw.ddl("CREATE TABLE Small (Id INT64, CONSTRAINT few CHECK (Id < 3)) PRIMARY KEY (Id)")
    begun = session.begin(REPEATABLE).id
    with refused(OOR, match="few"):
        session.commit(begun, insert("Small", "Id", (9,)))
