"""Rows that are read while their request is served."""

from __future__ import annotations

import pytest

from spanemu.database.transactions import read_write
from spanemu.database.transactions.read_write import read_ahead as ahead


class Counter:
    """A counter of how often it was asked whether the rows count."""

    times = 0

    def __call__(self) -> None:
        self.times += 1


@pytest.fixture(autouse=True)
def three(monkeypatch) -> None:
    monkeypatch.setattr(read_write, "ROWS_READ_AHEAD_MAX", 3)


def test_few_rows_are_read_at_once() -> None:
    source, check = iter([(1,), (2,)]), Counter()
    rows = ahead(source, check)
    assert next(source, None) is None
    assert check.times == 1
    assert list(rows) == [(1,), (2,)]
    assert check.times == 1


def test_more_rows_stream_and_are_checked_again() -> None:
    source, check = iter([(number,) for number in range(5)]), Counter()
    rows = ahead(source, check)
    assert next(source) == (3,)
    assert list(rows) == [(0,), (1,), (2,), (4,)]
    assert check.times == 2


def test_rows_that_fail_the_check_are_not_returned() -> None:
    def refuse() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ahead(iter([(1,)]), refuse)


def test_an_abandoned_stream_closes_its_source() -> None:
    closed = []

    def source():
        try:
            for number in range(9):
                yield (number,)
        finally:
            closed.append(True)

    rows = ahead(source(), lambda: None)
    for _ in range(4):
        next(rows)
    rows.close()
    assert closed == [True]
