"""Rows inserted together are stored, counted and refused as rows inserted one by one."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import pytest

from spanemu.base.errors import SpannerError
from spanemu.storage import store
from spanemu.txn import commit as commits_of_mutations
from spanemu.txn import write_plan
from spanemu.txn.bulk_insert import BulkInsert
from spanemu.txn.locks.holder import State
from spanemu.values.mutation import COMMIT_TIMESTAMP_PLACEHOLDER, Mutation, Write, WriteKind
from tests.unit.txn.bench import Bench, delete, update

SCHEMA = (
    "CREATE TABLE T (I INT64 NOT NULL, S STRING(4), F FLOAT64, B BOOL, Y BYTES(3),"
    " W TIMESTAMP OPTIONS (allow_commit_timestamp = true), N NUMERIC, J JSON, V ARRAY<STRING(2)>,"
    " CONSTRAINT Small CHECK (I < 1000)) PRIMARY KEY (I, S DESC)",
    "CREATE INDEX ByF ON T (F DESC, I)",
    "CREATE INDEX BySN ON T (S, N, I DESC)",
    "CREATE UNIQUE INDEX ByY ON T (Y)",
    "CREATE NULL_FILTERED INDEX ByWN ON T (W DESC, N) STORING (B)",
)
TREES = ("T", "ByF", "BySN", "ByY", "ByWN")
NAMES = ("I", "S", "F", "B", "Y", "W", "N", "J", "V")
SIZES = ((write_plan, "MANY_ROWS"), (commits_of_mutations, "MANY_ROWS"), (store, "MANY_WRITES"))

VALUES: list[tuple[str, Any]] = [
    *(("I", value) for value in (None, "x", "1_0", " 77 ", "9" * 20, 5, "1000", "-5", "١")),
    *(("S", value) for value in (None, "", "éé", "12345", "\0", "\1a", "\ud800", 5)),
    *(("F", value) for value in (None, -0.0, "NaN", "-Infinity", 7, "x", True)),
    *(("B", value) for value in (None, "true", 1)),
    *(("Y", value) for value in (None, "", "AAE", "AA E=", "?", "AAAAAAAA", "Aw==", 5)),
    *(("W", value) for value in (None, "9000-01-01T00:00:00Z", "1969-02-03", "")),
    ("W", COMMIT_TIMESTAMP_PLACEHOLDER),
    *(("N", value) for value in (None, "x", "1e3", 1.5)),
    *(("J", value) for value in (None, "{", '{"a": [1]}')),
    *(("V", value) for value in (None, [], ["ab", None], ["abc"], "ab")),
]


def rows(count: int, first: int = 0) -> list[list[Any]]:
    """Return valid rows in no order of their keys."""
    return [
        [str(n * 7 % 101 - 50), f"s{n % 3}", n / 2, n % 2 == 0, b64encode(b"%03d" % n).decode(),
         None if n % 5 == 0 else "1969-02-03T04:05:06.5Z", str(n % 4), "1", ["ab"]]
        for n in range(first, first + count)
    ]  # fmt: skip


def insert(some: Sequence[Sequence[Any]], names: Sequence[str] = NAMES) -> Write:
    return Write(WriteKind.INSERT, "T", tuple(names), some)


def upsert(some: Sequence[Sequence[Any]]) -> Write:
    return Write(WriteKind.INSERT_OR_UPDATE, "T", NAMES, some)


def outcomes(*commits: Sequence[Mutation]) -> list[Any]:
    """Return what each commit counts for, or its error, and all rows after it."""
    bench = Bench(*SCHEMA)
    result: list[Any] = []
    for commit in commits:
        transaction = bench.begin()
        transaction.begin_commit()
        try:
            result.append(bench.mutate(transaction, *commit))
            bench.commit(transaction)
        except SpannerError as error:
            bench.core.locks.release(transaction.holder, State.ROLLED_BACK)
            result.append((type(error), str(error)))
        result.append([repr(bench.stored(name)) for name in TREES])
        assert not list(bench.core.locks.holders())
        bench.store.check()
    return result


def one_by_one(*commits: Sequence[Mutation]) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        for module, name in SIZES:
            patch.setattr(module, name, 1 << 30)
        return outcomes(*commits)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that gets, for each attempt, whether rows were inserted together."""
    attempts: list[bool] = []
    together = BulkInsert.write

    def write(self: BulkInsert, *arguments: Any) -> bool:
        attempts.append(together(self, *arguments))
        return attempts[-1]

    monkeypatch.setattr(BulkInsert, "write", write)
    return attempts


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_a_value_among_many_rows_is_stored_or_refused_as_alone(name: str, value: Any) -> None:
    some = rows(20)
    some[7][NAMES.index(name)] = value
    assert outcomes([insert(some)]) == one_by_one([insert(some)])


