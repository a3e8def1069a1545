"""What a failure, a commit and a rollback leave of a transaction."""

import pytest

from tests.conformance.raw import (
    AE,
    FP,
    IA,
    NF,
    OOR,
    RW,
    delete,
    insert,
    keys,
    on_both,
    refused,
    update,
    user,
)

# A statement that fails, and how, in a database with user 1 and post (1, 1).
VIOLATIONS = {
    "a row that exists": (AE, "INSERT INTO Users (Id) VALUES (1)"),
    "no parent": (NF, "INSERT INTO Posts (Id, PostId) VALUES (9, 9)"),
    "a unique index": (AE, "INSERT INTO Pairs (A, B, C) VALUES (2, 2, 7)"),
    "a null": (FP, "INSERT INTO Posts (Id, PostId) VALUES (1, NULL)"),
    "too long a text": (FP, "UPDATE Users SET Name = REPEAT('x', 21) WHERE Id = 1"),
}
MUTATIONS = {
    "a row that exists": (AE, user(1)),
    "no row": (NF, update("Users", "Id Age", (9, 9))),
    "no parent": (NF, insert("Posts", "Id PostId", (9, 9))),
    "a null": (FP, insert("Users", "Id", (None,))),
    "no table": (NF, insert("Nothing", "Id", (1,))),
    "no column": (NF, insert("Users", "Id Nothing", (1, 1))),
}


@pytest.fixture
def begun(session):
    """Return a transaction in a database with a row in each table."""
    session.commit(
        None,
        user(1),
        insert("Posts", "Id PostId", (1, 1)),
        insert("Pairs", "A B C", (1, 1, 7)),
    )
    return session.begin().id


def code_of(kind):
    return kind.grpc_status_code.value[0]


# ------------------------------------------------------------------ failed statements


@on_both
def test_failed_reads_and_queries_change_nothing(session, begun):
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    for kind, request in [
        (NF, lambda: session.read("Nothing", "Id", transaction=begun)),
        (NF, lambda: session.read("Users", "Nothing", transaction=begun)),
        (FP, lambda: session.read("Users", "Id", keys((1, 2)), transaction=begun)),
        (IA, lambda: session.sql("SELECT Nothing FROM Users", begun)),
        (IA, lambda: session.sql("SELECT", begun)),
        (OOR, lambda: session.sql("SELECT 1 / (Id - 1) FROM Users", begun)),
    ]:
        with refused(kind):
            request()
    assert session.rows("Users", "Age", transaction=begun) == [["1"]]
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


@on_both
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE",
        "UPDATE Nothing SET Age = 1 WHERE true",
        "UPDATE Users SET Nothing = 1 WHERE true",
        "UPDATE Users SET Age = 'text' WHERE true",
        "UPDATE Users SET Age = @missing + 1 WHERE Id = @missing",
        "UPDATE Users SET Age = 1",
    ],
)
def test_dml_that_is_wrong_changes_nothing(session, begun, sql):
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    with refused(IA):
        session.dml(sql, begun)
    session.dml("UPDATE Users SET Age = Age + 1 WHERE Id = 1", begun)
    session.commit(begun)
    assert session.rows("Users", "Age") == [["2"]]


@on_both
@pytest.mark.parametrize("which", VIOLATIONS)
def test_a_violated_constraint_is_repeated_by_dml_and_commit(session, begun, which):
    kind, sql = VIOLATIONS[which]
    for _ in range(2):
        with refused(kind):
            session.dml(sql, begun)
    with refused(kind):
        session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    with refused(kind):
        session.commit(begun)
    with refused(kind):
        session.commit(begun, user(2))
    assert session.rows("Users", "Age") == [[None]]


@on_both
def test_a_violated_check_is_repeated_by_dml_and_commit(raw, session):
    raw.ddl("CREATE TABLE Small (Id INT64, CONSTRAINT few CHECK (Id < 3)) PRIMARY KEY (Id)")
    begun = session.begin().id
    with refused(OOR, match="few"):
        session.dml("INSERT INTO Small (Id) VALUES (9)", begun)
    with refused(OOR, match="few"):
        session.dml("INSERT INTO Small (Id) VALUES (1)", begun)
    with refused(OOR, match="few"):
        session.commit(begun, insert("Small", "Id", (1,)))
    assert session.rows("Small", "Id") == []


@pytest.mark.parametrize("which", VIOLATIONS)
def test_reads_after_a_violated_constraint(session, begun, which):
    kind, sql = VIOLATIONS[which]
    with refused(kind):
        session.dml(sql, begun)
    with refused(FP, match="invalidated due to a constraint error"):
        session.sql("SELECT 1", begun)
    with refused(FP, match="invalidated due to a constraint error"):
        session.read("Users", "Id", transaction=begun)


@on_both
def test_a_batch_that_violates_a_constraint_invalidates_too(session, begun):
    reply = session.batch(begun, *(sql for _, sql in VIOLATIONS.values()))
    assert reply.status.code == code_of(AE)
    with refused(AE):
        session.commit(begun)


