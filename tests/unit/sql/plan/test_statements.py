from __future__ import annotations

from spanemu.sql import resolved as r
from spanemu.sql.plan.statements import reads_of
from spanemu.sql.planner.build import plan_statement
from spanemu.values.types import STRING
from tests.unit.sql.world import SCHEMA, MemoryReader, column, planned, query


def test_columns_of_conditions_and_results_are_read():
    reads = reads_of(planned("SELECT FirstName FROM Singers WHERE Rating > 1"))
    assert reads.columns == {"Singers": {"FirstName", "Rating"}}
    assert reads.indexes == frozenset()


def test_an_index_is_named_and_subqueries_count():
    reads = reads_of(
        planned(
            "SELECT (SELECT MAX(Budget) FROM Albums a WHERE a.SingerId = s.SingerId) "
            "FROM Singers s WHERE LastName = 'x'"
        )
    )
    assert reads.columns == {"Singers": {"SingerId", "LastName"}, "Albums": {"SingerId", "Budget"}}
    assert reads.indexes == {"SingersByLastName"}


def test_an_update_reads_keys_and_the_columns_of_its_values():
    reads = reads_of(planned("UPDATE Albums SET Budget = 1 WHERE Title = 'x'"))
    assert reads.columns == {"Albums": {"SingerId", "AlbumId", "Title"}}


def test_then_return_reads_what_it_returns():
    reads = reads_of(planned("DELETE FROM Singers WHERE SingerId = 1 THEN RETURN UPPER(LastName)"))
    assert reads.columns == {"Singers": {"SingerId", "LastName"}}


def test_system_tables_are_listed_separately():
    name = column("TABLE_NAME", STRING)
    scan = r.SystemTableScan("INFORMATION_SCHEMA.TABLES", ((name, 2),))
    reads = reads_of(plan_statement(query(scan, name), SCHEMA, MemoryReader({})))
    assert reads.columns == {}
    assert reads.system_tables == {"INFORMATION_SCHEMA.TABLES"}
