from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base import deadline_checks
from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.deadline_checks import (
    PART_MAX,
    Batched,
    check_deadline_if_large,
    interruptible,
    interruptible_calls,
    interruptible_stream,
    items_at,
    parts_of,
    sorted_positions,
)
from spanemu.sql.executor.relation import batches, full_batches


@pytest.fixture
def short_runs(monkeypatch):
    monkeypatch.setattr(deadline_checks, "_RUN", 4)
    monkeypatch.setattr(deadline_checks, "_RUN_MAX", 4)


class Impatient(Call):
    """Is cancelled when it has been asked so many times."""

    def __init__(self, patience: int) -> None:
        super().__init__()
        self.patience = patience

    def check(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            self.cancel()
        super().check()


@given(keys=st.lists(st.integers(0, 9), max_size=60), descending=st.booleans())
def test_a_sort_in_runs_is_a_stable_sort(keys, descending):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deadline_checks, "_RUN", 4)
        found = sorted_positions(keys, descending=descending)
    assert found == sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)


@pytest.mark.usefixtures("short_runs")
@pytest.mark.parametrize("patience", [0, 3, 30, 60])
def test_a_sort_can_be_cancelled(patience):
    keys = [number * 7 % 101 for number in range(100)]
    with Impatient(patience), pytest.raises(Cancelled):
        sorted_positions(keys, descending=False)


@pytest.mark.parametrize(
    "work",
    [
        lambda items: list(parts_of(items)),
        lambda items: items_at(items, items),
        lambda items: list(batches(items)),
        lambda items: list(full_batches(items)),
    ],
)
def test_long_lists_can_be_cancelled(work):
    items = list(range(PART_MAX * 3))
    with Impatient(1000):
        work(items)
    with Impatient(2), pytest.raises(Cancelled):
        work(items)


@pytest.mark.parametrize("size", [0, 1, 7, PART_MAX, PART_MAX * 2 + 5])
@pytest.mark.parametrize("first", [1, 8, PART_MAX])
def test_parts_and_batches_hold_every_item(size, first):
    items = list(range(size))
    assert [item for part in parts_of(items, first) for item in part] == items
    assert [item for batch in batches(items) for item in batch] == items
    assert items_at(items, items[::-1]) == items[::-1]


@given(keys=st.lists(st.binary(max_size=3), max_size=60))
def test_a_long_list_is_put_in_order(keys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deadline_checks, "_RUN", 4)
        assert deadline_checks.sort_with_checks(list(keys)) == sorted(keys)


@pytest.mark.parametrize("size", [0, 1, 16, 17, 1_000])
def test_interruptible_loops_yield_every_item(size):
    assert list(interruptible(range(size))) == list(range(size))
    assert list(interruptible_stream(iter(range(size)))) == list(range(size))


def test_long_loops_and_long_values_check_the_deadline():
    with Call(deadline=0.0):
        for work in (
            lambda: list(interruptible(range(1_000))),
            lambda: check_deadline_if_large("x" * 100_000),
        ):
            with pytest.raises(DeadlineExceeded):
                work()
        with pytest.raises(DeadlineExceeded):
            list(map(interruptible_calls(abs), range(1_000)))
        check_deadline_if_large("x")


@given(st.lists(st.lists(st.integers(), max_size=9), max_size=9), st.lists(st.integers(1, 12)))
def test_items_in_lists_are_taken_in_order_whatever_the_sizes(lists, sizes):
    items = [item for each in lists for item in each]
    source = Batched(map(list, lists))
    taken: list[int] = []
    for size in sizes:
        step = source.take(size)
        assert len(step) == min(size, len(items) - len(taken))
        taken += step
    taken += [next(source)] if len(taken) < len(items) else []
    assert [*taken, *source] == items
    assert [item for step in batches(Batched(map(list, lists))) for item in step] == items


def test_items_in_lists_are_not_read_before_they_are_asked_for():
    read: list[int] = []

    def lists():
        for number in range(4):
            read.append(number)
            yield [number, number]

    source = Batched(lists())
    assert read == []
    assert source.take(3) == [0, 0, 1]
    assert read == [0, 1]
    assert source.take(1) == [1]
    assert read == [0, 1]
