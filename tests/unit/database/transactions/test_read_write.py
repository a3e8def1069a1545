"""What the client of a read-write transaction may do next, and what it is told."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.base.errors import Code, HelpLink, SpannerError
from spanemu.base.limits import Limits
from spanemu.database.errors import (
    AfterLastStatement,
    DatabaseNotFound,
    DirectedReadNotAllowed,
    EmptyBatch,
    NotDml,
    PrecommitTokenMissing,
    SeqnoOutOfOrder,
    TransactionEnded,
    TransactionInvalidated,
)
from spanemu.database.options import (
    CommitOptions,
    Existing,
    Isolation,
    QueryMode,
    ReadLockMode,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.storage.layout import tree_of
from spanemu.txn.errors import (
    ReferencedKeyMissing,
    RowAlreadyExists,
    RowNotFound,
    TableNotFound,
    TooManyMutations,
    TransactionAborted,
)
from spanemu.txn.locks.holder import State
from spanemu.values.mutation import Delete, RawKeySet, Write, WriteKind
from tests.unit.database.shop import Shop, items, request

AGAIN = "INSERT INTO Items (Id) VALUES (1)"
NEW = "INSERT INTO Items (Id, Name, Price) VALUES (7, 'x', 70)"


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def begun(shop: Shop) -> Existing:
    return shop.begin()


def state_of(shop: Shop, begun: Existing) -> State:
    return shop.session.transactions.get(begun.id).holder.state


# ---------------------------------------------------------------------------- statements


def test_statements_see_those_before(shop: Shop, begun: Existing) -> None:
    assert shop.dml(NEW, begun) == 1
    assert shop.dml("UPDATE Items SET Price = 0 WHERE Price > 15", begun, 2) == 3
    assert shop.sql("SELECT Id FROM Items WHERE Price = 0 ORDER BY Id", begun) == [(2,), (3,), (7,)]
    assert shop.read(7, selector=begun) == [(7, 0)]
    assert shop.read(7) == []
    shop.commit(begun)
    assert shop.read(7) == [(7, 0)]


def test_dml_returns_counts_and_rows(shop: Shop, begun: Existing) -> None:
    stream = shop.session.execute(
        StatementRequest("DELETE FROM Items WHERE Id < 3 THEN RETURN Id", seqno=1), begun
    )
    assert sorted(stream.rows) == [(1,), (2,)]
    assert stream.stats.row_count == 2


def test_a_failed_query_changes_nothing(shop: Shop, begun: Existing) -> None:
    with pytest.raises(TableNotFound):
        shop.session.read(request().__class__("Nope", ("Id",), RawKeySet(all=True)), begun)
    assert state_of(shop, begun) is State.ACTIVE
    shop.dml(NEW, begun)
    shop.commit(begun)


def test_a_violated_constraint_is_the_answer_to_every_later_request(
    shop: Shop, begun: Existing
) -> None:
    shop.dml(NEW, begun)
    with pytest.raises(RowAlreadyExists):
        shop.dml(AGAIN, begun, 2)
    assert state_of(shop, begun) is State.INVALID
    assert not list(shop.core.locks.holders())
    with pytest.raises(TransactionInvalidated):
        shop.sql("SELECT 1", begun)
    with pytest.raises(RowAlreadyExists):
        shop.dml("DELETE FROM Items WHERE TRUE", begun, 3)
    with pytest.raises(RowAlreadyExists):
        shop.commit(begun)
    shop.session.rollback(begun.id)
    assert len(shop.read()) == 3


def test_a_planned_statement_does_not_change_the_transaction(shop: Shop, begun: Existing) -> None:
    plan = shop.session.execute(StatementRequest(NEW, seqno=1, mode=QueryMode.PLAN), begun)
    assert list(plan.rows) == []
    assert plan.stats.plan is not None
    assert plan.stats.row_count == 0
    assert plan.is_dml
    assert shop.dml(NEW, begun) == 1


def test_a_repeated_statement_is_not_run_again(shop: Shop, begun: Existing) -> None:
    add = "UPDATE Items SET Price = Price + 1 WHERE Id = 1"
    for seqno in (1, 1, 2):
        assert shop.dml(add, begun, seqno) == 1
    shop.commit(begun)
    assert shop.read(1) == [(1, 12)]


def test_falling_sequence_numbers_end_the_transaction(shop: Shop, begun: Existing) -> None:
    shop.dml(NEW, begun, 5)
    with pytest.raises(SeqnoOutOfOrder):
        shop.dml("DELETE FROM Items WHERE TRUE", begun, 4)
    with pytest.raises(SeqnoOutOfOrder):
        shop.commit(begun)


def test_nothing_follows_the_last_statement(shop: Shop, begun: Existing) -> None:
    shop.dml(NEW, begun, last_statement=True)
    with pytest.raises(AfterLastStatement):
        shop.sql("SELECT 1", begun)
    with pytest.raises(AfterLastStatement):
        shop.dml("DELETE FROM Items WHERE TRUE", begun, 2)
    shop.commit(begun)
    assert len(shop.read()) == 4


def test_read_write_requests_cannot_choose_replicas(shop: Shop, begun: Existing) -> None:
    with pytest.raises(DirectedReadNotAllowed):
        shop.sql("SELECT 1", begun, directed_read=())
    with pytest.raises(DirectedReadNotAllowed):
        shop.session.read(request(directed_read=()), begun)


# ---------------------------------------------------------------------------- interference


@pytest.mark.parametrize(("second", "price"), [("Price + 1", 12), ("Price * 10", 110)])
def test_interference_runs_each_of_its_statements(shop: Shop, second: str, price: int) -> None:
    values = ("Price + 1", second)
    shop.database.interfere([f"UPDATE Items SET Price = {value} WHERE Id = 1" for value in values])
    assert shop.sql("SELECT Price FROM Items WHERE Id = 1") == [(price,)]


def test_interference_names_the_statement_that_changes_nothing(shop: Shop) -> None:
    with pytest.raises(NotDml) as caught:
        shop.database.interfere([NEW, "SELECT 1"])
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert not shop.sql("SELECT Price FROM Items WHERE Id = 7")


# ---------------------------------------------------------------------------- batches


def batch(shop: Shop, begun: Existing, *texts: str, seqno: int = 1, last: bool = False):
    requests = [StatementRequest(text) for text in texts]
    return shop.session.execute_batch(requests, begun, seqno, last)


def test_a_batch_stops_at_the_first_failure(shop: Shop, begun: Existing) -> None:
    update = "UPDATE Items SET Price = 0 WHERE Id = 1"
    outcome = batch(shop, begun, NEW, update, "SELECT 1", "DELETE FROM Items WHERE TRUE")
    assert [each.stats.row_count for each in outcome.results] == [1, 1]
    assert isinstance(outcome.failure, NotDml)
    again = batch(shop, begun, NEW, update, "SELECT 1", "DELETE FROM Items WHERE TRUE")
    assert [each.stats.row_count for each in again.results] == [1, 1]
    shop.commit(begun)
    assert shop.read(1, 7) == [(1, 0), (7, 70)]


def test_a_batch_is_not_empty(shop: Shop, begun: Existing) -> None:
    with pytest.raises(EmptyBatch):
        batch(shop, begun)


def test_a_batch_may_be_the_last(shop: Shop, begun: Existing) -> None:
    batch(shop, begun, NEW, last=True)
    with pytest.raises(AfterLastStatement):
        batch(shop, begun, NEW, seqno=2)


# ---------------------------------------------------------------------------- ends


def test_a_repeated_commit_gets_the_same_answer(shop: Shop, begun: Existing) -> None:
    outcome = shop.commit(begun, items((9, "x", 1)), return_stats=True)
    assert outcome.mutation_count == 3 + 1
    assert shop.commit(begun) is outcome
    with pytest.raises(TransactionEnded):
        shop.sql("SELECT 1", begun)
    with pytest.raises(TransactionEnded):
        shop.session.rollback(begun.id)


def test_requests_after_a_rollback_are_refused(shop: Shop, begun: Existing) -> None:
    shop.dml(NEW, begun)
    for _ in range(2):
        shop.session.rollback(begun.id)
    for late in (lambda: shop.sql("SELECT 1", begun), lambda: shop.commit(begun)):
        with pytest.raises(TransactionEnded) as failure:
            late()
        assert failure.value.code is Code.FAILED_PRECONDITION
    assert len(shop.read()) == 3


def test_a_failed_commit_is_repeated(shop: Shop, begun: Existing) -> None:
    missing = Write(WriteKind.UPDATE, "Items", ("Id", "Price"), [["99", "1"]])
    for mutations in ([items((9, "x", 1)), missing], []):
        with pytest.raises(RowNotFound):
            shop.commit(begun, *mutations)
    assert shop.read(9) == []
    assert not list(shop.core.locks.holders())


def test_a_commit_checks_constraints_at_its_end() -> None:
    shop = Shop("CREATE TABLE Orders (Id INT64, Item INT64, CONSTRAINT OrderItem"
                " FOREIGN KEY (Item) REFERENCES Items (Id)) PRIMARY KEY (Id)")  # fmt: skip
    order = Write(WriteKind.INSERT, "Orders", ("Id", "Item"), [["1", "9"]])
    with pytest.raises(ReferencedKeyMissing):
        shop.commit(shop.begin(), order)
    shop.commit(shop.begin(), order, items((9, "x", 1)))


def test_dml_and_mutations_count_together() -> None:
    shop = Shop(limits=Limits(mutations_per_commit=15))
    begun = shop.begin()
    shop.dml(NEW, begun)
    with pytest.raises(TooManyMutations) as failure:
        shop.commit(begun, items((11, "x", 1), (12, "y", 1), (13, "z", 1)))
    assert failure.value.facts() == {"count": 16, "limit": 15}
    (link,) = failure.value.details()
    assert isinstance(link, HelpLink)
    # What clients compare to know this failure, and to go on with partitioned DML if told so.
    assert link.description == "Cloud Spanner limits documentation."
    assert link.url == "https://cloud.google.com/spanner/docs/limits"
    assert "The transaction contains too many mutations." in str(failure.value)


def test_an_aborted_transaction_answers_aborted_until_its_rollback(
    shop: Shop, begun: Existing
) -> None:
    shop.sql("SELECT 1", begun)
    shop.session.transactions.get(begun.id).abort("test")
    for late in (
        lambda: shop.sql("SELECT 1", begun),
        lambda: shop.dml(NEW, begun),
        lambda: shop.commit(begun),
    ):
        with pytest.raises(TransactionAborted):
            late()
    shop.session.rollback(begun.id)
    with pytest.raises(TransactionEnded):
        shop.commit(begun)


def test_a_schema_change_aborts_an_active_transaction(shop: Shop, begun: Existing) -> None:
    fresh = shop.database.sessions.create({})
    untouched = Existing(fresh.begin(ReadWriteOptions()).id)
    shop.dml(NEW, begun)
    shop.ddl("ALTER TABLE Items ADD COLUMN Size INT64")
    with pytest.raises(TransactionAborted):
        shop.commit(begun)
    assert not list(shop.core.locks.holders())
    fresh.execute(StatementRequest("SELECT Size FROM Items"), untouched)


def test_a_dropped_database_serves_nothing(shop: Shop, begun: Existing) -> None:
    transaction = shop.session.transactions.get(begun.id)
    shop.database.close()
    with pytest.raises(DatabaseNotFound):
        transaction.execute(StatementRequest("SELECT 1"))


def test_a_cancelled_commit_leaves_no_locks(shop: Shop, begun: Existing) -> None:
    other = shop.database.sessions.create({})
    holder = Existing(other.begin(ReadWriteOptions()).id)
    other.execute(StatementRequest("SELECT Price FROM Items WHERE Id = 1"), holder)
    shop.sql("SELECT 1", begun)
    call = Call()
    call.cancel()
    with call, pytest.raises(Cancelled):
        shop.commit(begun, items((1, "a", 5)))
    other.commit(holder, [items((1, "a", 1))], CommitOptions())
    assert not list(shop.core.locks.holders())
    assert shop.read(1) == [(1, 1)]


# ---------------------------------------------------------------------------- streams


def test_rows_read_ahead_outlive_the_transaction(shop: Shop, begun: Existing) -> None:
    stream = shop.session.execute(StatementRequest("SELECT Id FROM Items ORDER BY Id"), begun)
    shop.commit(begun, Delete("Items", RawKeySet(all=True)))
    assert list(stream.rows) == [(1,), (2,), (3,)]
    assert not list(shop.core.locks.holders())


def test_streamed_rows_end_with_an_abort(shop: Shop, begun: Existing, monkeypatch) -> None:
    monkeypatch.setattr("spanemu.database.transactions.read_write.ROWS_READ_AHEAD_MAX", 1)
    stream = shop.session.read(request(), begun)
    assert next(stream.rows) == (1, 10)
    shop.session.transactions.get(begun.id).abort("test")
    with pytest.raises(TransactionAborted):
        list(stream.rows)


# ---------------------------------------------------------------------------- multiplexed


def test_a_commit_is_retried_until_it_has_the_latest_token(shop: Shop) -> None:
    session = shop.database.sessions.create({}, multiplexed=True)
    begun = Existing(session.begin(ReadWriteOptions()).id)
    first = session.execute(StatementRequest("SELECT 1"), begun).transaction.precommit_token
    second = session.execute(StatementRequest("SELECT 1"), begun).transaction.precommit_token
    assert first is not None
    assert second is not None
    assert first[1] < second[1]
    with pytest.raises(PrecommitTokenMissing):
        session.commit(begun, (), CommitOptions())


def test_an_old_token_is_answered_with_a_new_one(shop: Shop) -> None:
    session = shop.database.sessions.create({}, multiplexed=True)
    begun = Existing(session.begin(ReadWriteOptions()).id)
    old = session.execute(StatementRequest("SELECT 1"), begun).transaction.precommit_token
    session.execute(StatementRequest("SELECT 1"), begun)
    assert old is not None
    write = items((9, "x", 1))
    outcome = session.commit(begun, [write], CommitOptions(precommit_token=old[0]))
    assert outcome.timestamp is None
    assert outcome.retry_token is not None
    done = session.commit(begun, [], CommitOptions(precommit_token=outcome.retry_token[0]))
    assert done.timestamp is not None
    assert shop.read(9) == [(9, 1)]


# ---------------------------------------------------------------------------- isolation


@pytest.mark.parametrize("mode", list(ReadLockMode))
def test_repeatable_read_commits_return_their_snapshot(shop: Shop, mode: ReadLockMode) -> None:
    begun = shop.begin(ReadWriteOptions(Isolation.REPEATABLE_READ, mode))
    shop.read(selector=begun)
    later = shop.put((9, "x", 1))
    assert len(shop.read(selector=begun)) == 3
    outcome = shop.commit(begun, items((8, "y", 1)))
    assert outcome.snapshot_timestamp is not None
    assert outcome.timestamp is not None
    assert outcome.snapshot_timestamp < later < outcome.timestamp


def test_serializable_commits_have_no_snapshot(shop: Shop) -> None:
    for mode in ReadLockMode:
        begun = shop.begin(ReadWriteOptions(Isolation.SERIALIZABLE, mode))
        shop.read(selector=begun)
        assert shop.commit(begun, items((8, "y", 1))).snapshot_timestamp is None


def test_requests_take_turns(shop: Shop, begun: Existing) -> None:
    add = "UPDATE Items SET Price = Price + 1 WHERE Id = 1"
    failures: list[BaseException] = []
    numbers = iter(range(1, 1_000))
    mutex = threading.Lock()

    def work() -> None:
        try:
            for _ in range(25):
                with mutex:
                    shop.dml(add, begun, next(numbers))
                shop.read(1, selector=begun)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    shop.commit(begun)
    assert shop.read(1) == [(1, 110)]


# ---------------------------------------------------------------------------- profiles


def test_dml_is_profiled(shop: Shop, begun: Existing) -> None:
    sql = "UPDATE Items SET Price = 0 WHERE Id > 1"
    stats = shop.session.execute(StatementRequest(sql, mode=QueryMode.PROFILE), begun).stats
    assert stats.row_count == 2
    assert stats.query_stats["rows_scanned"] == "2"
    assert stats.query_stats["query_text"] == sql
    scan = next(node for node in stats.plan.nodes if node.title == "Table Scan")
    assert scan.execution_stats["rows"]["total"] == "2"


# ---------------------------------------------------------------------------- the end


def test_a_waiting_commit_is_refused_when_the_database_is_dropped(shop: Shop) -> None:
    # The lock holder is aborted first, and the lock must not let the waiting commit in.
    holder = shop.begin()
    shop.read(1, selector=holder)
    writer, outcomes = shop.database.sessions.create({}), list[object]()

    def commit() -> None:
        try:
            write = items((1, "z", 99))
            outcomes.append(writer.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions()))
        except SpannerError as failure:
            outcomes.append(type(failure))

    waiting = threading.Thread(target=commit)
    waiting.start()
    while waiting.is_alive() and not any(shop.core.locks._waiting.by_blocker.values()):
        pass
    close_holder = shop.session.close

    def close_slowly(why: str) -> None:
        close_holder(why)
        waiting.join(30)

    shop.session.close = close_slowly  # type: ignore[method-assign]
    shop.database.close()
    assert outcomes == [DatabaseNotFound]
    stored = shop.core.store.scan(tree_of(shop.schema.tables["items"]))
    assert [row[2] for row in stored] == [10, 20, 30]
