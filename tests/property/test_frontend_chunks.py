"""Whatever the rows and wherever the cuts, a reader puts the same rows together again."""

from __future__ import annotations

from typing import Any

from google.cloud.spanner_v1.streamed import StreamedResultSet
from google.cloud.spanner_v1.types import PartialResultSet
from google.protobuf.struct_pb2 import ListValue
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.database.statements.results import ResultStream
from spanemu.frontend import wire
from spanemu.frontend.convert.chunks import Chunks
from spanemu.frontend.convert.types import list_from_proto
from spanemu.values import types
from spanemu.values.types import Type, array_of, struct_of
from spanemu.values.value import encoder

TEXT = st.text(st.characters(codec="utf-8"), max_size=120)
FLOATS = st.one_of(st.floats(allow_nan=False), st.sampled_from([float("inf"), float("-inf")]))
PAIR = struct_of(("a", types.STRING), ("b", array_of(types.FLOAT64)))


def nullable(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


def lists(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(nullable(values), max_size=8).map(tuple)


CELLS: dict[Type, st.SearchStrategy[Any]] = {
    types.INT64: st.integers(-(2**63), 2**63 - 1),
    types.BOOL: st.booleans(),
    types.STRING: TEXT,
    types.BYTES: st.binary(max_size=200),
    types.FLOAT64: FLOATS,
    array_of(types.STRING): lists(TEXT),
    array_of(types.BOOL): lists(st.booleans()),
    array_of(types.FLOAT64): lists(FLOATS),
    array_of(PAIR): lists(st.tuples(nullable(TEXT), nullable(lists(FLOATS)))),
}


@st.composite
def results(draw: st.DrawFn) -> tuple[tuple[tuple[str, Type], ...], list[tuple[Any, ...]]]:
    column_types = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    columns = tuple((f"c{number}", type_) for number, type_ in enumerate(column_types))
    row = st.tuples(*(nullable(CELLS[type_]) for type_ in column_types))
    return columns, draw(st.lists(row, max_size=6))


def merged(left: Any, right: Any) -> Any:
    """Return the documented rule by which a reader joins two parts of a value."""
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    assert isinstance(left, list)
    assert isinstance(right, list)
    mergeable = left and right and type(left[-1]) is type(right[0])
    if mergeable and isinstance(left[-1], str | list):
        return [*left[:-1], merged(left[-1], right[0]), *right[1:]]
    return left + right


def put_together(messages: list[Any], width: int) -> list[list[Any]]:
    flat: list[Any] = []
    pending = False
    for message in messages:
        values = list_from_proto(message)
        if pending:
            flat[-1] = merged(flat[-1], values.pop(0))
        flat += values
        pending = message.chunked_value
    assert not pending
    return [flat[start : start + width] for start in range(0, len(flat), width)]


@settings(deadline=None, max_examples=150)
@given(results(), st.integers(1, 300))
def test_rows_survive_chunking(result, chunk_bytes: int) -> None:
    columns, rows = result
    stream = ResultStream(columns=columns, rows=iter(rows))
    messages = [
        wire.PartialResultSet.FromString(data) for data in Chunks(stream, chunk_bytes=chunk_bytes)
    ]
    encoders = [encoder(type_) for _, type_ in columns]
    expected = [[encode(cell) for encode, cell in zip(encoders, row, strict=True)] for row in rows]
    assert put_together(messages, len(columns)) == expected
    assert [message.last for message in messages] == [False] * (len(messages) - 1) + [True]


@settings(deadline=None, max_examples=100)
@given(results(), st.integers(1, 300))
def test_messages_are_those_of_the_iterator(result, chunk_bytes: int) -> None:
    columns, rows = result

    def chunks() -> Chunks:
        return Chunks(ResultStream(columns, iter(rows)), chunk_bytes=chunk_bytes)

    assert list(chunks().messages()) == list(chunks())


@settings(deadline=None, max_examples=100)
@given(results(), st.integers(1, 300))
def test_rows_survive_the_official_client(result, chunk_bytes: int) -> None:
    columns, rows = result

    def replies() -> Any:
        stream = ResultStream(columns=columns, rows=iter(rows))
        for data in Chunks(stream, chunk_bytes=chunk_bytes):
            yield PartialResultSet.deserialize(data)

    encoders = [encoder(type_) for _, type_ in columns]
    expected = [[encode(cell) for encode, cell in zip(encoders, row, strict=True)] for row in rows]
    seen = StreamedResultSet(replies(), lazy_decode=True)
    assert [list_from_proto(ListValue(values=row)) for row in seen] == expected
