"""A few hundred seeds in every run of the tests; `python -m tests.stress.isolation` plays more."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from spanemu.storage.layout import TreeId
from spanemu.storage.store import Store
from spanemu.txn import constraint_checks, reader
from spanemu.txn.deferred_checks import DeferredChecks
from spanemu.txn.errors import ReferencedKeyMissing
from spanemu.txn.locks import table as locks
from spanemu.txn.locks.table import LockTable
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.txn.reader import TransactionReader
from spanemu.txn.write_plan import WritePlan
from spanemu.values.cell_mask import EXISTENCE, cells_of
from spanemu.values.key import ByteRange, successor
from tests.stress.isolation.campaign import Simulation, tally, template_database
from tests.stress.isolation.history import Ending

SEEDS_PER_TEST = 25
OPERATIONS = 40
FIRST_SEEDS = [
    *(("googlesql", first) for first in range(0, 250, SEEDS_PER_TEST)),
    ("postgresql", 0),
]


@pytest.mark.parametrize(("dialect", "first"), FIRST_SEEDS)
def test_histories_can_be_explained(dialect: str, first: int) -> None:
    for seed in range(first, first + SEEDS_PER_TEST):
        try:
            Simulation(seed, OPERATIONS, dialect).run()
        except Exception as failure:
            again = f"--seed {seed} --operations {OPERATIONS} --dialect {dialect}"
            raise AssertionError(
                f"python -m tests.stress.isolation {again}\n{failure}"
            ) from failure


def test_a_seed_replays() -> None:
    played = [str(Simulation(3, OPERATIONS).run()) for _ in range(2)]
    assert played[0] == played[1]


def test_transactions_end_in_every_way() -> None:
    ends = dict.fromkeys(Ending, 0)
    for seed in range(5):
        for ending, count in tally(Simulation(seed, OPERATIONS).run()).items():
            ends[ending] += count
    assert min(ends.values()) > 0


def writes(plan: WritePlan) -> int:
    return cells_of(plan.listed - frozenset(plan.rules.table.key_positions))


def refer_unlocked(notes: DeferredChecks, view: TransactionWorkspace) -> None:
    """Verify foreign keys without locks: the referenced row may go before the commit."""
    for (_, values), reference in notes.references.items():
        if not view.exists(reference.target_tree, reference.target_prefix(values)):
            raise ReferencedKeyMissing("", "", "", "", "")


def rows_alone(store: Store, tree: TreeId, ranges: Any, *, descending: bool) -> list[ByteRange]:
    """Return pieces that do not prevent new rows between those that are read."""
    keys = [key for key, _ in store.scan_items(tree, ranges, descending=descending)]
    return [(key, successor(key)) for key in keys]


# What the simulation is worth: each of these takes one protection away, and must be found out.
BROKEN = {
    "scans lock nothing": (LockTable, "_try_range", lambda *_: None),
    "locked ranges admit writers": (locks.RangeUnion, "covers", lambda *_: False),
    "scans go past uncommitted writes": (locks.KeySet, "meets", lambda *_: False),
    "nobody waits": (LockTable, "_wound_blockers", lambda *_: []),
    "nobody is wounded": (LockTable, "_wound_blockers", lambda _, owner, blockers, *__: blockers),
    "the wounded go on": (LockTable, "_wound", lambda self, owner, why: self._drop(owner)),
    "locks are never given up": (LockTable, "_drop", lambda *_: None),
    "commits are not validated": (TransactionWorkspace, "validate", lambda _: None),
    "only writes are validated": (Store, "written_since", lambda *_: False),
    "rows locked together are not locked at all": (
        LockTable,
        "_take_free",
        lambda *_: [],
    ),
    "referenced rows are not locked": (constraint_checks, "_verify_references", refer_unlocked),
    "scans with a limit leave gaps between rows": (reader, "incremental_ranges", rows_alone),
    "optimistic writes are not locked": (TransactionWorkspace, "lock_writes", lambda _: None),
    "reads lock no cells": (TransactionReader, "_lock", lambda *_: (EXISTENCE, 0)),
    "updates read no other cells": (
        WritePlan,
        "lock",
        property(lambda self: (EXISTENCE, writes(self))),
    ),
    "parts of rows go on top of what was there": (TransactionWorkspace, "rebase", lambda _: None),
    "commits do not ask whether they were wounded": (LockTable, "begin_commit", lambda *_: None),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checker_detects_a_broken_engine(name: str) -> None:
    owner, attribute, broken = BROKEN[name]
    template_database()  # while nothing is broken
    with patch.object(owner, attribute, broken), pytest.raises((AssertionError, KeyError)):
        _play(range(500))


@pytest.mark.parametrize("name", ["scans lock nothing", "reads lock no cells"])
def test_the_checker_detects_a_broken_engine_in_postgresql(name: str) -> None:
    owner, attribute, broken = BROKEN[name]
    template_database("postgresql")
    with patch.object(owner, attribute, broken), pytest.raises((AssertionError, KeyError)):
        _play(range(500), "postgresql")


def _play(seeds: range, dialect: str = "googlesql") -> None:
    for seed in seeds:
        Simulation(seed, OPERATIONS, dialect).run()
