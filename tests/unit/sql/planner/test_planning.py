"""The context of planning one statement."""

from __future__ import annotations

from spanemu.sql.planner.planning import Planning
from spanemu.values.types import INT64
from tests.unit.sql.world import ALBUMS, SCHEMA, MemoryReader


def test_the_context_of_a_correlated_part_leaves_the_statement_alone() -> None:
    planning = Planning(SCHEMA, MemoryReader({}))
    inner = planning.hashing_correlations()
    assert (planning.hashes_correlations, inner.hashes_correlations) == (False, True)
    assert inner.new_column("a", INT64).id != planning.new_column("b", INT64).id
    assert inner.size(ALBUMS) == planning.sizes[ALBUMS.name]
