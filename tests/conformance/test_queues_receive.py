"""Messages received from queues: when they are due, under leases, until acknowledged."""

from __future__ import annotations

from datetime import timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import ExecuteSqlRequest

import spanemu
from tests.conformance.backends import FP, IA, NF, refused
from tests.conformance.queues import SCHEMAS, Receiver, Tasks

LEASE = timedelta(seconds=10)
ID, PAYLOAD, TOKEN, LAST = 1, 2, -2, -1  # columns of a received row


@pytest.fixture
def emulator():
    """Yield an emulator of its own, since time never goes back."""
    with spanemu.Emulator() as running:
        running.clock.freeze()
        yield running


@pytest.fixture
def clock(emulator):
    return emulator.clock


@pytest.fixture(params=list(SCHEMAS))
def tasks(emulator, request):
    handle = emulator.create_database("work", SCHEMAS[request.param], dialect=request.param)
    return Tasks(handle, request.param)


def test_a_message_is_received_with_its_lease(tasks, clock):
    tasks.send("a", payload="first")
    receiver = Receiver(tasks)
    user, id_, payload, deliver_time, expires, token, is_last = receiver.next()
    assert (user, id_, payload, is_last) == (1, "a", "first", True)
    assert deliver_time <= clock.now
    assert abs(clock.now + LEASE - expires) < timedelta(seconds=1)
    assert token
    assert [column.lower().replace("_", "") for column in receiver.columns] == [
        "userid", "id", "payload", "delivertime", "spannerleaseexpirationtimestamp",
        "spannerleasetoken", "spannerlastbatchmessage",
    ]  # fmt: skip


def test_a_waiting_receiver_gets_a_new_message(tasks):
    receiver = Receiver(tasks)
    assert receiver.nothing()
    tasks.send("a")
    assert receiver.next()[ID] == "a"
    tasks.run("INSERT INTO Tasks (UserId, Id, Payload) VALUES (1, 'b', 'by DML')")
    assert receiver.next()[PAYLOAD] == "by DML"


def test_a_message_is_received_when_it_is_due_by_the_clock(tasks, clock):
    tasks.send("late", at=clock.now + timedelta(hours=2))
    tasks.send("soon", at=clock.now + timedelta(hours=1))
    receiver = Receiver(tasks)
    assert receiver.nothing()
    clock.advance(minutes=59)
    assert receiver.nothing()
    clock.advance(minutes=2)
    assert receiver.next()[ID] == "soon"
    tasks.ack("soon")
    clock.advance(hours=1)
    assert receiver.next()[ID] == "late"


def test_a_leased_message_is_given_to_no_other_receiver(tasks):
    tasks.send("a", "b", "c")
    receivers = [Receiver(tasks) for _ in range(3)]
    tasks.send("d")
    for receiver in receivers:
        receiver.nothing()
    received = []
    for receiver in receivers:
        while not receiver.nothing():
            received.append(receiver.next()[ID])
    assert sorted(received) == ["a", "b", "c", "d"]


def test_a_message_is_received_again_until_it_is_acknowledged(tasks, clock):
    tasks.send("a")
    receiver = Receiver(tasks)
    tokens = {receiver.next()[TOKEN]}
    for seconds in (10, 20, 40):
        clock.advance(seconds=seconds - 1)
        assert receiver.nothing()
        clock.advance(seconds=2)
        tokens.add(receiver.next()[TOKEN])
    assert len(tokens) == 4
    tasks.ack("a")
    clock.advance(hours=3)
    assert receiver.nothing()


def test_a_message_is_redelivered_hourly_after_the_first_hour(tasks, clock):
    tasks.send("a")
    receiver = Receiver(tasks)
    receiver.next()
    clock.advance(hours=2)
    receiver.next()
    clock.advance(minutes=59)
    assert receiver.nothing()
    clock.advance(minutes=2)
    receiver.next()


@pytest.mark.parametrize("delete", ["row", "parent", "ttl"])
def test_any_delete_acknowledges_a_message(tasks, clock, delete):
    tasks.send("a")
    receiver = Receiver(tasks)
    token = receiver.next()[TOKEN]
    if delete == "row":
        tasks.run("DELETE FROM Tasks WHERE Id = 'a'")
    elif delete == "parent":
        tasks.run("DELETE FROM Users WHERE UserId = 1")
    else:
        clock.advance(days=8)
        clock.run_ttl()
    assert tasks.messages() == []
    if delete != "ttl":
        ((old, new, _),) = tasks.renew(token)
        assert (old, new) == (token, None)
        clock.advance(days=1)
        assert receiver.nothing()


def test_a_delete_that_is_rolled_back_acknowledges_nothing(tasks, clock):
    tasks.send("a")
    receiver = Receiver(tasks)
    receiver.next()

    def abandoned(transaction):
        transaction.execute_update("DELETE FROM Tasks WHERE Id = 'a'")
        raise KeyError

    with pytest.raises(KeyError):
        tasks.database.run_in_transaction(abandoned)
    clock.advance(2 * LEASE)
    assert receiver.next()[ID] == "a"


