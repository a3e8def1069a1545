from __future__ import annotations

import threading

import pytest

from spanemu.base.errors import Code, Unsupported
from spanemu.sql import resolved as r
from spanemu.sql.executor.build import compile_plan, compile_row_expression
from spanemu.sql.executor.run import Run
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.planning import PlanTooDeep
from spanemu.values.types import INT64, STRING
from tests.unit.sql.world import (
    ROWS,
    SCHEMA,
    MemoryReader,
    StatementContext,
    ask,
    call,
    column,
    compiled,
    lit,
    prepared,
    query,
    ref,
    run_for,
)


def test_a_whole_key_is_one_look_up():
    reader = MemoryReader(ROWS)
    executable = prepared("SELECT FirstName, SingerId FROM Singers WHERE SingerId = @id", reader)
    assert list(executable.run(run_for(executable, reader, id=2))) == [("Catalina", 2)]
    assert list(executable.run(run_for(executable, reader, id=77))) == []
    assert reader.asked == ["get Singers", "get Singers"]


def test_a_null_key_reads_nothing():
    reader = MemoryReader(ROWS)
    executable = prepared("SELECT FirstName FROM Singers WHERE SingerId = @id", reader)
    assert list(executable.run(run_for(executable, reader, id=None))) == []
    assert reader.asked == []


def test_columns_parameters_and_kind_are_known_without_running():
    reader = MemoryReader(ROWS)
    query_ = prepared(
        "SELECT SingerId AS k, UPPER(FirstName) FROM Singers WHERE SingerId > @low", reader
    )
    assert query_.columns == (("k", INT64), ("", STRING))
    assert query_.parameters == (("low", INT64),)
    assert not query_.is_dml
    assert query_.table is None
    dml = prepared("DELETE FROM Singers WHERE SingerId = 1", reader)
    assert dml.is_dml
    assert dml.columns == ()
    assert dml.table is not None
    assert dml.table.name == "Singers"


def test_one_executable_serves_many_threads():
    reader = MemoryReader(ROWS)
    executable = prepared(
        "SELECT (SELECT COUNT(*) FROM Albums a WHERE a.SingerId = s.SingerId AND a.Budget > @b) "
        "FROM Singers s",
        reader,
    )
    answers: dict[int, list[object]] = {}

    def work(budget: int) -> None:
        for _ in range(20):
            answers[budget] = list(executable.run(run_for(executable, reader, b=budget)))

    threads = [threading.Thread(target=work, args=(budget,)) for budget in (0, 60, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] == [(1,), (2,), (0,), (1,)]
    assert answers[60] == [(1,), (1,), (0,), (0,)]
    assert answers[1000] == [(0,), (0,), (0,), (0,)]


def test_rows_are_yielded_as_they_are_read():
    reader = MemoryReader(ROWS)
    executable = prepared("SELECT SingerId FROM Singers", reader)
    rows = executable.run(run_for(executable, reader))
    assert next(rows) == (1,)
    assert reader.visited == 1


def test_a_limit_stops_the_scan():
    reader = MemoryReader(ROWS)
    assert ask("SELECT SingerId FROM Singers WHERE SingerId > 1 LIMIT 1", reader) == [(2,)]
    assert reader.visited == 1


def test_profiling_yields_the_same_rows():
    sql = (
        "SELECT s.FirstName, a.Title FROM Singers s JOIN Albums a USING (SingerId) "
        "WHERE s.LastName = 'Smith'"
    )
    reader = MemoryReader(ROWS)
    executable = prepared(sql, reader)
    run = run_for(executable, reader)
    run.start_profile()
    assert list(executable.run(run)) == ask(sql) == [("Catalina", "Total"), ("Catalina", "Blue")]
    assert run.rows_scanned > 0
    assert run_for(executable, reader).rows_scanned == 0


def test_system_tables_come_from_the_run():
    name = column("TABLE_NAME", STRING)
    scan = r.SystemTableScan("INFORMATION_SCHEMA.TABLES", ((name, 1),))
    reader = MemoryReader({})
    executable = compiled(query(scan, name), reader)

    class Provider:
        def rows(self, table, values):
            assert (table, values) == ("INFORMATION_SCHEMA.TABLES", {})
            return [("", "Singers", "BASE TABLE"), ("", "Albums", "BASE TABLE")]

    run = Run(reader, (), None, Provider())
    assert list(executable.run(run)) == [("Singers",), ("Albums",)]
    with pytest.raises(Unsupported):
        list(executable.run(Run(reader)))


def test_expressions_over_a_stored_row():
    budget = column("Budget")
    expression = call("$add", ref(budget), lit(1), type_=INT64)
    evaluate = compile_row_expression(expression, {budget.id: 3})
    context = StatementContext()
    assert evaluate((1, 1, "x", 5), context) == 6
    assert evaluate((1, 1, "x", None), context) is None


def test_a_statement_that_nests_too_deeply_is_refused():
    expression = lit(1)
    for _ in range(5_000):
        expression = call("$add", expression, lit(1), type_=INT64)
    created = column("deep")
    statement = query(r.ProjectScan(r.SingleRow(), ((created, expression),)), created)
    with pytest.raises(PlanTooDeep) as failure:
        compile_plan(plan_statement(statement, SCHEMA, MemoryReader({})))
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_nesting_within_the_limits_is_compiled():
    depth = 70
    assert ask(f"SELECT {'UPPER(' * depth}'a'{')' * depth}") == [("A",)]
    nested = "IF(SingerId > 0, " * depth + "FirstName" + ", 'x')" * depth
    assert ask(f"SELECT {nested} FROM Singers WHERE SingerId = 1") == [("Marc",)]
