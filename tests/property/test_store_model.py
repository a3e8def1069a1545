"""The store against dicts: at each timestamp, snapshot and clone, both agree."""

from __future__ import annotations

from itertools import repeat

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from spanemu.base.clock import ManualClock
from spanemu.storage.layout import TreeId, root_boundary
from spanemu.storage.store import Store
from spanemu.storage.vector_rows import VectorRows
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW
from spanemu.values.vector_rows import VectorColumn

MASKS = st.sampled_from([EXISTENCE, 2, 4, 6, WHOLE_ROW])
RETENTION_NANOS = 50_000
# So small that a few rows fill several leaves, layers and batches.
SIZES = {
    "tree.LEAF_KEYS_MAX": 5,
    "tree.LEAF_KEYS_MIN": 2,
    "tree.UPDATE_COST": 1,
    "layers.COPIED_MAX": 3,
    "leaf.FEW_KEYS": 2,
    "leaf.UPDATE_COST": 1,
    "store.MANY_WRITES": 2,
    "tree.PENDING_MIN": 2,
    "tree.ARRIVED_MAX": 4,
    "tree._first_arrived_max": repeat(2),
    "reads.BATCH_ROWS_FIRST": 2,
    "reads.BATCH_LEAVES_MAX": 2,
    "reads.COUNT_LOOKS_MAX": 2,
    "tree.SCANS_APART": 1,
    "locality._NEAR_BYTES": -1,
    "vector_rows.STALE_MIN": 3,
}
ROOT, CHILD = TreeId(1), TreeId(2)
KEYS = st.integers(0, 12).map(lambda n: bytes([n]))
CHILD_KEYS = st.tuples(KEYS, st.integers(0, 2)).map(lambda pair: pair[0] + bytes([pair[1]]))
CELLS = st.one_of(st.none(), st.integers(0, 9).map(lambda n: (n or None,)))
WRITES = st.lists(
    st.one_of(st.tuples(st.just(ROOT), KEYS, CELLS), st.tuples(st.just(CHILD), CHILD_KEYS, CELLS)),
    max_size=5,
    unique_by=lambda write: write[:2],
)


def seen(store: Store, tree: TreeId, at: int) -> dict:
    """Return the rows that a search by vectors sees, in key order of each part."""
    if store.vector_rows is None:
        store.vector_rows = VectorRows(store)
    view = store.vector_rows.view(VectorColumn(tree, 0, 1), at)
    gathered = view.gathered
    assert gathered.keys == sorted(gathered.keys)
    hidden = set(gathered.places(view.hidden))
    assert hidden == {n for n, key in enumerate(gathered.keys) if key in view.hidden}
    vectors = zip(gathered.keys, gathered.rows, strict=True)
    nulls = zip(gathered.null_keys, gathered.null_rows, strict=True)
    left = {key: row for key, row in [*vectors, *nulls] if key not in view.hidden}
    return left | dict(view.fresh)


