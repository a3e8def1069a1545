"""Faults brought about on purpose, seen through the official client."""

from __future__ import annotations

import time
from itertools import count
from types import SimpleNamespace

import pytest
from google.api_core import exceptions
from google.cloud.spanner import KeySet
from google.cloud.spanner_v1 import _helpers

from tests.conformance.running import RUNNING, in_this_process

SCHEMA = [
    "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Qty INT64) PRIMARY KEY (Sku)",
    "CREATE TABLE Orders (Id INT64 NOT NULL, Note STRING(MAX)) PRIMARY KEY (Id)",
]
ORDERS = [(number, f"note {number}") for number in range(30)]
_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "port", "subprocess"])
def emulator(request):
    """Yield an emulator here, reached with and without sockets, then one in another process."""
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture
def home(emulator):
    """Yield a fresh database with rows; afterwards no fault is left."""
    created = emulator.create_database(f"faults-{next(_numbers)}", schema=SCHEMA)
    with created.client().batch() as batch:
        batch.insert("Stock", ["Sku", "Qty"], [("A", 10)])
        batch.insert("Orders", ["Id", "Note"], ORDERS)
    yield created
    emulator.faults.clear()
    created.drop()


@pytest.fixture
def shop(home):
    """Return the official client's database."""
    return home.client()


@pytest.fixture
def faults(emulator, home):
    return emulator.faults


class Sale:
    """Sells one of A, in a transaction; counts its attempts."""

    def __init__(self, shop):
        self._shop = shop
        self.attempts = 0

    def run(self, **options):
        def work(txn):
            self.attempts += 1
            ((found,),) = txn.execute_sql("SELECT Qty FROM Stock WHERE Sku = 'A'")
            txn.execute_update(f"UPDATE Stock SET Qty = {found - 1} WHERE Sku = 'A'")

        self._shop.run_in_transaction(work, **options)


def quantity(shop):
    with shop.snapshot() as snapshot:
        ((found,),) = snapshot.execute_sql("SELECT Qty FROM Stock WHERE Sku = 'A'")
    return found


# ------------------------------------------------------------------ aborts


def test_an_abort_at_the_second_commit(shop, faults):
    fault = faults.abort("Commit", nth=2)
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (1, 0)
    sale.run()
    assert (sale.attempts, fault.fired) == (3, 1)
    assert quantity(shop) == 8


@pytest.mark.parametrize("rpc", ["ExecuteStreamingSql", "ExecuteSql", "Commit"])
def test_an_abort_at_any_step_runs_the_transaction_again(shop, faults, rpc, monkeypatch):
    slept = []
    clients_time = SimpleNamespace(time=time.time, sleep=slept.append)
    monkeypatch.setattr(_helpers, "time", clients_time)
    fault = faults.abort(rpc, times=2)
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (3, 2)
    assert len(slept) == 2
    assert sum(slept) < 2  # Without RetryInfo the client would sleep seven seconds.
    assert quantity(shop) == 9


def test_the_transaction_is_aborted_on_the_server_too(shop, faults):
    faults.abort("ExecuteSql")
    session = shop.session()
    session.create()
    txn = session.transaction()
    txn.begin()
    list(txn.execute_sql("SELECT Qty FROM Stock"))
    for _ in range(2):
        with pytest.raises(exceptions.Aborted):
            txn.execute_update("UPDATE Stock SET Qty = 0 WHERE true")
    assert quantity(shop) == 10


def test_reads_outside_of_transactions_are_never_aborted(shop, faults):
    fault = faults.abort("ExecuteStreamingSql")
    assert quantity(shop) == 10
    assert fault.fired == 0
    assert faults.unused == (fault,)


def test_a_retry_delay_is_the_clients(shop, faults):
    faults.abort("Commit", retry_delay=0.3)
    before = time.monotonic()
    Sale(shop).run()
    assert time.monotonic() - before >= 0.3


def test_aborting_every_first_attempt(shop, faults):
    mode = faults.abort_first_attempts()
    sale = Sale(shop)
    for _ in range(3):
        sale.run()
    with shop.batch() as batch:
        batch.insert("Orders", ["Id"], [(100,)])
    assert (sale.attempts, mode.fired) == (6, 4)
    assert faults.unused == ()
    assert quantity(shop) == 7


def test_a_rate_of_aborts_comes_from_the_seed(shop, faults):
    mode = faults.abort_rate(0.5)
    sale = Sale(shop)
    for _ in range(30):
        sale.run()
    assert sale.attempts == 30 + mode.fired
    assert 5 < mode.fired < 90


# ------------------------------------------------------------------ what clients repeat


def test_clients_retry_unavailable(shop, faults):
    fault = faults.unavailable("Commit", times=2)
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (1, 2)
    assert quantity(shop) == 9


def test_a_lost_answer_does_not_apply_a_commit_twice(shop, faults):
    fault = faults.lose_response("Commit")
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (1, 1)
    assert quantity(shop) == 9