def test_leases_are_renewed_under_new_tokens(tasks, clock):
    tasks.send("a", "b")
    receiver = Receiver(tasks, "2")
    first, second = receiver.next()[TOKEN], receiver.next()[TOKEN]
    clock.advance(seconds=9)
    ((old, new, expires),) = tasks.renew(first, "unknown")
    assert old == first
    assert new not in {None, first}
    assert abs(clock.now + LEASE - expires) < timedelta(seconds=1)
    clock.advance(seconds=2)
    assert receiver.next()[ID] == "b"
    assert tasks.renew(second) == []
    clock.advance(seconds=7)
    assert receiver.nothing()
    clock.advance(seconds=2)
    assert receiver.next()[ID] == "a"


def test_a_batch_has_at_most_the_given_size_and_marks_its_last_message(tasks):
    tasks.send("a", "b", "c", "d", "e")
    receiver = Receiver(tasks, "3")
    rows = [receiver.next() for _ in range(5)]
    assert [row[LAST] for row in rows] == [False, False, True, False, True]


def test_a_call_ends_after_its_duration_by_the_clock(tasks, clock):
    receiver = Receiver(tasks, "10, NULL, '1m30s'")
    tasks.send("a")
    assert receiver.next()[ID] == "a"
    clock.advance(seconds=89)
    assert receiver.next()[ID] == "a"
    clock.advance(seconds=2)
    assert receiver.next() is None


def test_columns_and_filters(tasks):
    tasks.send("a", payload="x")
    tasks.send("b", payload="wanted")
    chosen = Receiver(
        tasks, columns="UPPER(Payload) AS Shout, Id", where="WHERE Payload = 'wanted'"
    )
    assert chosen.next() == ["WANTED", "b"]
    assert [name.lower() for name in chosen.columns] == ["shout", "id"]
    assert chosen.nothing()
    assert Receiver(tasks).next()[ID] == "a", "a message that is filtered out is not leased"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a.Id FROM {f}() AS a JOIN Users AS u ON a.UserId = u.UserId",
        "SELECT Id FROM {f}() ORDER BY Id",
        "SELECT Id FROM {f}() LIMIT 1",
        "SELECT COUNT(*) FROM {f}()",
        "SELECT Id FROM {f}() UNION ALL SELECT Id FROM {f}()",
        "SELECT 1 FROM Users WHERE EXISTS (SELECT Id FROM {f}())",
    ],
)
def test_only_a_plain_query_calls_the_function(tasks, query):
    with refused((IA, FP)):
        tasks.rows(query.format(f=tasks.receive))


@pytest.mark.parametrize(
    "arguments", ["0", "-1", "1, NULL, 'soon'", "1, NULL, '0s'", "1, NULL, ''"]
)
def test_bad_arguments(tasks, arguments):
    with refused(IA):
        tasks.rows(f"SELECT * FROM {tasks.receive}({arguments})")


@pytest.mark.parametrize("options", [{"multi_use": True}, {"exact_staleness": LEASE}])
def test_only_a_strong_single_use_query_receives(tasks, options):
    tasks.send("a")
    with refused((IA, FP)), tasks.database.snapshot(**options) as snapshot:
        list(snapshot.execute_sql(f"SELECT * FROM {tasks.receive}()"))


def test_a_transaction_that_writes_cannot_receive(tasks):
    with refused((IA, FP)):
        tasks.database.run_in_transaction(
            lambda transaction: list(transaction.execute_sql(f"SELECT * FROM {tasks.receive}()"))
        )


def test_an_unknown_queue_is_refused(tasks):
    with refused((IA, NF), match=r"(?i)function"):
        tasks.rows(f"SELECT * FROM {tasks.receive.replace('asks', 'oasts')}()")


def test_delivery_stops_while_it_is_disabled(tasks):
    def alter(value):
        options = f"(disable_delivery = {value})"
        verb = "SET" if tasks.is_postgresql else "SET OPTIONS"
        tasks.database.update_ddl([f"ALTER QUEUE Tasks {verb} {options}"]).result()

    alter("true")
    receiver = Receiver(tasks)
    tasks.send("a")
    assert receiver.nothing()
    alter("false")
    assert receiver.next()[ID] == "a"


def test_dropping_a_queue_ends_the_call(tasks):
    receiver = Receiver(tasks)
    assert receiver.nothing()
    tasks.database.update_ddl(["DROP QUEUE Tasks"]).result()
    with refused(NF, match="Tasks|tasks"):
        receiver.next()


def test_a_restore_forgets_leases(tasks):
    tasks.send("a")
    saved = tasks.handle.snapshot()
    receiver = Receiver(tasks)
    receiver.next()
    tasks.handle.restore(saved)
    assert Receiver(tasks).next()[ID] == "a"


