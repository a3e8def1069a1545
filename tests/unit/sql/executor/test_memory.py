"""Operators account for the rows that they hold, and a statement that holds too much is refused."""

from __future__ import annotations

import pytest

from spanemu.base.call import Call
from spanemu.base.errors import Code
from spanemu.base.process import ProcessOutOfMemory, headroom
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.memory import MemoryAccount, free_in_parts, size_of
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import EvaluationError, StatementTooLarge
from tests.unit.sql.world import ROWS, MemoryReader, planned, run_for

LIMIT = 4 * 1024 * 1024
MANY = "UNNEST(GENERATE_ARRAY(1, 16000)) a, UNNEST(GENERATE_ARRAY(1, 20)) b"
PAIRS = f"(SELECT a * 20 + b AS n, a, b FROM {MANY})"

HOLDING = [
    f"SELECT n FROM {PAIRS} ORDER BY a, b DESC",
    f"SELECT n FROM {PAIRS} ORDER BY a LIMIT 300000",
    f"SELECT COUNT(*) FROM (SELECT DISTINCT n FROM {PAIRS})",
    f"SELECT n, COUNT(*) FROM {PAIRS} GROUP BY n",
    f"SELECT n, ARRAY_AGG(a) FROM {PAIRS} GROUP BY n",
    f"SELECT COUNT(DISTINCT n) FROM {PAIRS}",
    f"SELECT MOD(n, 90000), MAX(REPEAT('x', 1000) || CAST(a AS STRING)) FROM {PAIRS} GROUP BY 1",
    f"SELECT COUNT(*) FROM {PAIRS} x JOIN {PAIRS} y ON x.n = y.n",
    f"SELECT COUNT(*) FROM {PAIRS} x LEFT JOIN {PAIRS} y ON x.n = y.n AND x.a < y.b",
    f"SELECT COUNT(*) FROM {PAIRS} x FULL JOIN {PAIRS} y ON x.n = y.n",
    f"SELECT COUNT(*) FROM {PAIRS} x JOIN {PAIRS} y ON x.n < y.n",
    f"SELECT COUNT(*) FROM UNNEST([1, 2]) x WHERE x NOT IN (SELECT n FROM {PAIRS})",
    f"SELECT COUNT(*) FROM UNNEST([1, 2]) x WHERE x + 1 IN (SELECT n FROM {PAIRS}) OR x = 7",
    f"SELECT n FROM {PAIRS} EXCEPT DISTINCT SELECT a FROM UNNEST([1]) a",
    f"SELECT a FROM UNNEST([1]) a INTERSECT ALL SELECT n FROM {PAIRS}",
    f"SELECT n FROM {PAIRS} UNION DISTINCT SELECT n FROM {PAIRS}",
    f"WITH t AS (SELECT n FROM {PAIRS}) SELECT COUNT(*) FROM t x UNION ALL SELECT COUNT(*) FROM t",
    f"SELECT REPEAT('x', 1000) || CAST(n AS STRING) AS s FROM {PAIRS} ORDER BY s",
    f"SELECT 1 FROM UNNEST([3, 4]) x ORDER BY (SELECT COUNT(DISTINCT n + x) FROM {PAIRS})",
    f"INSERT INTO Singers (SingerId) SELECT n FROM {PAIRS}",
    f"INSERT OR UPDATE INTO Singers (SingerId) SELECT n FROM {PAIRS}",
    f"INSERT OR IGNORE INTO Singers (SingerId) SELECT n FROM {PAIRS}",
]


def run_all(sql: str, limit: int) -> Run:
    reader = MemoryReader(ROWS)
    executable = compile_plan(planned(sql), limit)
    run = run_for(executable, reader)
    with Call():
        for _ in executable.run(run):
            pass
    return run


@pytest.mark.parametrize("sql", HOLDING)
def test_an_operator_that_holds_too_much_is_refused(sql):
    with pytest.raises(StatementTooLarge) as failure:
        run_all(sql, 5 * LIMIT)  # Groups may gather 65,536 rows before they fold them.
    assert failure.value.code is Code.RESOURCE_EXHAUSTED
    assert failure.value.operator


STREAMING = [
    f"SELECT COUNT(*), SUM(n), MAX(a) FROM {PAIRS}",
    f"SELECT BIT_XOR(n), LOGICAL_OR(n < 0), COUNTIF(n > 9), ANY_VALUE(n) FROM {PAIRS}",
    f"SELECT SUM(CAST(n AS NUMERIC)), STDDEV(n) FROM {PAIRS}",
    f"SELECT b, COUNT(*), MAX(n) FROM {PAIRS} GROUP BY b",
    f"SELECT b, BIT_XOR(LENGTH(s)) FROM (SELECT b, REPEAT(CAST(n AS STRING), 99) s FROM {PAIRS}) GROUP BY b",
    f"SELECT n FROM {PAIRS} ORDER BY n DESC LIMIT 10",
    f"SELECT COUNT(*) FROM {PAIRS} x JOIN UNNEST([1, 2, 3]) y ON x.n = y",
    f"SELECT n FROM {PAIRS} WHERE b = 3 UNION ALL SELECT n FROM {PAIRS} WHERE b = 4",
    f"SELECT b FROM UNNEST([1]) b INTERSECT DISTINCT SELECT b FROM {PAIRS}",
]


@pytest.mark.parametrize("sql", STREAMING)
def test_rows_that_pass_through_are_not_accounted_for(sql):
    run_all(sql, LIMIT)


