from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql import resolved as r
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, KeyedSpool
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.planning import IndexNotFound, NullFilteredIndexUnusable
from spanemu.sql.planner.properties import not_null_columns
from tests.unit.sql.world import ALBUMS, SCHEMA, MemoryReader, TableRefs, analyzed, planned, query


class Counted(MemoryReader):
    """A reader that reports given table sizes."""

    def __init__(self, **sizes: int) -> None:
        super().__init__({})
        self.sizes = sizes

    def row_count_estimate(self, table):
        return self.sizes.get(table.name, 0)


def plan(sql: str, **sizes: int):
    return plan_statement(analyzed(sql), SCHEMA, Counted(**sizes))


def kinds(root) -> list[type]:
    return [type(node) for node in walk(root)]


JOIN = "SELECT s.FirstName, a.Title FROM Albums a JOIN Singers s ON s.SingerId = a.SingerId"


def test_table_sizes_decide_between_hash_join_and_look_ups():
    assert HashJoin in kinds(plan(JOIN).root)
    assert ApplyJoin in kinds(plan(JOIN, Singers=1_000_000).root)


def test_many_rows_are_hashed_instead_of_sought_one_by_one():
    sql = (
        "SELECT s.LastName, a.Title FROM Singers s JOIN Albums a ON s.SingerId = a.SingerId "
        "WHERE s.FirstName = 'x'"
    )
    assert ApplyJoin in kinds(plan(sql, Singers=8_000, Albums=60_000).root)
    assert HashJoin in kinds(plan(sql, Singers=40_000, Albums=60_000).root)
    limited = f"{sql} LIMIT 3"  # which needs few of the rows
    assert ApplyJoin in kinds(plan(limited, Singers=40_000, Albums=60_000).root)


def test_the_smaller_side_is_hashed():
    hashed = JOIN.replace("JOIN", "JOIN@{JOIN_METHOD=HASH_JOIN}")
    for sizes, smaller in (({"Albums": 9_000}, "Singers"), ({"Singers": 9_000}, "Albums")):
        join = next(node for node in walk(plan(hashed, **sizes).root) if isinstance(node, HashJoin))
        assert isinstance(join.right, Scan)
        assert join.right.table.name == smaller


def test_a_correlated_equality_without_a_key_is_spooled():
    names = "SELECT ARRAY(SELECT x.Name FROM Songs x WHERE x.{} = s.SingerId) FROM Singers s"
    sql = names.format("TrackId")
    assert KeyedSpool in kinds(planned(sql).root)
    seeks = names.format("SingerId") + " WHERE s.SingerId = 1"
    assert KeyedSpool not in kinds(planned(seeks).root)


def test_an_index_that_may_lack_rows_cannot_be_forced():
    with pytest.raises(NullFilteredIndexUnusable) as failure:
        planned("SELECT SingerId FROM Albums@{FORCE_INDEX=AlbumsByBudget}")
    assert failure.value.code is Code.INVALID_ARGUMENT
    assert (failure.value.index, failure.value.table) == ("AlbumsByBudget", "Albums")
    unchecked = (
        "SELECT SingerId FROM Albums@{FORCE_INDEX=AlbumsByBudget, "
        "spanner_emulator.disable_query_null_filtered_index_check=true}"
    )
    assert planned(unchecked).root.index.name == "AlbumsByBudget"


def test_an_index_of_another_table_cannot_be_forced():
    refs = TableRefs(ALBUMS, (("force_index", "SongsByName"),))
    with pytest.raises(IndexNotFound):
        plan_statement(query(refs.scan, refs["Title"]), SCHEMA, MemoryReader({}))


def test_unneeded_columns_are_not_read():
    root = planned(
        "SELECT n FROM (SELECT Title, COUNT(*) AS n, MAX(Budget) FROM Albums GROUP BY Title)"
    ).root
    (scan,) = [node for node in walk(root) if isinstance(node, Scan)]
    assert [stored.name for _, stored in scan.outputs] == ["Title"]


def test_columns_and_filters_exclude_null():
    root = planned(
        "SELECT SingerId, Budget, Title FROM Albums WHERE Budget > 1 AND AlbumId + 1 > 0"
    ).root
    assert isinstance(root, Scan)
    ids = {stored.name: output.id for output, stored in root.outputs}
    assert ids["SingerId"] in not_null_columns(root)
    assert ids["Title"] not in not_null_columns(root)


def test_a_lock_hint_makes_scans_lock():
    root = planned("@{LOCK_SCANNED_RANGES=exclusive} SELECT Title FROM Albums").root
    assert root.for_update
    assert planned("SELECT Title FROM Albums FOR UPDATE").root.for_update
    assert not planned("SELECT Title FROM Albums").root.for_update
    assert r.TRUE.value is True