def test_a_commit_is_repeated_with_its_timestamp(shop, faults):
    faults.lose_response("Commit")
    session = regular_session(shop)
    begun = shop.spanner_api.begin_transaction(session=session, options={"read_write": {}})
    request = {
        "session": session,
        "transaction_id": begun.id,
        "mutations": [{"insert": {"table": "Orders", "columns": ["Id"], "values": [["500"]]}}],
    }
    with pytest.raises(exceptions.ServiceUnavailable):
        shop.spanner_api.commit(request=request, retry=None)
    with shop.snapshot() as snapshot:
        ((when,),) = snapshot.execute_sql("SELECT CURRENT_TIMESTAMP() FROM Orders WHERE Id = 500")
    first = shop.spanner_api.commit(request=request).commit_timestamp
    second = shop.spanner_api.commit(request=request).commit_timestamp
    assert first == second <= when


def test_a_failed_commit_has_no_answer_to_lose(shop, faults):
    fault = faults.lose_response("Commit")
    with pytest.raises(exceptions.AlreadyExists), shop.batch() as batch:
        batch.insert("Orders", ["Id"], [(1,)])
    assert fault.fired == 0
    Sale(shop).run()
    assert fault.fired == 1


@pytest.mark.parametrize("rows", [0, 1, 10, 29, 30])
def test_a_broken_stream_is_resumed(shop, faults, rows):
    fault = faults.disconnect("StreamingRead", after_rows=rows, times=2)
    with shop.snapshot() as snapshot:
        found = list(snapshot.read("Orders", ["Id", "Note"], KeySet(all_=True)))
    assert [tuple(row) for row in found] == ORDERS
    assert fault.fired == (1 if rows > 15 else 2) or rows == 30


def test_a_broken_query_is_resumed(shop, faults):
    fault = faults.unavailable("ExecuteStreamingSql", after_rows=10, table="Orders")
    assert quantity(shop) == 10
    assert fault.fired == 0
    with shop.snapshot() as snapshot:
        result = list(snapshot.execute_sql("SELECT Id, Note FROM Orders ORDER BY Id"))
    assert [tuple(row) for row in result] == ORDERS
    assert fault.fired == 1


def test_the_rows_before_a_break_arrive_with_a_token(shop, faults):
    faults.disconnect("ExecuteStreamingSql", after_rows=7)
    request = {"session": regular_session(shop), "sql": "SELECT Id FROM Orders ORDER BY Id"}
    api, replies = shop.spanner_api, []
    with pytest.raises(exceptions.ServiceUnavailable):
        replies.extend(api.execute_streaming_sql(request=request, retry=None))
    assert [value for reply in replies for value in reply.values] == [str(n) for n in range(7)]
    request["resume_token"] = replies[-1].resume_token
    rest = api.execute_streaming_sql(request=request)
    assert [value for reply in rest for value in reply.values] == [str(n) for n in range(7, 30)]


def regular_session(shop):
    """Return the name of a session that is not multiplexed."""
    return shop.spanner_api.create_session(database=shop.name).name


# ------------------------------------------------------------------ what clients see


@pytest.mark.parametrize(
    ("verb", "error"),
    [
        ("deadline", exceptions.DeadlineExceeded),
        ("internal", exceptions.InternalServerError),
    ],
)
def test_failures_that_clients_do_not_retry(shop, faults, verb, error):
    getattr(faults, verb)("Commit")
    with pytest.raises(error):
        Sale(shop).run()
    assert quantity(shop) == 10


def test_resource_exhausted_may_have_a_retry_delay(shop, faults):
    request = {"session": regular_session(shop), "sql": "SELECT 1"}
    faults.exhausted("ExecuteSql", retry_delay=1.5)
    with pytest.raises(exceptions.ResourceExhausted) as refusal:
        shop.spanner_api.execute_sql(request=request, retry=None)
    (info,) = [one for one in refusal.value.details if type(one).__name__ == "RetryInfo"]
    assert (info.retry_delay.seconds, info.retry_delay.nanos) == (1, 500_000_000)


def test_a_session_that_is_lost(shop, faults):
    faults.session_lost("ExecuteStreamingSql")
    with pytest.raises(exceptions.NotFound, match="Session not found"):
        quantity(shop)
    with pytest.raises(exceptions.NotFound):
        quantity(shop)  # with the session that the client has kept
    faults.clear()
    assert quantity(shop) == 10


def test_removing_the_fault_restores_only_its_sessions(shop, faults):
    kept, other = faults.delay("Rollback", 0.0), regular_session(shop)
    elsewhere = faults.session_lost("ExecuteSql")
    with pytest.raises(exceptions.NotFound):
        shop.spanner_api.execute_sql(request={"session": other, "sql": "SELECT 1"}, retry=None)
    with faults.session_lost("ExecuteStreamingSql") as fault:
        with pytest.raises(exceptions.NotFound, match="Session not found"):
            quantity(shop)
        assert fault.fired == 1
    assert quantity(shop) == 10
    assert list(faults) == [kept, elsewhere]
    with pytest.raises(exceptions.NotFound):
        shop.spanner_api.get_session(name=other)


