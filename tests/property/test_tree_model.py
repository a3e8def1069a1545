"""A tree and its copies against dicts: whatever is scanned between two writes, all agree."""

from __future__ import annotations

from itertools import repeat

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from spanemu.storage.tree import Tree
from spanemu.storage.versions import first_version, push

# So small that a few keys fill several leaves and layers.
SIZES = {
    "tree.LEAF_KEYS_MAX": 5,
    "tree.LEAF_KEYS_MIN": 2,
    "leaf.FEW_KEYS": 2,
    "leaf.UPDATE_COST": 1,
    "tree.PENDING_MIN": 3,
    "tree.ARRIVED_MAX": 4,
    "tree._first_arrived_max": repeat(2),
    "tree.UPDATE_COST": 1,
    "layers.COPIED_MAX": 3,
    "tree.SCANS_APART": 1,
    "locality._NEAR_BYTES": -1,
}
KEYS = st.integers(0, 12).map(lambda number: bytes([number]))
BOUNDS = st.one_of(st.just((b"", b"\xff")), st.tuples(KEYS, KEYS))
CELLS = st.one_of(st.none(), st.integers(0, 9).map(lambda number: (number,)))


class TreesAgainstDicts(RuleBasedStateMachine):
    """`trees` are written; `frozen` were copied. Each has its rows by key, None if deleted."""

    @initialize(keys=st.sets(KEYS))
    def start(self, keys) -> None:
        self.patch = pytest.MonkeyPatch()
        for name, size in SIZES.items():
            self.patch.setattr(f"spanemu.storage.{name}", size)
        items = [(key, first_version((0,), 1)) for key in sorted(keys)]
        self.trees = [(Tree(items), dict.fromkeys(keys, (0,)))]
        self.trees[0][0].is_owned = True
        self.frozen: list[tuple[Tree, dict]] = []
        self.at = 1

    def teardown(self) -> None:
        if hasattr(self, "patch"):
            self.patch.undo()

    @rule(data=st.data(), writes=st.lists(st.tuples(KEYS, CELLS), min_size=1, max_size=6))
    def write(self, data, writes) -> None:
        tree, rows = data.draw(st.sampled_from(self.trees))
        self.at += 1
        for key, row in writes:
            older = tree.get(key)
            is_new = older is None
            tree[key] = first_version(row, self.at) if is_new else push(older, self.at, row, 0)
            rows[key] = row
        tree.check()

    @rule(data=st.data(), keys=st.sets(KEYS, min_size=1))
    def insert_new(self, data, keys) -> None:
        tree, rows = data.draw(st.sampled_from(self.trees))
        new = keys - set(tree.maps[0]).union(*tree.maps)
        if new:
            self.at += 1
            tree.insert_all({key: first_version((7,), self.at) for key in new}, self.at)
            rows.update(dict.fromkeys(new, (7,)))  # not checked here: checks sort the leaves

    @rule(data=st.data(), keys=st.sets(KEYS, max_size=5))
    def remove(self, data, keys) -> None:
        tree, rows = data.draw(st.sampled_from(self.trees))
        for key in keys:  # as an undo or a collection of old versions does
            tree.discard(key)
            rows.pop(key, None)
        tree.check()

    @rule(data=st.data())
    def copy(self, data) -> None:
        number = data.draw(st.sampled_from(range(len(self.trees))))
        tree, rows = self.trees[number]
        self.frozen = [*self.frozen[-3:], (tree, rows)]
        self.trees[number] = (tree.copy(), dict(rows))
        if len(self.trees) < 2:
            self.trees.append((tree.copy(), dict(rows)))

    @rule(data=st.data(), bounds=BOUNDS, descending=st.booleans())
    def scan(self, data, bounds, descending) -> None:
        low, high = bounds
        tree, rows = data.draw(st.sampled_from([*self.trees, *self.frozen]))
        expected = [(key, row) for key, row in sorted(rows.items()) if low <= key < high]
        alive = [row for _, row in expected if row is not None]
        items = [(key, row) for key, row in expected if row is not None]
        pieces = list(tree.pieces(low, high, descending)) if low < high else []
        if descending:
            pieces.reverse()
        assert [row for piece in pieces for row in tree.rows(piece, self.at)] == alive
        assert [item for piece in pieces for item in tree.row_items(piece, self.at)] == items
        if low < high:
            assert tree.count_rows(low, high, self.at, 1_000) == (len(items), None)

    @rule()
    def agree(self) -> None:
        for tree, rows in [*self.trees, *self.frozen]:
            tree.check()
            assert {key: version[1] for key, version in tree.items()} == rows


TreesAgainstDicts.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
TestTreesAgainstDicts = TreesAgainstDicts.TestCase
