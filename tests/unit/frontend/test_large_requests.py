"""Large requests are parsed part by part, and are what they would be if parsed in one go."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import DecodeError

import spanemu.frontend.large_requests as large
from spanemu.frontend import wire
from spanemu.frontend.convert.requests import mutations_from_proto
from spanemu.frontend.errors import RequestHeadTooLarge, TooManyFields, UnreadableRequest
from spanemu.values.mutation import Delete, Write

PATH = "/google.spanner.v1.Spanner/Commit"


@pytest.fixture(autouse=True, params=[40, 200])
def _small_parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "PART_BYTES", request.param)


def _within(number: int, content: bytes) -> bytes:
    assert len(content) < 1 << 14
    length = bytes((len(content) & 0x7F | 0x80, len(content) >> 7))
    return bytes((number << 3 | 2,)) + length + content


def _query() -> Any:
    message = wire.ExecuteSqlRequest(session="s", sql="SELECT @a, @b", seqno=7)
    for name in ("a", "b"):
        values = message.params.fields[name].list_value.values
        for number in range(30):
            values.add().number_value = number
            values.add().string_value = "x" * number
            values.add().list_value.values.add().bool_value = True
        message.param_types[name].code = 6
    message.params.fields["c"].struct_value.fields["d"].string_value = "y" * 100
    message.transaction.begin.read_write.SetInParent()
    return message


def test_a_message_in_parts_is_the_message() -> None:
    message = _query()
    assert large.parsed(PATH, type(message), message.SerializeToString()) == message


def test_the_last_entry_of_a_map_counts() -> None:
    first, last = _query(), _query()
    last.params.fields["a"].Clear()
    last.params.fields["a"].string_value = "z" * 100
    data = first.SerializeToString() + last.SerializeToString()
    assert large.parsed(PATH, type(first), data) == type(first).FromString(data)


def test_the_last_member_of_a_oneof_counts() -> None:
    value = wire.Value()
    value.list_value.values.add().string_value = "x" * 100
    data = b"\x1a\x01a" + value.SerializeToString() + b"\x1a\x01b"
    message = wire.Value()
    large.merge(message, data, 0, len(data))
    assert message == wire.Value(string_value="b")


def _write(name: str, rows: int) -> Any:
    mutation = wire.Mutation()
    write = getattr(mutation, name)
    write.table, columns = "T", ["k", "v"]
    write.columns.extend(columns)
    for number in range(rows):
        values = write.values.add().values
        values.add().string_value = str(number)
        values.add().list_value.values.extend([wire.Value(number_value=1.5)] * (number % 9))
    return mutation


def _writes_of(mutations: Any) -> list[Write]:
    writes = mutations_from_proto(mutations)
    assert all(isinstance(each, Write) for each in writes)
    return writes  # type: ignore[return-value]


def _delete(keys: int) -> Any:
    mutation = wire.Mutation()
    mutation.delete.table = "T"
    key_set = mutation.delete.key_set
    for number in range(keys):
        key_set.keys.add().values.add().string_value = str(number)
    added = key_set.ranges.add()
    added.start_closed.values.add().string_value = "a" * 60
    added.end_open.values.add().string_value = "b"
    return mutation


@pytest.mark.parametrize("name", ["insert", "update", "insert_or_update", "replace"])
def test_a_write_in_parts_has_all_rows_in_their_order(name: str) -> None:
    message = wire.CommitRequest(session="s", transaction_id=b"t" * 100)
    message.mutations.extend([_write(name, 1), _write(name, 50), _write(name, 0)])
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    writes = _writes_of(request.mutations)
    whole = _writes_of(message.mutations)
    assert len(writes) > len(whole)
    assert [row for each in writes for row in each.rows] == [
        row for each in whole for row in each.rows
    ]
    assert {(each.kind, each.table, each.columns) for each in writes} == {
        (each.kind, each.table, each.columns) for each in whole
    }
    assert (request.session, request.transaction_id) == ("s", b"t" * 100)
    assert request.ByteSize() == message.ByteSize()


def test_a_delete_in_parts_has_all_keys_and_ranges() -> None:
    message = wire.CommitRequest(session="s")
    message.mutations.append(_delete(30))
    message.mutations[0].delete.key_set.all_ = True
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    deletes = mutations_from_proto(request.mutations)
    (whole,) = mutations_from_proto(message.mutations)
    assert isinstance(whole, Delete)
    assert len(deletes) > 1
    sets = [each.key_set for each in deletes if isinstance(each, Delete)]
    assert [key for each in sets for key in each.keys] == whole.key_set.keys
    assert [span for each in sets for span in each.ranges] == whole.key_set.ranges
    assert [each.all for each in sets].count(True) == 1


@pytest.mark.parametrize(("operation", "key"), [("send", "key"), ("ack", "key")])
def test_other_mutations_stay_whole(operation: str, key: str) -> None:
    mutation = wire.Mutation()
    changed = getattr(mutation, operation)
    changed.queue = "Q"
    getattr(changed, key).values.add().string_value = "x" * 100
    message = wire.CommitRequest(mutations=[mutation])
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    assert list(request.mutations) == [mutation]


def test_mutations_can_be_read_again() -> None:
    message = wire.CommitRequest(mutations=[_write("insert", 20)])
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    assert request.mutations
    assert list(request.mutations) == list(request.mutations)
    bare = large.parsed(PATH, wire.CommitRequest, b"\x0a\x01s")
    assert not bare.mutations


def test_a_batch_write_has_its_groups_in_parts() -> None:
    message = wire.BatchWriteRequest(session="s")
    for rows in (1, 30):
        message.mutation_groups.add().mutations.extend([_write("insert", rows), _delete(3)])
    message.mutation_groups.add()
    request = large.parsed(PATH, wire.BatchWriteRequest, message.SerializeToString())
    groups = [mutations_from_proto(group.mutations) for group in request.mutation_groups]
    assert [sum(len(each.rows) for each in group if isinstance(each, Write)) for group in groups] == [
        1, 30, 0,
    ]  # fmt: skip


def test_a_single_large_row_is_read_in_parts() -> None:
    mutation = _write("insert", 0)
    values = mutation.insert.values.add().values
    for number in range(60):
        values.add().string_value = str(number)
    message = wire.CommitRequest(mutations=[mutation])
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    assert mutations_from_proto(request.mutations) == mutations_from_proto(message.mutations)


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "CELLS_MAX", 100)
    monkeypatch.setattr(large, "FIELDS_MAX", 100)
    for mutation in (_write("insert", 60), _delete(101)):
        message = wire.CommitRequest(mutations=[mutation])
        request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
        with pytest.raises(TooManyFields):
            list(request.mutations)
    row = _write("insert", 0)
    row.insert.values.add().values.add().list_value.values.extend([wire.Value()] * 101)
    message = wire.CommitRequest(mutations=[row])
    request = large.parsed(PATH, wire.CommitRequest, message.SerializeToString())
    with pytest.raises(TooManyFields):
        list(request.mutations)
    monkeypatch.setattr(large, "REQUEST_BYTES_MAX", 1)
    key = wire.BeginTransactionRequest(mutation_key=row)
    with pytest.raises(TooManyFields):
        large.parsed(PATH, wire.BeginTransactionRequest, key.SerializeToString())


def test_fields_beside_mutations_have_a_size_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "HEAD_BYTES_MAX", 50)
    message = wire.CommitRequest(session="s" * 60, mutations=[_write("insert", 1)])
    with pytest.raises(RequestHeadTooLarge):
        large.parsed(PATH, wire.CommitRequest, message.SerializeToString())


def _nested(levels: int) -> bytes:
    """Return a Value in so many lists, one in the other."""
    data = b"\x1a\x01x"
    for _ in range(levels):
        data = _within(6, _within(1, data))
    return data


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a\x7f" + b"s" * 60,  # cut off
        b"\x0a" + b"\xff" * 60,  # a length without end
        b"\x0b" * 60,  # a group
        b"\x00" * 600,  # no number
        b"\x0a\x3c" + b"\xff" * 60,  # no UTF-8
        _within(4, _within(1, _within(2, _nested(200)))),
        _within(4, _within(1, _within(1, b"\xff") + _within(2, b"\x1a\x40" + b"x" * 64))),
    ],
)  # fmt: skip
def test_malformed_messages_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        wire.ExecuteSqlRequest.FromString(data)
    with pytest.raises(DecodeError):
        large.parsed(PATH, wire.ExecuteSqlRequest, data)


@pytest.mark.parametrize("row", [b"\x0a\x7f" + b"x" * 50, b"\x0a" + b"\xff" * 50])
def test_malformed_mutations_are_refused(row: bytes) -> None:
    message = _within(4, _within(1, _within(1, b"T") + _within(3, row) * 3))
    request = large.parsed(PATH, wire.CommitRequest, message)
    with pytest.raises(UnreadableRequest):
        list(request.mutations)
