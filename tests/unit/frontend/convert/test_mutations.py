from __future__ import annotations

import pytest
from google.protobuf.struct_pb2 import ListValue

from spanemu.frontend import wire
from spanemu.frontend.convert.requests import key_set_from_proto, mutation_from_proto
from spanemu.frontend.errors import MutationWithoutTable, RangeWithoutEndpoint, RequiredFieldMissing
from spanemu.values.mutation import Ack, Delete, RawKeySet, RawRange, Send, Write, WriteKind


def row(*cells: object) -> ListValue:
    values = ListValue()
    values.extend(cells)
    return values


@pytest.mark.parametrize("kind", WriteKind)
def test_writes(kind: WriteKind) -> None:
    message = wire.Mutation()
    write = getattr(message, kind.value)
    write.table = "Shelf"
    write.columns.extend(["Id", "Name"])
    write.values.extend([row("1", None), row("2", "b")])
    assert mutation_from_proto(message) == Write(
        kind, "Shelf", ("Id", "Name"), [["1", None], ["2", "b"]]
    )


def test_delete() -> None:
    message = wire.Mutation()
    message.delete.table = "Shelf"
    message.delete.key_set.keys.append(row("1"))
    assert mutation_from_proto(message) == Delete("Shelf", RawKeySet(keys=[["1"]], ranges=[]))


def test_key_set() -> None:
    message = wire.KeySet(all_=True)
    message.keys.append(row("1", None))
    message.ranges.add(start_closed=row("1"), end_open=row())
    message.ranges.add(start_open=row(), end_closed=row("9"))
    assert key_set_from_proto(message) == RawKeySet(
        all=True,
        keys=[["1", None]],
        ranges=[RawRange(["1"], True, [], False), RawRange([], False, ["9"], True)],
    )


@pytest.mark.parametrize(("given", "missing"), [("start_open", "end"), ("end_closed", "start")])
def test_range_without_endpoint(given: str, missing: str) -> None:
    message = wire.KeySet()
    message.ranges.add(**{given: row()})
    with pytest.raises(RangeWithoutEndpoint) as caught:
        key_set_from_proto(message)
    assert caught.value.side == missing


def test_no_operation() -> None:
    with pytest.raises(RequiredFieldMissing):
        mutation_from_proto(wire.Mutation())


def test_no_table() -> None:
    with pytest.raises(MutationWithoutTable):
        mutation_from_proto(wire.Mutation(insert={}))
    with pytest.raises(MutationWithoutTable):
        mutation_from_proto(wire.Mutation(delete={}))


def test_delete_without_key_set() -> None:
    with pytest.raises(RequiredFieldMissing):
        mutation_from_proto(wire.Mutation(delete={"table": "Shelf"}))


def test_send() -> None:
    message = wire.Mutation(send={"queue": "Tasks"})
    message.send.key.extend(["1"])
    message.send.deliver_time.seconds = 1
    message.send.payload.string_value = "do it"
    assert mutation_from_proto(message) == Send("Tasks", ["1"], "do it", "1970-01-01T00:00:01Z")


def test_ack() -> None:
    message = wire.Mutation(ack={"queue": "Tasks", "ignore_not_found": True})
    message.ack.key.extend(["1"])
    assert mutation_from_proto(message) == Ack("Tasks", ["1"], ignore_not_found=True)


@pytest.mark.parametrize("kind", ["send", "ack"])
def test_a_message_needs_a_queue_and_a_key(kind: str) -> None:
    message = wire.Mutation()
    getattr(message, kind).SetInParent()
    for missing in ("queue", "key"):
        with pytest.raises(RequiredFieldMissing) as caught:
            mutation_from_proto(message)
        assert caught.value.field == f"Mutation.{kind}.{missing}"
        getattr(message, kind).queue = "Tasks"
