"""A short run; `python -m tests.stress.server` is the long one."""

from __future__ import annotations

import sys

import pytest

from tests.stress.server.campaign import Plan, campaign
from tests.stress.server.ledger import Ledger, differences


@pytest.mark.skipif(sys.platform != "linux", reason="reads the server's memory from /proc")
def test_a_busy_server_passes_every_check() -> None:
    verdict = campaign(Plan(seconds=20, threads=40, databases=4))
    print(verdict)
    if verdict.problems:
        pytest.fail(str(verdict), pytrace=False)
    assert all(report.actions.total() > 0 for report in verdict.reports)


class _Rows:
    """A database with the given rows in its tables, and the same in each of their indexes."""

    def __init__(self, **tables: list[tuple[object, ...]]) -> None:
        self._tables = tables

    def snapshot(self, **_options: object) -> _Rows:
        return self

    def read(self, table: str, *_rest: object) -> list[tuple[object, ...]]:
        return self._tables[table]

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, *_exit: object) -> None:
        pass


def test_the_ledger_detects_differences() -> None:
    accounts: list[tuple[object, ...]] = [(number, 1_000, 0) for number in range(16)]
    lines: list[tuple[object, ...]] = [("a", number) for number in range(3)]
    ledger = Ledger(orders={"a"})
    right = _Rows(Accounts=accounts, Orders=[("a",)], Lines=lines)
    assert list(differences(right, ledger)) == []
    cases = (
        (_Rows(Accounts=accounts[1:], Orders=[("a",)], Lines=lines), "balances"),
        (_Rows(Accounts=[(0, 1_000, 1), *accounts[1:]], Orders=[("a",)], Lines=lines), "account 0"),
        (_Rows(Accounts=accounts, Orders=[], Lines=lines), "orders: 1 lost"),
        (_Rows(Accounts=accounts, Orders=[("a",)], Lines=lines[1:]), "lines: 1 lost"),
        (_Rows(Accounts=accounts, Orders=[("a",)], Lines=[*lines, ("b", 0)]), "lines: 1 should"),
        (_Rows(Accounts=accounts, Orders=[("a",)], Lines=lines * 2), "some came twice"),
    )
    for rows, problem in cases:
        assert any(problem in found for found in differences(rows, ledger)), problem