@on_both
def test_a_batch_that_is_wrong_changes_nothing(session, begun):
    reply = session.batch(
        begun,
        "UPDATE Users SET Age = 1 WHERE Id = 1",
        "UPDATE Users SET Nothing = 1 WHERE Id = 1",
        "UPDATE Users SET Age = 2 WHERE Id = 1",
    )
    assert (reply.status.code, len(reply.result_sets)) == (code_of(IA), 1)
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


@on_both
@pytest.mark.parametrize(
    ("sql", "is_dml"),
    [
        ("SELECT 1", False),
        ("SELECT Nothing FROM Users", False),
        ("something else", False),
        ("DROP TABLE Users", False),
        ("", False),
        ("UPDATE Users SET", True),
        ("@{PDML_MAX_PARALLELISM=2} DELETE Users", True),
        ("INSERT INTO Users (Id) VALUES ('unclosed)", True),
    ],
)
def test_a_batch_that_holds_something_else(session, begun, sql, is_dml):
    reply = session.batch(begun, "UPDATE Users SET Age = 1 WHERE Id = 1", sql)
    assert (reply.status.code, len(reply.result_sets)) == (code_of(IA), 1)
    assert ("is not valid DML" in reply.status.message) is not is_dml


# ------------------------------------------------------------------ failed commits


@on_both
@pytest.mark.parametrize("which", MUTATIONS)
def test_a_failed_commit_is_repeated(session, begun, which):
    kind, mutation = MUTATIONS[which]
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    with refused(kind):
        session.commit(begun, user(2), mutation)
    with refused(kind):
        session.commit(begun, user(3))
    session.rollback(begun)
    assert session.rows("Users", "Id Age") == [["1", None]]


def test_nothing_is_locked_after_a_failed_commit(raw, session, begun):
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    with refused(AE):
        session.commit(begun, user(1))
    raw.session().commit(None, update("Users", "Id Age", (1, 2)), timeout=8)


# ------------------------------------------------------------------ after the end


@on_both
def test_a_repeated_commit_gets_the_same_answer(session, begun):
    session.dml("UPDATE Users SET Age = Age + 1 WHERE Id = 1", begun)
    first = session.commit(begun, user(2)).commit_timestamp
    assert session.commit(begun, user(2)).commit_timestamp == first
    assert session.commit(begun).commit_timestamp == first
    assert session.rows("Users", "Id") == [["1"], ["2"]]


@on_both
def test_a_repeated_single_use_commit_is_another_commit(session):
    first = session.commit(None, user(1)).commit_timestamp
    with refused(AE):
        session.commit(None, user(1))
    again = session.commit(None, delete("Users", keys(1)), user(1)).commit_timestamp
    assert (again.seconds, again.nanos) > (first.seconds, first.nanos)


@on_both
@pytest.mark.parametrize("how", ["commit", "rollback"])
def test_an_ended_transaction_takes_no_requests(session, begun, how):
    getattr(session, how)(begun)
    for request in (
        lambda: session.sql("SELECT 1", begun),
        lambda: session.read("Users", "Id", transaction=begun),
        lambda: session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun),
    ):
        with refused(FP, match="after it has been"):
            request()


@on_both
def test_commit_after_rollback(session, begun):
    session.rollback(begun)
    with refused(FP):
        session.commit(begun)


@on_both
def test_rollback_after_commit(session, begun):
    session.commit(begun)
    with refused(FP, match="after it has been committed"):
        session.rollback(begun)


@on_both
def test_a_rollback_undoes_every_write(session, begun):
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    session.rollback(begun)
    assert session.rows("Users", "Age") == [[None]]


@on_both
def test_rollback_twice(session, begun):
    session.rollback(begun)
    session.rollback(begun)


@on_both
def test_rollback_of_an_invalidated_transaction(session, begun):
    with refused(AE):
        session.dml("INSERT INTO Users (Id) VALUES (1)", begun)
    session.rollback(begun)


def test_rollback_without_an_id(session):
    with refused(IA):
        session.rollback(b"")


def test_rollback_of_an_unknown_transaction(session):
    session.rollback(b"987654321")


def test_rollback_of_an_aborted_transaction(raw, session, begun):
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    raw.ddl("CREATE TABLE Other (Id INT64) PRIMARY KEY (Id)")
    session.rollback(begun)


@on_both
def test_requests_of_an_unknown_transaction(session):
    unknown = b"987654321"
    for request in (
        lambda: session.sql("SELECT 1", unknown),
        lambda: session.read("Users", "Id", transaction=unknown),
        lambda: session.dml("UPDATE Users SET Age = 1 WHERE true", unknown),
        lambda: session.batch(unknown, "UPDATE Users SET Age = 1 WHERE true"),
        lambda: session.commit(unknown),
    ):
        with refused(NF, match="Transaction not found"):
            request()


def test_a_failed_transaction_holds_no_locks(raw, session):
    session.commit(None, user(1))
    held = session.begin().id
    with refused(AE):
        session.dml("INSERT INTO Users (Id) VALUES (1)", held)
    raw.session().dml("UPDATE Users SET Age = 2 WHERE Id = 1", {"begin": RW}, timeout=8)