def test_memory_of_a_correlated_part_is_released():
    inner = (
        "SELECT STRING_AGG(CAST(c AS STRING) ORDER BY c DESC) FROM UNNEST(GENERATE_ARRAY(1, a)) c"
    )
    run_all(f"SELECT LENGTH(({inner})) FROM UNNEST(GENERATE_ARRAY(1000, 1400)) a", LIMIT // 2)


def test_a_large_constant_is_computed_once_per_run_and_not_kept_with_the_plan():
    sql = "SELECT LENGTH(REPEAT('x', 100000) || a), LENGTH(a || REPEAT('x', 100000)) FROM UNNEST(['a', 'b']) a"
    executable = compile_plan(planned(sql), LIMIT)
    assert executable.constant_size < 1_000
    runs = [run_for(executable, MemoryReader({})) for _ in range(2)]
    for run in runs:
        assert list(executable.run(run)) == [(100_001, 100_001)] * 2
        assert [len(memo[0]) for memo in run.memo] == [100_000]


def test_a_constant_that_fails_fails_in_each_run():
    executable = compile_plan(planned("SELECT a, REPEAT('x', -1) FROM UNNEST([1]) a"), LIMIT)
    for _ in range(2):
        with pytest.raises(EvaluationError):
            list(executable.run(run_for(executable, MemoryReader({}))))


def test_computed_keys_are_accounted_for():
    with pytest.raises(StatementTooLarge):
        run_all(
            f"SELECT REPEAT('x', 100000) || CAST(a AS STRING), COUNT(*) FROM {MANY} GROUP BY 1",
            LIMIT,
        )


@pytest.mark.parametrize("make", [list, set, dict.fromkeys])
def test_a_large_container_is_emptied_part_by_part(make):
    container = make(range(100_000))
    free_in_parts(container)
    assert not container


def test_a_process_near_its_memory_limit_refuses_large_statements(monkeypatch):
    monkeypatch.setattr(headroom, "resident", 1)
    with pytest.raises(ProcessOutOfMemory) as failure:
        run_all(f"SELECT n FROM {PAIRS} ORDER BY n", LIMIT)
    assert failure.value.code is Code.RESOURCE_EXHAUSTED
    with pytest.raises(ProcessOutOfMemory):
        run_all(f"SELECT {', '.join(['REPEAT(a, 1000000)'] * 8)} FROM UNNEST(['x', 'y']) a", LIMIT)


def test_small_statements_are_not_accounted_for():
    run = run_all("SELECT a FROM UNNEST([3, 1, 2]) a ORDER BY a", 1)
    assert run.held == run.kept == 0


def test_cells_that_neighbours_share_are_not_counted():
    run = Run(MemoryReader({}))
    long = "x" * 1_000_000
    MemoryAccount("Sort", 0, LIMIT).take([(n, long) for n in range(1_000)], run)
    assert 0 < run.held < 1_000 * 200


def test_the_size_of_a_value_covers_its_parts():
    assert size_of("x" * 1_000) > 1_000
    assert size_of(tuple(range(1_000))) > 30_000
    assert size_of(("x" * 100,) * 10) > 1_000
    assert size_of(None) == size_of(True) == 0


SONGS = {
    "Songs": [
        (n, 1, 1, f"a name of some length {n * 7919 % 20_000}", n, None) for n in range(20_000)
    ]
}
OF_STORED_ROWS = [
    "SELECT Name FROM Songs ORDER BY Name",
    "SELECT Name, Duration FROM Songs ORDER BY Name DESC, Duration",
    "SELECT COUNT(Name) FROM (SELECT Name FROM Songs ORDER BY Duration LIMIT 15000)",
    "SELECT COUNT(a.Name), COUNT(b.Name) FROM Songs a JOIN@{JOIN_METHOD=HASH_JOIN} Songs b"
    " ON a.Duration = b.Duration",
    "SELECT COUNT(a.Name), COUNT(b.Name) FROM Songs a LEFT JOIN@{JOIN_METHOD=HASH_JOIN} Songs b"
    " ON a.Name = b.Name AND a.Duration <= b.Duration",
    "SELECT Name, COUNT(*) FROM Songs GROUP BY Name",
    "SELECT COUNT(*) FROM (SELECT DISTINCT Name FROM Songs)",
]
MADE = "(SELECT Duration, CONCAT(Name, REPEAT('x', 90)) AS Name FROM Songs)"


@pytest.mark.parametrize("sql", OF_STORED_ROWS)
def test_stored_rows_are_not_counted_but_rows_that_a_statement_makes_are(sql):
    list_all(sql, MemoryReader(SONGS), LIMIT)
    made = sql.replace("FROM Songs", f"FROM {MADE}").replace("Songs b", f"{MADE} b")
    with pytest.raises(StatementTooLarge):
        list_all(made, MemoryReader(SONGS), LIMIT)


def list_all(sql: str, reader: MemoryReader, limit: int) -> None:
    executable = compile_plan(planned(sql, None, reader), limit)
    with Call():
        list(executable.run(run_for(executable, reader)))


def test_computed_keys_of_stored_rows_are_counted():
    sql = "SELECT Name FROM Songs ORDER BY REPEAT(Name, 20)"
    with pytest.raises(StatementTooLarge):
        list_all(sql, MemoryReader(SONGS), LIMIT)