def test_a_delay_ends_with_the_deadline(shop, faults):
    faults.delay("ExecuteStreamingSql", 600.0)
    before = time.monotonic()
    with pytest.raises(exceptions.DeadlineExceeded), shop.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT 1", timeout=0.2, retry=None))
    assert time.monotonic() - before < 300


def test_a_delay_only_delays(shop, faults):
    fault = faults.delay("Commit", (0.05, 0.06))
    before = time.monotonic()
    Sale(shop).run()
    assert time.monotonic() - before >= 0.05
    assert fault.fired == 1


# ------------------------------------------------------------------ conflicts


@pytest.mark.parametrize("isolation", ["SERIALIZABLE", "REPEATABLE_READ"])
def test_a_conflicting_write_right_before_the_commit(shop, faults, isolation):
    fault = faults.conflict("UPDATE Stock SET Qty = 100 WHERE Sku = 'A'", before="Commit")
    sale = Sale(shop)
    sale.run(isolation_level=isolation)
    assert (sale.attempts, fault.fired) == (2, 1)
    assert quantity(shop) == 99


def test_a_write_without_a_conflict_aborts_no_transaction(shop, faults):
    fault = faults.conflict("INSERT INTO Orders (Id) VALUES (1000)", before="Commit")
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (1, 1)


# ------------------------------------------------------------------ choosing


def test_by_tags_and_text(shop, faults):
    by_tag = faults.unavailable("Commit", transaction_tag="checkout")
    by_text = faults.unavailable("ExecuteSql", sql=r"UPDATE\s+Stock")
    elsewhere = faults.unavailable("Commit", database="another")
    Sale(shop).run()
    assert (by_tag.fired, by_text.fired, elsewhere.fired) == (0, 1, 0)
    Sale(shop).run(transaction_tag="checkout")
    assert by_tag.fired == 1


def test_by_database(home, shop, faults):
    fault = faults.unavailable("Commit", database=home)
    Sale(shop).run()
    assert fault.fired == 1


def test_every_second_commit(shop, faults):
    fault = faults.unavailable("Commit", every=2)
    for _ in range(3):
        Sale(shop).run()
    # Every struck commit comes again: commits 1, 3 and 5 are struck, 2, 4 and 6 are not.
    assert fault.fired == 3


def test_by_the_tables_of_a_commit(shop, faults):
    fault = faults.unavailable("Commit", table="orders")
    Sale(shop).run()
    assert fault.fired == 0
    with shop.batch() as batch:
        batch.insert("Orders", ["Id"], [(100,)])
    assert fault.fired == 1


def test_administration_can_fail_too(home, shop, faults):
    faults.internal("UpdateDatabaseDdl")
    with pytest.raises(exceptions.InternalServerError):
        shop.update_ddl(["DROP TABLE Orders"])
    assert len(home.ddl()) == 2


def test_a_fault_can_be_removed(shop, faults):
    with faults.unavailable("Commit", times=99) as fault:
        assert list(faults) == [fault]
    assert len(faults) == 0
    sale = Sale(shop)
    sale.run()
    assert (sale.attempts, fault.fired) == (1, 0)


def test_requests_without_faults_succeed(emulator, faults):
    in_this_process(emulator)
    ours = [each for each in emulator.endpoints if each.path.startswith("/google.")]
    before = {endpoint: endpoint._handler for endpoint in ours}
    with faults.unavailable("Commit"):
        assert all(endpoint._handler is not before[endpoint] for endpoint in before)
    assert all(endpoint._handler is before[endpoint] for endpoint in before)


def test_faults_do_not_affect_the_requests_that_remove_them(shop, faults):
    fault = faults.unavailable(times=99)
    assert fault.fired == 0
    fault.remove()
    assert quantity(shop) == 10


def test_whether_a_fault_must_strike_can_be_said_later(faults):
    fault = faults.unavailable("Commit")
    assert faults.unused == (fault,)
    fault.is_expected = False
    assert faults.unused == ()
    assert not fault.is_expected


def test_mistakes_are_refused(faults):
    with pytest.raises(ValueError, match="no RPC 'Comit'"):
        faults.abort("Comit")
    with pytest.raises(ValueError, match="streams no rows"):
        faults.unavailable("Commit", after_rows=1)
    with pytest.raises(ValueError, match="counted from 1"):
        faults.abort("Commit", nth=0)
    with pytest.raises(ValueError, match="'tabel'"):
        faults.abort("Commit", tabel="Orders")
    with pytest.raises(ValueError, match="not a regular expression"):
        faults.abort("ExecuteSql", sql="(")
    assert len(faults) == 0
