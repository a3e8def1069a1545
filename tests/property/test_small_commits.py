"""Commits that are read from their bytes are what the runtime of protocol buffers reads.

Requests are put together of fields in any order, twice as well, and damaged. Whatever the reader
of small commits accepts is compared; what consists of writes alone it must accept.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from google.protobuf.message import DecodeError
from hypothesis import event, given, settings
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.frontend import wire
from spanemu.frontend.convert.requests import (
    commit_options_from_proto,
    mutations_from_proto,
)
from spanemu.frontend.convert.selectors import commit_selector_from_proto
from spanemu.frontend.convert.small_commits import small_commit_from_bytes
from spanemu.values.mutation import WriteKind
from spanemu.values.value_bytes import varint

MUTATIONS, OPERATIONS = 4, {"insert": 1, "update": 2, "insert_or_update": 3, "replace": 4}
SIZES = st.sampled_from([0, 1, 5, 63, 125, 126, 127, 128, 129, 130, 254, 300, 20_000])
TEXTS = st.one_of(st.text(max_size=5), SIZES.map("x".__mul__), SIZES.map("é".__mul__))
NAMES = st.one_of(st.sampled_from(["T", "Singers", "a.b"]), st.text(min_size=1), st.just("é" * 128))


def bytes_of(message: Any) -> bytes:
    data: bytes = message.SerializeToString()
    return data


def value(kind: str, content: Any) -> bytes:
    return bytes_of(wire.Value(**{kind: content}))


TEXT_VALUES = TEXTS.map(lambda text: value("string_value", text))
VALUES = st.one_of(
    *[TEXT_VALUES] * 4,
    st.just(value("null_value", 0)),
    st.booleans().map(lambda flag: value("bool_value", flag)),
    st.floats().map(lambda number: value("number_value", number)),
    st.just(value("list_value", wire.ListValue(values=[wire.Value(string_value="x")]))),
    st.just(value("struct_value", wire.Struct())),
)


def within(number: int, content: bytes) -> bytes:
    """Return a field with a content."""
    return varint(number << 3 | 2) + varint(len(content)) + content


@st.composite
def writes(draw: st.DrawFn) -> bytes:
    """Return the bytes of a Mutation.Write in the usual order."""
    columns = draw(st.lists(NAMES, max_size=3))
    data = within(1, draw(NAMES).encode())
    data += b"".join(within(2, column.encode()) for column in columns)
    for _ in range(draw(st.integers(0, 3))):
        data += within(3, b"".join(within(1, draw(VALUES)) for _ in columns))
    return data


def mutation(kind: WriteKind, write: bytes) -> bytes:
    return within(MUTATIONS, within(OPERATIONS[kind.value], write))


MUTATION_FIELDS = st.builds(mutation, st.sampled_from(WriteKind), writes())
SESSIONS = st.one_of(st.just("projects/p/sessions/1"), TEXTS).map(
    lambda name: within(1, name.encode())
)
SINGLE_USES = st.sampled_from(
    [
        wire.TransactionOptions(read_write={}),
        wire.TransactionOptions(read_write={}, exclude_txn_from_change_streams=True),
        wire.TransactionOptions(read_write={"read_lock_mode": 2}),
    ]
).map(lambda options: within(3, bytes_of(options)))
IDS = st.binary(min_size=1, max_size=9).map(lambda transaction_id: within(2, transaction_id))
NO_OPTIONS = within(6, b"")
OPTIONS = (
    bytes_of(wire.CommitRequest(request_options={"transaction_tag": "t"})),
    bytes_of(wire.CommitRequest(request_options={"priority": 1})),
    bytes_of(wire.CommitRequest(max_commit_delay={"nanos": 5})),
    bytes_of(wire.CommitRequest(precommit_token={"precommit_token": b"t", "seq_num": 1})),
    bytes_of(wire.CommitRequest(precommit_token={"seq_num": 2})),
)

UNUSUAL = (
    within(2, b""),
    within(3, b""),
    within(3, b"\xff"),
    within(
        3, bytes_of(wire.TransactionOptions(read_write={}, exclude_txn_from_change_streams=True))
    ),
    within(3, bytes_of(wire.TransactionOptions(read_only={}))),
    within(6, b"\xff"),
    bytes_of(wire.CommitRequest(request_options={"priority": 9})),
    bytes_of(wire.CommitRequest(max_commit_delay={"seconds": 5})),
    bytes_of(wire.CommitRequest(return_commit_stats=True)),
    *OPTIONS,
    bytes_of(wire.CommitRequest(mutations=[{"delete": {"table": "T", "key_set": {"all_": True}}}])),
    within(MUTATIONS, b""),
    within(MUTATIONS, within(1, within(1, b"T")) + within(2, within(1, b"U"))),
    within(MUTATIONS, within(1, within(1, b"T")) + within(1, within(2, b"K"))),
    within(MUTATIONS, within(1, b"")),
    within(MUTATIONS, within(1, within(1, b"") + within(2, b"K"))),
    within(MUTATIONS, within(1, within(2, b"K") + within(1, b"T"))),
    within(MUTATIONS, within(1, within(1, b"T") + within(3, b"") + within(2, b"K"))),
    within(MUTATIONS, within(1, within(1, b"T") + within(3, within(1, b"")))),
    within(
        MUTATIONS, within(1, within(1, b"T") + within(3, within(1, within(3, b"\xed\xa0\x80"))))
    ),
    within(MUTATIONS, within(1, within(1, b"T") + within(3, within(1, within(3, b"a") * 2)))),
    within(15, b"unknown"),
    b"\x78\x05",
)
OPTION_FIELDS = st.sampled_from([b"", NO_OPTIONS, *OPTIONS])
USUAL = st.tuples(st.one_of(SINGLE_USES, IDS), SESSIONS, OPTION_FIELDS, OPTION_FIELDS)


@st.composite
def usual_requests(draw: st.DrawFn) -> bytes:
    """Return a request of writes, its fields in any order."""
    fields = [*draw(USUAL), *draw(st.lists(MUTATION_FIELDS, max_size=3))]
    return b"".join(draw(st.permutations(fields)))


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Return a request in which anything may be unusual, missing, repeated or damaged."""
    other = st.one_of(MUTATION_FIELDS, SESSIONS, SINGLE_USES, IDS, st.sampled_from(UNUSUAL))
    fields = [*draw(USUAL), *draw(st.lists(other, max_size=3))]
    data = bytearray(b"".join(draw(st.permutations(fields))))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        position = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 2))
        data[position : position + cut] = draw(st.binary(max_size=2))
    return bytes(data)


