"""A session finds or makes the transaction that each request names."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.database.errors import (
    DmlSingleUse,
    NotReadWrite,
    PartitionNeedsReadOnlyTransaction,
    TransactionNotFound,
)
from spanemu.database.options import (
    Begin,
    Existing,
    PartitionedDml,
    ReadOnly,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.txn.errors import ColumnNotFound, RowAlreadyExists, TableNotFound
from spanemu.values.mutation import Write, WriteKind
from tests.unit.database.shop import STRONG, Shop, items, request


@pytest.fixture
def shop() -> Shop:
    return Shop()


def insert(*ids: int) -> Write:
    return Write(WriteKind.INSERT, "Items", ("Id",), [[str(id_)] for id_ in ids])


def test_without_a_selector_a_read_is_strong(shop: Shop) -> None:
    assert shop.sql("SELECT COUNT(*) FROM Items") == [(3,)]
    assert shop.read(2) == [(2, 20)]


def test_an_inline_begin_returns_its_id_with_the_result(shop: Shop) -> None:
    stream = shop.session.execute(StatementRequest("SELECT 1"), Begin(ReadWriteOptions()))
    begun = stream.transaction.id
    assert begun
    again = shop.session.execute(StatementRequest("SELECT 2"), Existing(begun))
    assert again.transaction.id == b""
    read = shop.session.read(request(), Begin(ReadOnly(return_read_timestamp=True)))
    assert read.transaction.id not in (b"", begun)
    assert read.transaction.read_timestamp


def test_a_failed_inline_begin_begins_no_transaction(shop: Shop) -> None:
    for _ in range(2):
        with pytest.raises(TableNotFound):
            shop.session.read(
                request().__class__("Nothing", ("Id",), request().key_set),
                Begin(ReadWriteOptions()),
            )
    assert not shop.session.transactions._by_id
    with pytest.raises(ZeroDivisionError):
        shop.session._run(Begin(ReadWriteOptions()), request(), lambda _: 1 // 0)
    assert not shop.session.transactions._by_id


def test_a_batch_that_fails_at_its_first_statement_begins_no_transaction(shop: Shop) -> None:
    bad = StatementRequest("INSERT INTO Items (Id) VALUES (1)")
    good = StatementRequest("INSERT INTO Items (Id) VALUES (7)")
    outcome = shop.session.execute_batch([bad], Begin(ReadWriteOptions()), 1)
    assert isinstance(outcome.failure, RowAlreadyExists)
    assert not shop.session.transactions._by_id
    outcome = shop.session.execute_batch([good, bad], Begin(ReadWriteOptions()), 1)
    assert isinstance(outcome.failure, RowAlreadyExists)
    assert outcome.results[0].transaction.id in shop.session.transactions._by_id


def test_unknown_ids(shop: Shop) -> None:
    with pytest.raises(TransactionNotFound):
        shop.sql("SELECT 1", Existing(b"99"))
    with pytest.raises(TransactionNotFound):
        shop.sql("SELECT 1", Existing(b"\xff\xfe"))
    shop.session.rollback(b"99")


@pytest.mark.parametrize("options", [ReadWriteOptions(), PartitionedDml()])
def test_only_reading_is_single_use(shop: Shop, options) -> None:
    with pytest.raises(DmlSingleUse):
        shop.sql("SELECT 1", SingleUse(options))


@pytest.mark.parametrize("options", [ReadOnly(), PartitionedDml()])
def test_only_read_write_transactions_commit(shop: Shop, options) -> None:
    with pytest.raises(NotReadWrite):
        shop.commit(SingleUse(options))
    with pytest.raises(NotReadWrite):
        shop.commit(shop.begin(options))


def test_a_begin_may_name_a_mutation_key_only(shop: Shop) -> None:
    result = shop.session.begin(ReadWriteOptions(), items((1, "x", 1)))
    assert result.id
    assert result.precommit_token is None
    shared = shop.database.sessions.create({}, multiplexed=True)
    token = shared.begin(ReadWriteOptions(), items((1, "x", 1))).precommit_token
    assert token is not None
    assert token[1] == 1
    with pytest.raises(ColumnNotFound):
        shop.session.begin(ReadWriteOptions(), Write(WriteKind.INSERT, "Items", ("Nope",), [["1"]]))


def test_a_batch_write_commits_each_group_by_itself(shop: Shop) -> None:
    written = list(shop.session.batch_write([[insert(7)], [insert(7)], [], [insert(8, 9)]]))
    assert [(place, None if bad is None else bad.code) for place, bad, _ in written] == [
        (0, None), (1, Code.ALREADY_EXISTS), (2, None), (3, None),
    ]  # fmt: skip
    times = [at for _, _, at in written if at is not None]
    assert times == sorted(set(times))
    assert len(shop.read()) == 6


@pytest.mark.parametrize("selector", [STRONG, Begin(ReadWriteOptions()), Begin(PartitionedDml())])
def test_partitions_need_a_transaction_that_lasts(shop: Shop, selector) -> None:
    with pytest.raises(PartitionNeedsReadOnlyTransaction):
        shop.session.partition_read(request(), selector, 0)
    with pytest.raises(PartitionNeedsReadOnlyTransaction):
        shop.session.partition_query(StatementRequest("SELECT 1"), selector, 0)


@pytest.mark.parametrize("selector", [None, STRONG, Begin(ReadOnly())])
def test_partitions_are_read_at_their_boundaries(shop: Shop, selector) -> None:
    with pytest.raises(PartitionNeedsReadOnlyTransaction):
        shop.session.read(request(), selector, b"token")
    with pytest.raises(PartitionNeedsReadOnlyTransaction):
        shop.session.execute(StatementRequest("SELECT 1"), shop.begin(), b"token")


def test_fields_for_filters(shop: Shop) -> None:
    made = shop.database.sessions.create({"a": "b"})
    assert made.fields() == {"name": made.name, "labels.a": "b"}
