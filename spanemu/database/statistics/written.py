"""How many rows and bytes commits wrote, and to how many splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spanemu.database.statements.results import WrittenRows
from spanemu.database.statistics.weight import row_weigher
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, hierarchy_of, key_reader, tree_of
from spanemu.storage.structure import Place, Structure


class Weighed:
    """What commits wrote, by the tables of one schema and the splits that there are now."""

    def __init__(self, schema: Schema, structure: Structure) -> None:
        self._structure = structure
        self._keys = {tree_of(thing): key_reader(thing) for thing in schema.sorted_things()}
        self._tables = {tree_of(table): table for table in schema.tables.values()}
        self._weighers = {tree: row_weigher(table) for tree, table in self._tables.items()}
        self._hierarchies: dict[TreeId, TreeId] = {
            tree_of(thing): hierarchy_of(schema, thing) for thing in schema.sorted_things()
        }

    def by_table(
        self, samples: Iterable[WrittenRows], trees: Mapping[int, float]
    ) -> dict[str, tuple[int, float]]:
        """(rows, bytes) by table of `trees`, the rows by tree; the bytes are like the samples'."""
        weighed: dict[int, tuple[int, int]] = {}
        for written in samples:
            for tree, rows, _ in written:
                weigh = self._weighers.get(TreeId(tree))
                left = [row for row in rows if row is not None]
                if weigh is not None and left:
                    count, size = weighed.get(tree, (0, 0))
                    weighed[tree] = count + len(left), size + sum(map(weigh, left))
        found = {}
        for tree, rows_left in trees.items():
            table = self._tables.get(TreeId(tree))
            if table is not None:
                count, size = weighed.get(tree, (1, 0))
                found[table.name] = round(rows_left), rows_left * size / count
        return found

    def participants(self, written: WrittenRows) -> int:
        """About how many splits a commit wrote to; of many rows some are looked at.

        Of what was deleted no keys are kept: it counts as one split of its hierarchy at least.
        """
        found: set[Place] = set()
        trees: set[TreeId] = set()
        for tree, rows, _ in written:
            trees.add(self._hierarchies.get(TreeId(tree), TreeId(tree)))
            key_of = self._keys.get(TreeId(tree))
            if key_of is not None:
                keys = [(TreeId(tree), key_of(row)) for row in rows if row is not None]
                found |= self._structure.places_having(keys)
        return max(1, len(found) + len(trees - {place.hierarchy for place in found}))