def by_runtime(data: bytes) -> tuple[Any, ...]:
    """Return the session, the transaction, the writes and the options of a request."""
    message = wire.CommitRequest.FromString(data)
    selector = commit_selector_from_proto(message)
    writes = mutations_from_proto(message.mutations)
    return message.session, selector, writes, commit_options_from_proto(message)


USUAL_FIELDS = (
    within(1, b"projects/p/sessions/1"),
    mutation(
        WriteKind.UPDATE,
        within(1, b"T")
        + within(2, b"K")
        + within(2, b"V")
        + within(3, within(1, value("string_value", "a")) + within(1, value("bool_value", True)))
        + within(3, within(1, value("string_value", "bc")) + within(1, value("null_value", 0))),
    ),
    within(3, bytes_of(wire.TransactionOptions(read_write={}))),
    NO_OPTIONS,
)


def outcome(data: bytes) -> str:
    """Return what the runtime reads, or that it refuses the request."""
    try:
        return repr(by_runtime(data))
    except (DecodeError, SpannerError):
        return "refused"


def check(data: bytes) -> None:
    """Check that the reader of small commits leaves a request, or reads the same."""
    read = small_commit_from_bytes(data)
    assert read is None or repr(read) == outcome(data), data


def test_one_byte_less_more_or_changed() -> None:
    data = b"".join(USUAL_FIELDS)
    assert small_commit_from_bytes(data) is not None
    for position in range(len(data)):
        before, after = data[:position], data[position + 1 :]
        check(before)
        check(before + after)
        for byte in map(bytes, zip(range(256), strict=True)):
            check(before + byte + after)
            check(before + byte + data[position:])


def test_unusual_fields_beside_each_other_and_usual_ones() -> None:
    session, write, transaction, _ = USUAL_FIELDS
    other = (*UNUSUAL, *USUAL_FIELDS, within(2, b"id"))
    for first, second in product(other, repeat=2):
        check(session + first + write + second + transaction)
        check(session + transaction + first + second)
        check(first + second + write)


@settings(max_examples=400)
@given(usual_requests())
def test_requests_of_writes_alone_are_read_from_their_bytes(data: bytes) -> None:
    read = small_commit_from_bytes(data)
    assert read is not None
    assert repr(read) == repr(by_runtime(data))


@settings(max_examples=400)
@given(requests())
def test_what_is_read_from_bytes_is_what_the_runtime_reads(data: bytes) -> None:
    event(f"read from its bytes: {small_commit_from_bytes(data) is not None}")
    check(data)
