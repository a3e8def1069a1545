"""Messages of queues as rows: sent, read, acknowledged, never updated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from google.cloud.spanner_v1 import KeySet

import spanemu
from tests.conformance.backends import AE, FP, IA, NF, refused
from tests.conformance.queues import SCHEMAS, Tasks

numbers = count(1)
SOON = timedelta(seconds=5)


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture(params=list(SCHEMAS))
def tasks(emulator, request):
    schema = SCHEMAS[request.param]
    name = f"queues-{next(numbers)}"
    return Tasks(emulator.create_database(name, schema, dialect=request.param), request.param)


def test_send_inserts_a_message_that_is_due_at_once(tasks):
    committed = tasks.send("a", payload="first")
    ((user, id_, payload, at),) = tasks.messages("UserId", "Id", "Payload", tasks.deliver_time)
    assert (user, id_, payload) == (1, "a", "first")
    assert committed - SOON < at <= committed


def test_a_future_delivery_time_is_kept_and_a_past_one_becomes_the_present(tasks):
    later, before = (datetime.now(UTC) + timedelta(hours=hours) for hours in (1, -1))
    tasks.send("later", at=later)
    committed = tasks.send("past", at=before)
    times = dict(tasks.messages("Id", tasks.deliver_time))
    assert times["later"] == later
    assert committed - SOON < times["past"] <= committed


def test_send_of_a_used_key_already_exists(tasks):
    tasks.send("a")
    with refused(AE):
        tasks.send("b", "a")
    assert tasks.messages() == [["a"]]


def test_send_needs_a_whole_key_and_a_payload(tasks):
    with refused(FP), tasks.database.batch() as batch:
        batch.send("Tasks", [1], payload="x")
    with refused(FP), tasks.database.batch() as batch:
        batch.send("Tasks", [1, "a"])
    with refused(FP), tasks.database.batch() as batch:
        batch.send("Tasks", [1, "a"], payload=True)
    assert tasks.messages() == []


def test_ack_deletes_an_existing_message(tasks):
    tasks.send("a")
    tasks.ack("a")
    assert tasks.messages() == []
    with refused(NF, match="Message not found"):
        tasks.ack("a")
    tasks.ack("a", ignore_not_found=True)


def test_sends_and_acks_name_queues_only(tasks):
    for name in ("Users", "Nowhere"):
        with refused(NF, match=name), tasks.database.batch() as batch:
            batch.send(name, [1], payload="x")
        with refused(NF, match=name), tasks.database.batch() as batch:
            batch.ack(name, [1])


def test_a_commit_of_sends_acks_and_writes_applies_whole_or_not_at_all(tasks):
    tasks.send("a")
    with tasks.database.batch() as batch:
        batch.ack("Tasks", [1, "a"])
        batch.send("Tasks", [1, "a"], payload="again")
        batch.insert("Users", ["UserId"], [[2]])
        batch.send("Tasks", [2, "b"], payload="for the new user")
    assert tasks.messages("UserId", "Payload") == [[1, "again"], [2, "for the new user"]]
    with refused(NF), tasks.database.batch() as batch:
        batch.send("Tasks", [2, "c"], payload="lost")
        batch.ack("Tasks", [2, "missing"])
    assert len(tasks.messages()) == 2


def test_mutations_of_tables_insert_and_delete_messages_and_never_update_them(tasks):
    columns, row = ["UserId", "Id", "Payload"], [[1, "a", "by insert"]]
    with tasks.database.batch() as batch:
        batch.insert("Tasks", columns, row)
    for kind in ("update", "insert_or_update", "replace"):
        with refused(IA), tasks.database.batch() as batch:
            getattr(batch, kind)("Tasks", columns, row)
    with tasks.database.batch() as batch:
        batch.delete("Tasks", KeySet(keys=[[1, "a"]]))
    assert tasks.messages() == []


def test_batch_write_sends_and_acknowledges(tasks):
    with tasks.database.mutation_groups() as groups:
        groups.group().send("Tasks", [1, "a"], payload="x")
        groups.group().ack("Tasks", [1, "nowhere"])
        codes = {tuple(each.indexes): each.status.code for each in groups.batch_write()}
    assert codes == {(0,): 0, (1,): 5}
    assert tasks.messages() == [["a"]]


def test_insert_sends_and_delete_acknowledges(tasks):
    columns = f"UserId, Id, Payload, {tasks.deliver_time}"
    future = "CURRENT_TIMESTAMP + INTERVAL '1 HOUR'"
    if not tasks.is_postgresql:
        future = "TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)"
    tasks.run(f"INSERT INTO Tasks ({columns}) VALUES (1, 'later', 'x', {future})")
    tasks.run("INSERT INTO Tasks (UserId, Id, Payload) VALUES (1, 'now', 'y')")
    times = dict(tasks.messages("Id", tasks.deliver_time))
    assert timedelta(minutes=59) < times["later"] - times["now"] < timedelta(minutes=61)
    assert tasks.run("DELETE FROM Tasks WHERE Id = 'now'") == 1
    assert tasks.messages() == [["later"]]


def test_update_statements_are_refused_even_without_rows(tasks):
    for sql in (
        "UPDATE Tasks SET Payload = 'z' WHERE UserId = 1",
        f"UPDATE Tasks SET {tasks.deliver_time} = CURRENT_TIMESTAMP WHERE UserId = 1",
        "INSERT INTO Tasks (UserId, Id, Payload) VALUES (1, 'a', 'z') ON CONFLICT (UserId, Id) DO "
        "UPDATE SET UserId = excluded.UserId, Id = excluded.Id, Payload = excluded.Payload",
    ):
        with refused(IA):
            tasks.run(sql)
    with refused(IA):
        tasks.database.execute_partitioned_dml("UPDATE Tasks SET Payload = 'z' WHERE true")


def test_a_rolled_back_send_leaves_no_message(tasks):
    class Stop(Exception):
        pass

    def send_and_fail(transaction):
        transaction.execute_update("INSERT INTO Tasks (UserId, Id, Payload) VALUES (1, 'a', 'x')")
        raise Stop

    with pytest.raises(Stop):
        tasks.database.run_in_transaction(send_and_fail)
    assert tasks.messages() == []


def test_deleting_the_parent_deletes_its_messages(tasks):
    tasks.send("a", "b")
    with tasks.database.batch() as batch:
        batch.delete("Users", KeySet(keys=[[1]]))
    assert tasks.messages() == []


def test_a_queue_without_sending_refuses_every_send(tasks):
    name = "tasks" if tasks.is_postgresql else "Tasks"
    clause = "(disable_send = true)" if tasks.is_postgresql else "OPTIONS (disable_send = true)"
    tasks.send("a")
    tasks.handle.apply_schema(f"ALTER QUEUE {name} SET {clause}")
    with refused(FP, match="disable_send"):
        tasks.send("b")
    with refused(FP, match="disable_send"):
        tasks.run("INSERT INTO Tasks (UserId, Id, Payload) VALUES (1, 'c', 'x')")
    tasks.ack("a")


def test_roles_need_the_privileges_of_queues(tasks):
    name, role = ("tasks", "") if tasks.is_postgresql else ("Tasks", "ROLE ")
    tasks.handle.apply_schema(
        [
            "CREATE ROLE producer",
            "CREATE ROLE consumer",
            f"GRANT INSERT ON QUEUE {name} TO {role}producer",
            f"GRANT DELETE, SELECT ON QUEUE {name} TO {role}consumer",
        ]
    )
    producer, consumer = (
        Tasks.__new__(Tasks) for _ in range(2)
    )  # without the row that the first object adds
    for item, its_role in ((producer, "producer"), (consumer, "consumer")):
        item.handle, item.dialect = tasks.handle, tasks.dialect
        item.database = tasks.handle.client(database_role=its_role)
    denied = "privilege"
    producer.send("a")
    with pytest.raises(Exception, match=denied):
        producer.ack("a")
    with pytest.raises(Exception, match=denied):
        producer.messages()
    assert consumer.messages() == [["a"]]
    with pytest.raises(Exception, match=denied):
        consumer.send("b")
    consumer.ack("a")
