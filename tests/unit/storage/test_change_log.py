"""The change log against a list of entries: reading, retention, marks and clones."""

from __future__ import annotations

import threading
from bisect import bisect_left
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.schema import empty_schema
from spanemu.storage import change_log
from spanemu.storage.change_log import (
    BY_CLIENT,
    ChangeEntry,
    ChangeLog,
    RowChange,
    Serials,
    Watching,
)
from spanemu.storage.layout import TreeId

T = TreeId(7)
SCHEMA = empty_schema(DEFAULT_LIMITS, GOOGLE_STANDARD_SQL)
RETENTION = 1_000


@pytest.fixture(autouse=True, scope="module")
def small_chunks() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_log, "CHUNK_ENTRIES", 3)
        yield


def log_of(*timestamps: int) -> ChangeLog:
    watching = Watching({T: -1}, RETENTION, None)  # type: ignore[arg-type]
    log = ChangeLog(threading.RLock(), watching, Serials())
    for at in timestamps:
        append(log, at)
    return log


def append(log: ChangeLog, at: int) -> ChangeEntry:
    change = RowChange(T, b"key", None, (at,), -1)
    return log.append(at, [change], SCHEMA, BY_CLIENT)


def timestamps(log: ChangeLog) -> list[int]:
    return [entry.timestamp for entry in log.between(0, 1 << 60, 1 << 30)]


@given(st.sets(st.integers(0, 60)), st.integers(0, 60), st.integers(0, 60), st.integers(1, 9))
def test_between_is_inclusive_and_limited(
    times: set[int], first: int, last: int, limit: int
) -> None:
    log = log_of(*sorted(times))
    expected = [at for at in sorted(times) if first <= at <= last]
    assert [entry.timestamp for entry in log.between(first, last, limit)] == expected[:limit]
    read: list[int] = []
    while entries := log.between(read[-1] + 1 if read else first, last, limit):
        read += [entry.timestamp for entry in entries]
    assert read == expected


# Each step: append so many entries, or do what the word says.
STEPS = st.lists(st.integers(1, 7) | st.sampled_from(["mark", "restore", "clone", "drop"]))


@given(STEPS)
def test_marks_and_clones_keep_their_entries(steps: list[int | str]) -> None:
    log, now, model = log_of(), 0, []
    marks: list[tuple[change_log.LogMark, list[int]]] = []
    clones: list[tuple[ChangeLog, list[int]]] = []
    for step in steps:
        if isinstance(step, int):
            for _ in range(step):
                now += 1
                append(log, now)
                model.append(now)
        elif step == "mark":
            marks.append((log.mark(), list(model)))
        elif step == "clone":
            clones.append((log.share(threading.RLock(), Serials(99)), list(model)))
        elif step == "drop":
            log.drop_old(now + RETENTION - 2)
            # Only whole chunks go, so a few older entries may stay.
            kept = timestamps(log)
            assert model[bisect_left(model, now - 2) :] == [at for at in kept if at >= now - 2]
            model = kept
        elif marks:
            mark, model = marks[-1][0], list(marks[-1][1])
            assert mark.restore() is log
        log.check(now)
        assert timestamps(log) == model
    for clone, expected in clones:
        assert timestamps(clone) == expected
        append(clone, now + 1)
    assert timestamps(log) == model


def test_a_commit_drops_old_entries_a_few_at_a_time() -> None:
    log = log_of(*range(30))
    append(log, 10 * RETENTION)
    assert len(log) == 30 - 2 * change_log.CHUNK_ENTRIES + 1
    for at in range(1, 30):
        append(log, 10 * RETENTION + at)
    assert timestamps(log)[0] >= 10 * RETENTION


def test_serial_numbers_survive_a_restore() -> None:
    log = log_of(1, 2)
    mark = log.mark()
    lost = append(log, 3)
    mark.restore()
    assert append(log, 3).serial > lost.serial


def test_the_size_counts_rows_before_and_after() -> None:
    log = log_of()
    assert log.size_bytes() == 0
    log.append(1, [RowChange(T, b"k", None, ("x" * 1000,), -1)], SCHEMA, BY_CLIENT)
    inserted = log.size_bytes()
    log.append(2, [RowChange(T, b"k", ("x" * 1000,), ("y" * 1000,), 2)], SCHEMA, BY_CLIENT)
    assert 1_000 < inserted < 1_500
    assert 2_000 < log.size_bytes() - inserted < 2_500


def test_the_size_of_a_long_log_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(*range(100))
    exact = log.size_bytes()
    monkeypatch.setattr(change_log, "ENTRIES_WEIGHED_MAX", 7)
    assert log.size_bytes() == exact
