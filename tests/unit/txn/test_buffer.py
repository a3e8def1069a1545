"""Pending writes over the rows below them."""

from __future__ import annotations

import pytest

from spanemu.storage.layout import TreeId
from spanemu.txn.buffer import ABSENT, Buffer

T, OTHER = TreeId(1), TreeId(2)
BELOW = [(b"b", ("below b",)), (b"d", ("below d",)), (b"f", ("below f",))]


def merged(buffer: Buffer, ranges=None, descending=False, below=BELOW):
    ordered = list(reversed(below)) if descending else below
    return list(buffer.merge(T, iter(ordered), ranges, descending))


@pytest.fixture
def buffer() -> Buffer:
    """Return a new row, a changed one, a deleted one, a new last one."""
    buffer = Buffer()
    buffer.put(T, b"z", ("new z",))
    buffer.put(T, b"d", None)
    buffer.put(T, b"b", ("ours b",))
    buffer.put(T, b"a", ("new a",))
    return buffer


def test_an_entry_is_a_row_or_a_deletion_or_absent(buffer: Buffer) -> None:
    assert buffer.get(T, b"b") == ("ours b",)
    assert buffer.get(T, b"d") is None
    assert buffer.get(T, b"x") is ABSENT
    assert buffer.get(OTHER, b"b") is ABSENT


def test_buffered_writes_are_merged_with_stored_rows(buffer: Buffer) -> None:
    expected = [
        (b"a", ("new a",)), (b"b", ("ours b",)), (b"f", ("below f",)), (b"z", ("new z",)),
    ]  # fmt: skip
    assert merged(buffer) == expected
    assert merged(buffer, descending=True) == expected[::-1]


def test_buffered_writes_are_merged_within_ranges(buffer: Buffer) -> None:
    ranges = [(b"a", b"b"), (b"c", b"e"), (b"z", b"z\0")]
    below = [(b"d", ("below d",))]
    assert merged(buffer, ranges, below=below) == [(b"a", ("new a",)), (b"z", ("new z",))]
    assert merged(buffer, ranges, True, below) == [(b"z", ("new z",)), (b"a", ("new a",))]


def test_a_tree_without_writes_costs_nothing() -> None:
    rows = iter(BELOW)
    assert Buffer().merge(T, rows, None, False) is rows


def test_rows_that_stream_are_those_of_the_start(buffer: Buffer) -> None:
    rows = buffer.merge(T, iter(BELOW), None, False)
    first = next(rows)
    buffer.put(T, b"c", ("too late",))
    buffer.put(T, b"z", ("too late",))
    assert [first, *rows] == [
        (b"a", ("new a",)), (b"b", ("ours b",)), (b"f", ("below f",)), (b"z", ("new z",)),
    ]  # fmt: skip
    assert (b"c", ("too late",)) in merged(buffer)


def test_the_writes_of_a_statement_are_rolled_back(buffer: Buffer) -> None:
    before = list(buffer.entries())
    mark = buffer.savepoint()
    buffer.put(T, b"b", None)
    buffer.put(T, b"b", ("again",))
    buffer.put(T, b"c", ("new c",))
    buffer.put(OTHER, b"x", ("other",))
    assert [key for key, _ in merged(buffer)] == [b"a", b"b", b"c", b"f", b"z"]
    buffer.rollback_to(mark)
    assert list(buffer.entries()) == before
    assert [key for key, _ in merged(buffer)] == [b"a", b"b", b"f", b"z"]
    buffer.put(T, b"c", ("once more",))
    assert [key for key, _ in merged(buffer)] == [b"a", b"b", b"c", b"f", b"z"]


def test_rolling_back_to_a_mark_keeps_earlier_writes(buffer: Buffer) -> None:
    first = buffer.savepoint()
    buffer.put(T, b"m", (1,))
    second = buffer.savepoint()
    buffer.put(T, b"m", (2,))
    buffer.rollback_to(second)
    assert buffer.get(T, b"m") == (1,)
    buffer.rollback_to(first)
    assert buffer.get(T, b"m") is ABSENT


def test_the_writes_of_a_statement_can_be_hidden(buffer: Buffer) -> None:
    before = merged(buffer)
    mark = buffer.savepoint()
    buffer.put(T, b"b", ("later b",))
    buffer.put(T, b"b", ("last b",))
    buffer.put(T, b"e", ("later e",), 0b10, ("below e",))
    buffer.put(T, b"z", None)
    after, parts = merged(buffer), dict(buffer.parts)
    with buffer.without(mark):
        assert merged(buffer) == before
        assert not buffer.parts
    assert merged(buffer) == after
    assert buffer.parts == parts
    buffer.rollback_to(mark)
    assert merged(buffer) == before