def test_new_valid_rows_are_inserted_together(written: list[bool]) -> None:
    commits = [insert(rows(30))], [upsert(rows(30, 30)), insert(rows(20, 60))]
    assert outcomes(*commits) == one_by_one(*commits)
    assert written == [True, True, True]


def test_mutations_of_a_row_each_are_inserted_together(written: list[bool]) -> None:
    commit = [insert([row]) for row in rows(30)]
    assert outcomes(commit) == one_by_one(commit)
    assert written == [True]


@pytest.mark.parametrize("position", [0, 17, 39])
def test_a_mutation_among_many_takes_effect_in_its_place(position: int) -> None:
    first, second = [insert([row]) for row in rows(20)], [upsert([row]) for row in rows(20, 20)]
    for between in (
        delete("T", rows(1, 16)[0][:2]),
        Write(WriteKind.UPDATE, "T", ("I", "S", "N"), [[*rows(1, 16)[0][:2], "9"]]),
        insert([]),
        insert([rows(1, 16)[0]]),
        insert([["1"]], ("Missing",)),
    ):
        commit = [*first, *second]
        commit.insert(position, between)
        assert outcomes(commit) == one_by_one(commit)


def test_columns_in_another_order_leave_the_others_null(written: list[bool]) -> None:
    some = [["1", b64encode(b"%d" % n).decode(), str(n)] for n in range(20)]
    commit = [insert(some, ("N", "Y", "I"))]
    assert outcomes(commit) == one_by_one(commit)
    assert written == [True]


@pytest.mark.parametrize("write", [insert, upsert])
def test_rows_that_exist_or_repeat_are_written_one_by_one(write: Any) -> None:
    for again in (rows(20)[3], rows(1, 200)[0]):
        commits = [insert(rows(20))], [write([*rows(20, 20), again, again])]
        assert outcomes(*commits) == one_by_one(*commits)


def test_rows_after_other_mutations_see_their_effect() -> None:
    first, key = rows(20), ["-50", "s0"]
    commits = (
        [insert(first)],
        [delete("T", key), insert([first[0], *rows(20, 20)])],
        [Write(WriteKind.UPDATE, "T", ("I", "S", "F"), [[*key, 9.0]]), upsert(first)],
        [insert(rows(20, 40)), update("T", "I S N", (*rows(1, 45)[0][:2], "7"))],
        [insert(rows(20, 60)), delete("T", rows(1, 65)[0][:2])],
    )
    assert outcomes(*commits) == one_by_one(*commits)


def test_unique_keys_hold_among_rows_inserted_together() -> None:
    some = rows(20)
    some[3][4] = some[9][4]
    assert outcomes([insert(some)]) == one_by_one([insert(some)])


def test_rows_without_a_value_or_with_one_more_are_refused_as_alone() -> None:
    for wrong in (["1"], [*rows(1)[0], "more"]):
        some = [*rows(18), wrong]
        assert outcomes([insert(some)]) == one_by_one([insert(some)])
