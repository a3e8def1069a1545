"""Tables, views, arrays and joins in FROM."""

from __future__ import annotations

import pytest

from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column
from spanemu.sql import resolved as r
from spanemu.sql.analysis.errors import GeneratedColumnCycle, LimitExceeded
from spanemu.sql.googlesql.analyzer.errors import UsingColumnsDiffer
from spanemu.sql.googlesql.analyzer.name_errors import DuplicateTableAlias, TableNotFound
from spanemu.values.types import INT64
from tests.unit.sql.googlesql.analyzer.shop import SCHEMA, query, scans, table


def columns_read(sql: str, schema: Schema = SCHEMA) -> list[list[str]]:
    table_scans = scans(query(sql, schema).scan, r.TableScan)
    return [[stored.name for _, stored in scan.columns] for scan in table_scans]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1 FROM Singers", [[]]),
        ("SELECT LastName FROM Singers WHERE Active", [["Active", "LastName"]]),
        ("SELECT FullName FROM Singers", [["FirstName", "LastName"]]),
        ("SELECT Initial FROM Singers", [["FirstName", "LastName"]]),
        ("SELECT Loud FROM Singers", [["Loud"]]),
        ("SELECT COUNT(*) FROM Singers s JOIN Albums a USING (SingerId)", [["SingerId"]] * 2),
        ("SELECT (SELECT MAX(Budget) FROM Albums) FROM Singers", [[]]),
    ],
)
def test_a_scan_has_the_columns_that_the_query_uses(sql: str, expected: list[list[str]]) -> None:
    assert columns_read(sql) == expected


def test_a_scan_of_a_wide_table_has_only_the_used_columns() -> None:
    wide = table("Wide", 9, *(Column(f"c{number}", INT64) for number in range(1024)))
    schema = Schema(dialect=GOOGLE_STANDARD_SQL, tables={"wide": wide})
    assert columns_read("SELECT c1000 FROM Wide WHERE c0 = 1", schema) == [["c0", "c1000"]]


def test_a_generated_column_that_depends_on_itself_is_refused() -> None:
    bad = table(
        "Bad",
        9,
        Column("k", INT64),
        Column("a", INT64, generated="b + 1", stored=False),
        Column("b", INT64, generated="a + 1", stored=False),
    )
    with pytest.raises(GeneratedColumnCycle):
        query("SELECT a FROM Bad", Schema(dialect=GOOGLE_STANDARD_SQL, tables={"bad": bad}))


def test_for_update_applies_to_subqueries_but_not_to_common_tables() -> None:
    statement = query(
        "WITH c AS (SELECT Title FROM Albums) SELECT 1 FROM c, Singers,"
        " (SELECT Title FROM Albums) FOR UPDATE"
    )
    locked = {(scan.table.name, scan.for_update) for scan in scans(statement.scan, r.TableScan)}
    assert locked == {("Albums", False), ("Albums", True), ("Singers", True)}
    assert statement.for_update


def test_a_view_that_reads_itself_exceeds_the_depth_limit() -> None:
    endless = View("v", "SELECT x FROM v", (("x", INT64),))
    with pytest.raises(LimitExceeded):
        query("SELECT x FROM v", Schema(dialect=GOOGLE_STANDARD_SQL, views={"v": endless}))


def test_an_error_inside_a_view_has_a_position_in_the_view() -> None:
    broken = View("v", "SELECT\n  x FROM gone", (("x", INT64),))
    with pytest.raises(TableNotFound) as caught:
        query(
            "SELECT                    x FROM v",
            Schema(dialect=GOOGLE_STANDARD_SQL, views={"v": broken}),
        )
    assert (caught.value.line, caught.value.column_number) == (2, 10)


def test_an_array_can_be_either_side_of_a_join() -> None:
    (scan,) = scans(query("SELECT 1 FROM Singers s LEFT JOIN s.Tags").scan, r.ArrayScan)
    assert scan.outer
    assert isinstance(scan.input, r.TableScan)
    (join,) = scans(query("SELECT 1 FROM Singers s FULL JOIN UNNEST([1]) ON TRUE").scan, r.JoinScan)
    assert isinstance(join.right, r.ArrayScan)
    assert join.right.input is None


def test_each_reference_to_a_common_table_has_its_own_columns() -> None:
    statement = query("WITH a AS (SELECT 1 AS x) SELECT p.x, q.x FROM a AS p, a AS q")
    first, second = scans(statement.scan, r.WithRef)
    assert first.name == second.name
    assert first.columns[0].id != second.columns[0].id


def test_column_ids_are_unique() -> None:
    statement = query("SELECT a.*, b.*, t.* FROM Albums a, Albums b, Titles t")
    ids = [column.id for scan in scans(statement.scan, r.TableScan) for column, _ in scan.columns]
    assert len(ids) == len(set(ids)) == 12


@pytest.mark.parametrize(
    ("sql", "failure"),
    [
        ("SELECT 1 FROM Singers s JOIN Albums s ON TRUE", DuplicateTableAlias),
        ("SELECT 1 FROM Singers s JOIN (SELECT 'a' AS SingerId) USING (SingerId)",
         UsingColumnsDiffer),
        ("SELECT 1 FROM " + ", ".join(f"Singers s{n}" for n in range(22)), LimitExceeded),
    ],
)  # fmt: skip
def test_refused(sql: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        query(sql)