class StoreAgainstDicts(RuleBasedStateMachine):
    """`history` maps each commit's timestamp to all rows as of it."""

    snapshots = Bundle("snapshots")

    @initialize()
    def start(self) -> None:
        self.patch = pytest.MonkeyPatch()
        for name, size in SIZES.items():
            self.patch.setattr(f"spanemu.storage.{name}", size)
        self.store = Store(ManualClock(), RETENTION_NANOS)
        self.store.create_tree(ROOT, ROOT)
        self.store.create_tree(CHILD, ROOT)
        self.history: dict[int, dict] = {0: {}}
        self.clones: list[tuple[Store, dict]] = []
        self.taken: list = []
        self.written: list[tuple[int, dict]] = []  # masks of cells by row, for each commit

    def teardown(self) -> None:
        self.patch.undo()

    @property
    def rows(self) -> dict:
        return self.history[max(self.history)]

    @rule(writes=WRITES, data=st.data())
    def commit(self, writes, data) -> None:
        at = self.store.read_timestamp()
        rows = dict(self.rows)
        updated = [write[:2] for write in writes if write[2] and write[:2] in rows]
        cells = data.draw(st.fixed_dictionaries({}, optional=dict.fromkeys(updated, MASKS)))
        self.store.apply(writes, at, cells)
        self.written.append((at, {write[:2]: cells.get(write[:2], WHOLE_ROW) for write in writes}))
        for tree, key, row in writes:
            rows[tree, key] = row
        self.history[at] = {place: row for place, row in rows.items() if row is not None}

    @rule(micros=st.integers(1, 60), collect=st.booleans())
    def age(self, micros, collect) -> None:
        self.store.clock.advance(1_000 * micros)
        if collect:
            self.store.collect_garbage()

    @property
    def readable(self) -> list[int]:
        horizon = self.store.clock.peek() - RETENTION_NANOS
        return [max(self.history), *(at for at in self.history if at >= horizon)]

    @rule(key=KEYS)
    def cut(self, key) -> None:
        self.store.cut([root_boundary(ROOT, key)])

    @rule(target=snapshots)
    def snapshot(self):
        taken = (self.store.snapshot(), dict(self.rows))
        self.taken.append(taken)
        return taken

    @rule(taken=snapshots)
    def restore(self, taken) -> None:
        if taken not in self.taken:
            return
        del self.taken[self.taken.index(taken) + 1 :]
        self.store.restore(taken[0])
        # Earlier timestamps may now show the restored state: only the present is compared.
        self.history = {self.store.read_timestamp(): dict(taken[1])}
        self.written = []

    @rule()
    def clone(self) -> None:
        self.clones.append((self.store.clone(), dict(self.rows)))

    @rule(data=st.data(), writes=WRITES)
    def write_to_a_clone(self, data, writes) -> None:
        if self.clones:
            store, rows = data.draw(st.sampled_from(self.clones))
            store.apply(writes, store.read_timestamp())
            rows |= {(tree, key): row for tree, key, row in writes}
            for location in [location for location, row in rows.items() if row is None]:
                del rows[location]

    @rule(data=st.data())
    def go_back(self, data) -> None:
        """Clone the store as a backup does: later writes and evictions do not change the clone."""
        at = data.draw(st.sampled_from(sorted(self.readable)))
        self.clones.append(
            (self.store.as_of(at, {ROOT: (ROOT,), CHILD: (ROOT, CHILD)}), dict(self.history[at]))
        )

    @rule(data=st.data(), descending=st.booleans())
    def scan_a_range(self, data, descending) -> None:
        at = data.draw(st.sampled_from(sorted(self.readable)))
        low, high = sorted([data.draw(CHILD_KEYS), data.draw(CHILD_KEYS)])
        for tree in (ROOT, CHILD):
            result = list(self.store.scan_items(tree, [(low, high)], at, descending=descending))
            expected = [
                (key, row)
                for (owner, key), row in sorted(self.history[at].items(), reverse=descending)
                if owner == tree and low <= key < high
            ]
            assert result == expected
            assert sum(self.store.count(tree, [(low, high)], at)) == len(expected)
            whole = [owner for owner, _ in self.history[at] if owner == tree]
            assert sum(self.store.count(tree, None, at)) == len(whole)

    @rule(data=st.data(), mask=MASKS)
    def ask_what_was_written(self, data, mask) -> None:
        at = data.draw(st.sampled_from(sorted(self.readable)))
        low, high = sorted([data.draw(CHILD_KEYS), data.draw(CHILD_KEYS)])
        for tree in (ROOT, CHILD):
            expected = any(
                written & mask
                for commit, masks in self.written
                for (owner, key), written in masks.items()
                if commit > at and owner == tree and low <= key < high
            )
            assert self.store.written_since(tree, [(low, high)], at, mask) == expected

    @rule(data=st.data())
    def search(self, data) -> None:
        """Search rows that were gathered for an earlier search, and what was written since."""
        at = data.draw(st.sampled_from(sorted(self.readable)))
        for tree in (ROOT, CHILD):
            expected = {key: row for (owner, key), row in self.history[at].items() if owner == tree}
            assert seen(self.store, tree, at) == expected
        for store, rows in self.clones:
            expected = {key: row for (owner, key), row in rows.items() if owner == ROOT}
            assert seen(store, ROOT, store.read_timestamp()) == expected

    @rule(key=CHILD_KEYS)
    def get_one(self, key) -> None:
        assert self.store.get(CHILD, key) == self.rows.get((CHILD, key))

    @invariant()
    def present_agrees(self) -> None:
        if not hasattr(self, "store"):
            return
        for store, rows in [(self.store, self.rows), *self.clones]:
            store.check()
            result = {
                (tree, key): row for tree in (ROOT, CHILD) for key, row in store.scan_items(tree)
            }
            assert result == rows


StoreAgainstDicts.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
TestStoreAgainstDicts = StoreAgainstDicts.TestCase
