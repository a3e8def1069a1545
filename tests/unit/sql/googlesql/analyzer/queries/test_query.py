"""Whole queries: properties of the statement, order and limits."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError, Unsupported
from spanemu.sql import resolved as r
from spanemu.sql.analysis.errors import LimitExceeded, NestedTooDeeply
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql.analyzer.errors import StructColumn
from spanemu.values.order import ASCENDING, DESCENDING
from tests.unit.sql.googlesql.analyzer.shop import analyzed, query, scans, type_of, types


def test_a_struct_is_not_returned() -> None:
    for sql in ("SELECT (1, 2)", "SELECT AS STRUCT 1 AS a", "SELECT a FROM Albums AS a"):
        with pytest.raises(StructColumn) as caught:
            query(sql)
        assert caught.value.code is Code.UNIMPLEMENTED
    assert types("SELECT ARRAY(SELECT AS STRUCT 1 AS a)") == ["ARRAY<STRUCT<a INT64>>"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT (SELECT s.FirstName) FROM Singers AS s",
        "SELECT ARRAY(SELECT s.FirstName AS a UNION ALL SELECT s.LastName) FROM Singers AS s",
        "SELECT (SELECT MAX(a) FROM (SELECT s.FirstName AS a)) FROM Singers AS s"
        " GROUP BY s.FirstName",
    ],
)
def test_a_query_produces_its_output_columns_even_correlated_columns(sql: str) -> None:
    statement = query(sql)
    assert isinstance(statement.scan, r.ProjectScan)
    ((_, subquery),) = statement.scan.computed
    assert isinstance(subquery, r.SubqueryExpr)
    below = scans(statement.scan.input, r.TableScan)
    outside = {column.id for scan in below for column, _ in scan.columns}
    for project in scans(subquery.scan, r.ProjectScan):
        assert not {column.id for column, _ in project.computed} & outside
    assert not {column.id for column in subquery.output} & outside
    for union in scans(subquery.scan, r.SetOpScan):
        assert not {column.id for _, columns in union.inputs for column in columns} & outside


def test_sequences_need_a_read_write_transaction() -> None:
    assert query("SELECT GET_NEXT_SEQUENCE_VALUE(SEQUENCE seq)").needs_read_write
    assert not query("SELECT GET_INTERNAL_SEQUENCE_STATE(SEQUENCE Seq)").needs_read_write


def test_order_by_runs_after_the_select_list() -> None:
    statement = query("SELECT UPPER(FirstName) AS u FROM Singers ORDER BY u, LastName, 1 DESC")
    assert isinstance(statement.scan, r.OrderScan)
    assert isinstance(statement.scan.input, r.ProjectScan)
    keys = [key.value for key in statement.scan.keys]
    assert all(isinstance(key, r.ColumnRef) for key in keys)
    orders = [key.order for key in statement.scan.keys]
    assert orders == [ASCENDING, ASCENDING, DESCENDING]


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("SELECT " + "ABS(" * 80 + "1" + ")" * 80, "nested function calls"),
        ("SELECT " + "(SELECT " * 30 + "1" + ")" * 30, "nested subqueries"),
        ("SELECT 1 FROM Singers WHERE " + " OR ".join(["SingerId = 1"] * 1001), "function calls"),
        (" UNION ALL ".join(["SELECT 1"] * 201), "set operation queries"),
        ("SELECT 1 IN (" + ", ".join(["1"] * 10_001) + ")", "items in an IN list"),
        ("SELECT " + "+".join(["1"] * 77), "nested boolean predicates"),
        ("SELECT " + "NOT " * 76 + "TRUE", "nested boolean predicates"),
        ("SELECT " + ", ".join(["(SELECT 1)"] * 501), "child subqueries"),
        (
            "SELECT a FROM (" * 36 + "SELECT 1 AS a" + ") GROUP BY a" * 36,
            "nested aggregations",
        ),
    ],
)
def test_limits(sql: str, what: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        query(sql)
    assert caught.value.what == what


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "+".join(["1"] * 76),
        "SELECT " + ", ".join(["(SELECT 1)"] * 500),
        "SELECT (SELECT COUNT(*) FROM (SELECT 1)), " + ", ".join(["(SELECT 1)"] * 499),
        "SELECT a FROM (" * 35 + "SELECT 1 AS a" + ") GROUP BY a" * 35,
    ],
)
def test_queries_at_the_limits_are_accepted(sql: str) -> None:
    query(sql)


def test_a_long_chain_of_operators_is_an_error_of_the_client() -> None:
    with pytest.raises((NestedTooDeeply, LimitExceeded)):
        query("SELECT " + " + ".join(["SingerId"] * 3000) + " FROM Singers")


@pytest.mark.parametrize(
    ("sql", "feature"),
    [
        ("CALL compact_all()", "Procedure compact_all"),
    ],
)
def test_unimplemented_features_are_named(sql: str, feature: str) -> None:
    with pytest.raises(Unsupported) as caught:
        analyzed(sql)
    assert caught.value.feature == feature


@pytest.mark.parametrize(
    ("sql", "at"),
    [
        ("CALL cancel_query()", 5),
        ("CALL cancel_query('a', 'b')", 5),
        ("CALL cancel_query(1)", 18),
        ("CALL cancel_query(Nope)", 18),
        ("CALL nope('a')", 5),
    ],
)
def test_arguments_of_procedures_must_match_their_declaration(sql: str, at: int) -> None:
    with pytest.raises(AnalysisError) as caught:
        analyzed(sql)
    assert caught.value.at == at


def test_hints_are_kept_lower_cased_and_checked() -> None:
    statement = query("@{Spanner.OPTIMIZER_VERSION='3', other.x=1, FORCE_JOIN_ORDER=TRUE} SELECT 1")
    assert dict(statement.hints) == {"optimizer_version": "3", "force_join_order": True}
    (scan,) = scans(query("SELECT 1 FROM Albums@{force_index=_base_table}").scan, r.TableScan)
    assert dict(scan.hints) == {"force_index": "_base_table"}


@pytest.mark.parametrize(
    "hint",
    [
        "JOIN_METHOD=SLOW_JOIN", "LOCK_SCANNED_RANGES=some", "PDML_MAX_PARALLELISM=0",
        "FORCE_INDEX=AlbumsByTitle", "JOIN_METHOD=HASH_JOIN, JOIN_TYPE=HASH_JOIN",
        "spanner_emulator.nope=true", "SCAN_METHOD=1", "ALLOW_DISTRIBUTED_MERGE=2",
    ],
)  # fmt: skip
def test_bad_hints(hint: str) -> None:
    with pytest.raises(SpannerError) as caught:
        query(f"@{{{hint}}} SELECT 1")
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("SUM(SingerId)", "INT64"),
        ("SUM(Weight)", "FLOAT64"),
        ("AVG(Fee)", "NUMERIC"),
        ("COUNT(DISTINCT FirstName)", "INT64"),
        ("ARRAY_AGG(Born)", "ARRAY<DATE>"),
        ("ARRAY_TRANSFORM(Tags, t -> LENGTH(t))", "ARRAY<INT64>"),
        ("ARRAY_FILTER(Tags, (t, i) -> i > 1)", "ARRAY<STRING>"),
        ("ARRAY(SELECT Budget FROM Albums)", "ARRAY<INT64>"),
        ("(SELECT MAX(Title) FROM Albums)", "STRING"),
        ("Notes.a['b']", "JSON"),
        ("SAFE_CAST(FirstName AS INT64)", "INT64"),
        ("TIMESTAMP_TRUNC(Seen, DAY, 'UTC')", "TIMESTAMP"),
        ("DATE_DIFF(Born, '2020-01-01', WEEK)", "INT64"),
        ("GENERATE_ARRAY(1, 10, 2.5)", "ARRAY<FLOAT64>"),
        ("STRUCT<INT64, b DATE>(1, '2020-01-01').b", "DATE"),
        ("CASE SingerId WHEN 1.5 THEN 1 ELSE Fee END", "NUMERIC"),
        ("1 IN (SELECT Score FROM Singers)", "BOOL"),
    ],
)
def test_types_of_calls(expression: str, expected: str) -> None:
    assert type_of(expression) == expected