def test_receivers_need_execute_on_the_function(tasks):
    grants = (
        "GRANT EXECUTE ON FUNCTION spanner.receive_tasks TO worker"
        if tasks.is_postgresql
        else "GRANT EXECUTE ON TABLE FUNCTION RECEIVE_Tasks TO ROLE worker"
    )
    reading = "GRANT SELECT ON QUEUE Tasks TO ROLE reader"
    if tasks.is_postgresql:
        reading = reading.replace(" ROLE", "")
    statements = ["CREATE ROLE worker", "CREATE ROLE reader", grants, reading]
    tasks.database.update_ddl(statements).result()
    tasks.send("a")
    receiving = f"SELECT Id FROM {tasks.receive}()"
    reader = tasks.handle.client(database_role="reader")
    with refused(exceptions.PermissionDenied), reader.snapshot() as snapshot:
        list(snapshot.execute_sql(receiving))
    worker = tasks.handle.client(database_role="worker")
    with worker.snapshot() as snapshot:
        assert next(iter(snapshot.execute_sql(receiving))) == ["a"]
    with refused(exceptions.PermissionDenied), worker.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT Id FROM Tasks"))


def test_execute_sql_cannot_receive(tasks):
    api = tasks.database.spanner_api
    session = api.create_session(database=tasks.database.name).name
    with refused((IA, FP)):
        api.execute_sql(ExecuteSqlRequest(session=session, sql=f"SELECT * FROM {tasks.receive}()"))


@pytest.mark.parametrize("mode", ["PROFILE", "WITH_STATS", "WITH_PLAN_AND_STATS"])
def test_statistics_of_a_call_are_returned_at_its_end(tasks, clock, mode):
    tasks.send("a", "b")
    with tasks.database.snapshot() as snapshot:
        results = snapshot.execute_sql(
            f"SELECT Id FROM {tasks.receive}(1, NULL, '20ms') WHERE Id <> 'c'",
            query_mode=ExecuteSqlRequest.QueryMode[mode],
        )
        rows = iter(results)
        assert sorted([next(rows), next(rows)]) == [["a"], ["b"]]
        clock.advance(seconds=1)
        assert list(rows) == []
        assert results.stats.query_stats["rows_returned"] == "2"
        assert bool(results.stats.query_plan.plan_nodes) == (mode != "WITH_STATS")


def test_the_statistics_of_a_renewal(emulator):
    database = emulator.create_database("work", SCHEMAS["googlesql"]).client()
    with database.snapshot() as snapshot:
        sql = "SELECT * FROM RENEWLEASE_Tasks(['unknown'])"
        results = snapshot.execute_sql(sql, query_mode=ExecuteSqlRequest.QueryMode.PROFILE)
        assert list(results) == []
        assert results.stats.query_stats["rows_returned"] == "0"


def test_hidden_key_columns_are_received_by_name_only(emulator):
    shard = "Shard INT64 NOT NULL AS (MOD(Id, 4)) STORED HIDDEN"
    handle = emulator.create_database(
        "sharded",
        f"CREATE QUEUE Tasks ({shard}, Id INT64 NOT NULL, Payload STRING(MAX) NOT NULL)"
        " PRIMARY KEY (Shard, Id)",
    )
    database = handle.client()
    with database.batch() as batch:
        batch.insert("Tasks", ["Id", "Payload"], [[7, "x"]])
    names = []
    for columns in ("*", "Shard, *"):
        with database.snapshot() as snapshot:
            results = snapshot.execute_sql(f"SELECT {columns} FROM RECEIVE_Tasks()")
            row = next(iter(results))
            names.append([field.name for field in results.fields])
            emulator.clock.advance(seconds=11)
    assert names[0][:3] == ["Id", "Payload", "DeliverTime"]
    assert names[1] == ["Shard", *names[0]]
    assert row[:2] == [3, 7]


def test_too_many_receivers():
    with spanemu.Emulator(limits=spanemu.Limits(queue_receivers=2)) as emulator:
        tasks = Tasks(emulator.create_database("work", SCHEMAS["googlesql"]), "googlesql")
        receivers = [Receiver(tasks) for _ in range(2)]
        assert all(receiver.nothing() for receiver in receivers)
        with refused(exceptions.ResourceExhausted, match="limit 2"):
            tasks.rows("SELECT * FROM RECEIVE_Tasks(max_duration => '1s')")


def test_every_message_reaches_one_of_many_receivers_of_a_server():
    with spanemu.Emulator(embedded_channel=False) as emulator:
        tasks = Tasks(emulator.create_database("work", SCHEMAS["googlesql"]), "googlesql")
        ids = [f"m{number:02}" for number in range(40)]
        receivers = [Receiver(tasks, "2, NULL, '1s'") for _ in range(20)]
        for start in range(0, 40, 4):
            tasks.send(*ids[start : start + 4])
        received = [row[ID] for receiver in receivers for row in iter(receiver.next, None)]
    assert sorted(received) == ids
