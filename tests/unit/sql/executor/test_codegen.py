from __future__ import annotations

import pytest

from spanemu.sql.executor.build import OPERATORS
from spanemu.sql.executor.codegen_templates import WRITERS
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.plan.traverse import PARTS
from spanemu.sql.resolved import ApproximateDistance, Expr
from spanemu.values.types import BOOL, INT64
from tests.unit.sql.world import MemoryReader, ask, both, call, column, either, equal, lit, ref

TRUTHS = (True, False, None)


def one(expression: str) -> object:
    ((value,),) = ask(f"SELECT {expression}")
    return value


def test_every_expression_class_has_a_template():
    planned = {kind for kind in PARTS if issubclass(kind, Expr)} - {ApproximateDistance}
    assert planned <= set(WRITERS)


@pytest.mark.parametrize("a", TRUTHS)
@pytest.mark.parametrize("b", TRUTHS)
def test_and_and_or_are_three_valued(a, b):
    left, right = column("a", BOOL), column("b", BOOL)
    layout = {left.id: 0, right.id: 1}
    compiler = Compiler(OPERATORS, ())
    run = Run(MemoryReader({}))
    conjunction = both(ref(left), ref(right))
    expected = False if a is False or b is False else None if None in (a, b) else True
    assert compiler.value(conjunction, layout)((a, b), run) is expected
    assert bool(compiler.test(conjunction, layout)((a, b), run)) is (expected is True)
    disjunction = either(ref(left), ref(right))
    expected = True if a is True or b is True else None if None in (a, b) else False
    assert compiler.value(disjunction, layout)((a, b), run) is expected
    assert bool(compiler.test(disjunction, layout)((a, b), run)) is (expected is True)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (None, 1), (1, None), (None, None)])
@pytest.mark.parametrize("name", ["$equal", "$not_equal", "$less", "$greater_or_equal"])
def test_comparisons_with_null_are_never_true(name, a, b):
    left, right = column("a"), column("b")
    layout = {left.id: 0, right.id: 1}
    run = Run(MemoryReader({}))
    comparison = call(name, ref(left), ref(right))
    compiler = Compiler(OPERATORS, ())
    value = compiler.value(comparison, layout)((a, b), run)
    assert (value is None) == (a is None or b is None)
    assert bool(compiler.test(comparison, layout)((a, b), run)) is (value is True)
    negated = call("$not", comparison)
    assert bool(compiler.test(negated, layout)((a, b), run)) is (value is False)


@pytest.mark.parametrize("name", ["$less", "$less_or_equal", "$greater", "$equal", "$not_equal"])
def test_a_filter_of_many_rows_drops_those_with_null(name):
    a, b = column("a"), column("b")
    known = [(n % 7, n % 5) for n in range(40)]
    rows = [*known, (None, 1), (3, None), *known, (None, None)]
    terms = both(
        call(name, ref(a), ref(b)), either(call(name, ref(a), lit(4)), equal(ref(b), ref(a)))
    )
    compiler = Compiler(OPERATORS, ())
    layout, run = {a.id: 0, b.id: 1}, Run(MemoryReader({}))
    kept, value = compiler.batch_filter(terms, layout), compiler.value(terms, layout)
    for batch in (known, rows, rows[40:41]):
        assert kept(batch, run) == [row for row in batch if value(row, run) is True]


@pytest.mark.parametrize(
    "bounds", ["2 AND 5", "@low AND 5", "2 AND @low", "Budget AND 60", "NULL AND 5"]
)
def test_between_drops_rows_with_null(bounds):
    budgets = [None if n % 6 == 5 else n for n in range(120)]
    albums = [(n, 1, None, budget) for n, budget in enumerate(budgets)]
    result = ask(
        f"SELECT SingerId FROM Albums WHERE Budget BETWEEN {bounds}",
        MemoryReader({"Albums": albums}),
        types={"low": INT64},
        low=None,
    )
    high = 60 if "60" in bounds else 5
    low = 0 if "60" in bounds else 2
    expected = [
        (n,) for n, budget in enumerate(budgets) if budget is not None and low <= budget <= high
    ]
    assert result == ([] if "@" in bounds or "NULL" in bounds else expected)


def test_later_operands_are_not_evaluated_when_the_answer_is_known():
    assert ask("SELECT SingerId FROM Singers WHERE SingerId > 0 OR DIV(1, SingerId - 1) = 1") == [
        (1,), (2,), (3,), (4,),
    ]  # fmt: skip
    assert one("IF(TRUE, 1, DIV(1, 0))") == 1
    assert one("COALESCE(1, DIV(1, 0))") == 1
    assert one("CASE WHEN FALSE THEN DIV(1, 0) ELSE 2 END") == 2


def test_errors_are_raised_and_safe_turns_them_into_null():
    with pytest.raises(EvaluationError):
        one("DIV(1, 0)")
    with pytest.raises(EvaluationError):
        one("CAST('x' AS INT64)")
    assert one("SAFE.SQRT(-1)") is None
    assert one("SAFE_CAST('x' AS INT64)") is None


def test_in_lists():
    assert one("1 IN (1, 2)") is True
    assert one("3 IN (1, 2)") is False
    assert one("3 IN (1, NULL)") is None
    assert one("NULL IN (1, 2)") is None
    assert ask("SELECT SingerId FROM Singers WHERE SingerId + 1 IN (2, 4)") == [(1,), (3,)]


def test_casts_use_the_time_zone():
    assert one("CAST(TIMESTAMP '2024-01-01 00:00:00+00' AS STRING)") == "2023-12-31 16:00:00-08"


def test_lambdas_can_use_outer_columns():
    assert ask(
        "SELECT ARRAY_TRANSFORM([1, 2], x -> x + SingerId) FROM Singers WHERE SingerId < 3"
    ) == [((2, 3),), ((3, 4),)]
    assert one("ARRAY_FILTER(['a', 'b'], (e, i) -> i > 0)") == ("b",)


def test_struct_fields_of_null_are_null():
    assert one("(SELECT AS STRUCT 1 AS a, 'x' AS b).b") == "x"
    assert one("CAST(NULL AS STRUCT<a INT64>).a") is None


def test_no_text_of_the_statement_is_evaluated():
    hostile = "__import__('os').getcwd() # \" '''"
    escaped = hostile.replace("\\", "\\\\").replace("'", "\\'")
    assert one(f"'{escaped}' || ''") == hostile
    assert ask(f"SELECT SingerId FROM Singers WHERE FirstName = '{escaped}'") == []


def test_a_long_list_of_conditions_is_compiled():
    terms = " OR ".join(f"Rating = {number}" for number in range(300))
    assert ask(f"SELECT SingerId FROM Singers WHERE {terms}") == []
    chain = " || ".join(["FirstName"] * 60)
    assert ask(f"SELECT {chain} FROM Singers WHERE SingerId = 4") == [("Lea" * 60,)]
    assert lit(1) is not None
    alternatives = ", ".join(["Rating"] * 5_000)
    query = f"SELECT COALESCE({alternatives}, -1) FROM Singers WHERE SingerId = {{}}"
    for key, rating in ask("SELECT SingerId, Rating FROM Singers"):
        assert ask(query.format(key)) == [(-1 if rating is None else rating,)]
