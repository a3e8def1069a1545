"""Calls of models for batches of rows: which rows are sent, and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.sql.remote_calls import CallOptions, Row, Target
from tests.unit.sql.world import ROWS, MemoryReader, prepared, run_for


class Answers:
    """A counter of answers, as a statement's remote calls; `sent` has the rows of each hand-over."""

    def __init__(self) -> None:
        self.sent: list[list[Row]] = []
        self.options: list[CallOptions] = []

    def answer(self, target: Target, rows: Sequence[Row], options: CallOptions) -> Sequence[Row]:
        self.sent.append(list(rows))
        self.options.append(options)
        is_text = target.name == "AI.CLASSIFY"
        return [(True,) if target.name == "AI.IF" else ("a",) if is_text else (1.5,) for _ in rows]


def ask(sql: str, **parameters: Any) -> tuple[list[Any], Answers]:
    reader, answers = MemoryReader(ROWS), Answers()
    executable = prepared(sql, reader)
    run = run_for(executable, reader, **parameters)
    run.context.remote_calls = answers
    return list(executable.run(run)), answers


PREDICT = "ML.PREDICT(MODEL Rater, (SELECT SingerId, FirstName AS content FROM Singers))"


def test_all_rows_are_sent_in_growing_parts():
    rows, answers = ask(f"SELECT SingerId, Score FROM {PREDICT} @{{remote_udf_max_rows_per_rpc=1}}")
    assert rows == [(1, 1.5), (2, 1.5), (3, 1.5), (4, 1.5)]
    assert [len(sent) for sent in answers.sent] == [1, 2, 1]
    assert answers.options[0].batch_rows == 1


def test_conditions_on_other_columns_drop_rows_before():
    rows, answers = ask(f"SELECT Score FROM {PREDICT} WHERE SingerId > 2 AND Score > 1")
    assert rows == [(1.5,), (1.5,)]
    assert answers.sent == [[("Alice",), ("Lea",)]]


def test_unused_results_are_asked_for():
    rows, answers = ask(f"SELECT COUNT(*) FROM {PREDICT}")
    assert rows == [(4,)]
    assert len(answers.sent[0]) == 4


def test_correlated_queries_of_one_row_are_sent_in_batches():
    sql = """SELECT (SELECT Score FROM ML.PREDICT(MODEL Rater, (SELECT FirstName AS content)))
        FROM Singers"""
    _, answers = ask(sql)
    assert answers.sent == [[("Marc",), ("Catalina",), ("Alice",), ("Lea",)]]


def test_an_uncorrelated_query_is_sent_once():
    sql = """SELECT (SELECT Score FROM ML.PREDICT(MODEL Rater, (SELECT 'q' AS content)))
        FROM Singers"""
    rows, answers = ask(sql)
    assert rows == [(1.5,)] * 4
    assert answers.sent == [[("q",)]]


def test_a_guard_selects_the_rows():
    sql = "SELECT CASE WHEN SingerId > 2 THEN AI.SCORE(FirstName) ELSE 0 END FROM Singers"
    rows, answers = ask(sql)
    assert rows == [(0.0,), (0.0,), (1.5,), (1.5,)]
    assert answers.sent == [[("Alice",), ("Lea",)]]


def test_the_second_term_of_or_is_evaluated_where_it_decides():
    sql = "SELECT SingerId FROM Singers WHERE SingerId > 2 OR AI.IF(FirstName)"
    rows, answers = ask(sql)
    assert rows == [(1,), (2,), (3,), (4,)]
    assert answers.sent == [[("Marc",), ("Catalina",)]]


def test_calls_in_lambdas_and_arrays_are_made_row_by_row():
    sql = "SELECT ARRAY_TRANSFORM(['a', 'b'], x -> AI.SCORE(x)) FROM Singers WHERE SingerId = 1"
    rows, answers = ask(sql)
    assert rows == [((1.5, 1.5),)]
    assert answers.sent == [[("a",)], [("b",)]]


def test_each_row_of_a_join_is_sent_once():
    sql = f"""SELECT a.Title FROM Albums AS a JOIN (SELECT SingerId, Score FROM {PREDICT}) AS p
        ON p.SingerId = a.SingerId"""
    rows, answers = ask(sql)
    assert len(rows) == 5
    assert sum(map(len, answers.sent)) == 4


def test_a_common_table_in_a_subquery_is_sent_once():
    sql = f"""WITH e AS (SELECT SingerId, Score FROM {PREDICT})
        SELECT (SELECT COUNT(*) FROM e WHERE e.SingerId > Albums.SingerId) FROM Albums"""
    rows, answers = ask(sql)
    assert len(rows) == 5
    assert sum(map(len, answers.sent)) == 4


def test_a_limit_stops_the_rows():
    _, answers = ask("SELECT AI.SCORE(FirstName) FROM Singers LIMIT 2")
    assert sum(map(len, answers.sent)) == 2
    _, answers = ask("SELECT AI.SCORE(FirstName) FROM Singers ORDER BY FirstName DESC LIMIT 1")
    assert answers.sent == [[("Marc",)]]


def test_grouping_and_aggregates_ask_for_all_rows():
    sql = (
        "SELECT AI.CLASSIFY(FirstName, ['a']) AS k, SUM(AI.SCORE(LastName)) FROM Singers GROUP BY k"
    )
    rows, answers = ask(sql)
    assert rows == [("a", 6.0)]
    assert sorted(map(len, answers.sent)) == [4, 4]


def test_a_cancelled_request_asks_no_more():
    call = Call()

    class Cancelling(Answers):
        def answer(self, target, rows, options):
            call.cancel()
            return super().answer(target, rows, options)

    reader, answers = MemoryReader(ROWS), Cancelling()
    executable = prepared(f"SELECT Score FROM {PREDICT} @{{remote_udf_max_rows_per_rpc=1}}", reader)
    run = run_for(executable, reader)
    run.context.remote_calls = answers
    with call, pytest.raises(Cancelled):
        list(executable.run(run))
    assert len(answers.sent) == 1
