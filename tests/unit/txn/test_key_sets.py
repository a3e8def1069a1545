"""Raw keys and ranges as ranges of bytes, and as rows that are read or deleted."""

from __future__ import annotations

import itertools

import pytest

from spanemu.base.errors import Code
from spanemu.storage.layout import EVERYTHING
from spanemu.txn.errors import BadKeyValue, DeleteRangeTooWide, WrongKeyParts
from spanemu.txn.key_sets import DeleteReader, KeyReader
from spanemu.txn.value_errors import FutureTimestamp
from spanemu.values.mutation import RawKeySet, RawRange
from tests.unit.txn.bench import Bench

TABLE = "CREATE TABLE T (A INT64, B STRING(MAX), C INT64) PRIMARY KEY (A, B DESC)"
ROWS = [(a, b) for a in (1, 2, 3) for b in ("x", "y")]
KEYS = [(1, "y"), (1, "x"), (2, "y"), (2, "x"), (3, "y"), (3, "x")]  # B is descending


@pytest.fixture(scope="module")
def bench() -> Bench:
    bench = Bench(TABLE)
    bench.insert("T", "A B", *([str(a), b] for a, b in ROWS))
    return bench


@pytest.fixture
def reader(bench: Bench) -> KeyReader:
    return KeyReader("T", bench.schema.tables["t"].key)


def found(bench: Bench, reader: KeyReader, key_set: RawKeySet):
    return [row[:2] for row in bench.store.scan(bench.tree("T"), reader.ranges(key_set))]


def from_to(start, start_closed, end, end_closed) -> RawKeySet:
    return RawKeySet(ranges=[RawRange(start, start_closed, end, end_closed)])


@pytest.mark.parametrize(
    ("key_set", "rows"),
    [
        (from_to(["1", "y"], True, ["2", "y"], True), KEYS[:3]),
        (from_to(["1", "y"], False, ["2", "y"], False), KEYS[1:2]),
        (from_to(["1"], True, ["2"], True), KEYS[:4]),
        (from_to(["1"], False, ["2"], True), KEYS[2:4]),
        (from_to(["1"], True, ["2"], False), KEYS[:2]),
        (from_to(["1"], False, ["3"], False), KEYS[2:4]),
        (from_to(["1"], True, ["1", "y"], True), KEYS[:1]),
        (from_to(["2", "x"], True, ["2", "y"], True), []),  # the wrong way round
        (from_to([], True, ["1"], True), KEYS[:2]),
        (from_to(["3"], True, [], True), KEYS[4:]),
        (from_to([], True, [], True), KEYS),
        (from_to([], False, [], True), []),
        (from_to([], True, [], False), []),
        (RawKeySet(all=True), KEYS),
        (RawKeySet(keys=[["3", "x"], ["1", "x"], ["3", "x"], ["9", "x"]]), [KEYS[1], KEYS[5]]),
        (RawKeySet(), []),
    ],
)
def test_key_sets(bench: Bench, reader: KeyReader, key_set: RawKeySet, rows) -> None:
    assert found(bench, reader, key_set) == rows


def test_a_key_set_of_all_covers_every_key(reader: KeyReader) -> None:
    assert reader.ranges(RawKeySet(all=True, keys=[["1", "x"]])) == EVERYTHING


def test_ranges_are_sorted_and_disjoint(bench: Bench, reader: KeyReader) -> None:
    ranges = reader.ranges(
        RawKeySet(
            keys=[["3", "x"], ["1", "y"]],
            ranges=[RawRange(["1"], True, ["2", "y"], True), RawRange(["2"], True, ["2"], True)],
        )
    )
    assert list(ranges) == sorted(ranges)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(ranges))
    rows = [row[:2] for row in bench.store.scan(bench.tree("T"), ranges)]
    assert rows == [*KEYS[:4], KEYS[5]]


@pytest.mark.parametrize("key", [[], ["1"], ["1", "x", "2"]])
def test_keys_must_be_whole(reader: KeyReader, key: list[str]) -> None:
    with pytest.raises(WrongKeyParts) as failure:
        reader.key(key)
    assert failure.value.facts() == {"target": "T", "expected": 2, "got": len(key)}


def test_ranges_may_not_have_more_parts_than_the_key(reader: KeyReader) -> None:
    with pytest.raises(WrongKeyParts):
        reader.ranges(from_to(["1"], True, ["1", "x", "2"], True))


@pytest.mark.parametrize("part", ["one", 1.5, True, ["1"]])
def test_parts_must_be_of_their_type(reader: KeyReader, part) -> None:
    with pytest.raises(BadKeyValue) as failure:
        reader.key([part, "x"])
    assert failure.value.code is Code.FAILED_PRECONDITION
    assert (failure.value.target, failure.value.type_text) == ("T", "INT64")


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (["1", "x"], ["2", "x"]),
        (["1"], ["2", "x"]),
        (["1", "x"], ["2"]),
    ],
)
def test_deletes_may_differ_in_the_last_part_only(bench: Bench, start, end) -> None:
    with pytest.raises(DeleteRangeTooWide) as failure:
        DeleteReader(bench.rules("T"), bench.begin().context).ranges(
            from_to(start, True, end, True)
        )
    assert failure.value.table == "T"


@pytest.mark.parametrize(
    ("start", "end", "rows"),
    [
        (["1", "y"], ["1", "x"], KEYS[:2]),
        (["1"], ["2"], KEYS[:4]),
        (["2", "y"], ["2"], KEYS[2:4]),
        (["2"], ["2", "y"], KEYS[2:3]),
        ([], [], KEYS),
        (["3"], [], KEYS[4:]),
    ],
)
def test_deletes_that_differ_in_the_last_part_are_ranges(bench: Bench, start, end, rows) -> None:
    reader = DeleteReader(bench.rules("T"), bench.begin().context)
    assert found(bench, reader, from_to(start, True, end, True)) == rows


def test_deletes_cannot_name_a_commit_timestamp_to_come() -> None:
    bench = Bench(
        "CREATE TABLE E (Moment TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true))"
        " PRIMARY KEY (Moment)"
    )
    reader = DeleteReader(bench.rules("E"), bench.begin().context)
    with pytest.raises(FutureTimestamp):
        reader.ranges(RawKeySet(keys=[["2999-01-01T00:00:00Z"]]))
    reader.ranges(RawKeySet(keys=[["1960-01-01T00:00:00Z"]]))
