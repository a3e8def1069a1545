from __future__ import annotations

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.plan.conditions import (
    cheapest_first,
    conjunction,
    conjuncts,
    disjuncts,
    equal,
    equality,
    is_null,
    rejects_null,
)
from spanemu.sql.plan.nodes import Filter
from spanemu.sql.planner.fold import fold
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.translate import Translator
from spanemu.values.types import FLOAT64, INT64, array_of
from tests.unit.sql.world import (
    SCHEMA,
    MemoryReader,
    analyzed,
    both,
    call,
    column,
    either,
    lit,
    ref,
)


def test_conjuncts_are_flat_and_in_order():
    a, b, c = (call("$less", ref(column(name)), lit(1)) for name in "abc")
    assert list(conjuncts(both(a, both(b, lit(True)), c))) == [a, b, c]
    assert list(conjuncts(None)) == []
    assert conjunction([]) is None
    assert conjunction([a]) is a


def test_disjuncts_are_flat():
    a, b, c = (lit(False), lit(True), lit(False))
    assert list(disjuncts(either(either(a, b), c))) == [a, b, c]


def test_equality_requires_one_type():
    a, b = ref(column("a")), ref(column("b"))
    assert equality(call("$equal", a, b)) == (a, b)
    assert equality(call("$equal", a, ref(column("f", FLOAT64)))) is None
    assert equality(call("$less", a, b)) is None


def test_built_conditions_evaluate():
    same = equal(lit(1), lit(1))
    assert isinstance(same, r.FunctionCall)
    assert same.signature.evaluate(1, 1) is True
    arrays = equal(ref(column("a", array_of(INT64))), ref(column("b", array_of(INT64))))
    assert isinstance(arrays, r.FunctionCall)
    assert arrays.signature.evaluate((1, None), (1, 2)) is None
    missing = is_null(ref(column("a")))
    assert isinstance(missing, r.FunctionCall)
    assert missing.signature.evaluate(None) is True


class TestRejectsNull:
    a, b = column("a"), column("b")
    ids = frozenset((a.id,))

    def test_comparisons_reject_null(self):
        assert rejects_null(call("$less", ref(self.a), lit(1)), self.ids)
        assert rejects_null(call("$equal", ref(self.b), ref(self.a)), self.ids)

    def test_conditions_on_other_columns_do_not_reject_null(self):
        assert not rejects_null(call("$less", ref(self.b), lit(1)), self.ids)

    def test_is_not_null_rejects_null_and_is_null_does_not(self):
        assert rejects_null(call("$not", is_null(ref(self.a))), self.ids)
        assert not rejects_null(is_null(ref(self.a)), self.ids)

    def test_or_rejects_null_if_every_branch_does(self):
        mine, other = call("$less", ref(self.a), lit(1)), call("$less", ref(self.b), lit(1))
        assert not rejects_null(either(mine, other), self.ids)
        assert rejects_null(either(mine, mine), self.ids)
        assert rejects_null(both(mine, other), self.ids)

    def test_casts_and_arithmetic_reject_null(self):
        value = r.Cast(FLOAT64, call("$add", ref(self.a), lit(1), type_=INT64))
        assert rejects_null(call("$less", value, lit(1.0)), self.ids)

    def test_not_of_or_is_not_split(self):
        mine, other = call("$less", ref(self.a), lit(1)), call("$less", ref(self.b), lit(1))
        assert not rejects_null(call("$not", both(mine, other)), self.ids)


PLAIN, QUERY, FAILING, SLOW = (
    "AlbumId > 5", "Title = (SELECT 'x')", "1 / AlbumId > 2", "REGEXP_CONTAINS(Title, 'x+')",
)  # fmt: skip


def order_of(*terms: str) -> list[str]:
    """Return the terms in the order of their evaluation."""
    translator = Translator(Planning(SCHEMA, MemoryReader({})))
    statement = analyzed(f"SELECT AlbumId FROM Albums WHERE {' AND '.join(terms)}")
    node, _ = translator.query(statement.scan, tuple(one.column for one in statement.output))
    while not isinstance(node, Filter):
        node = node.input  # type: ignore[attr-defined]
    written = list(conjuncts(node.condition))
    return [terms[written.index(one)] for one in cheapest_first(written)]


@pytest.mark.parametrize(
    ("written", "evaluated"),
    [
        ([PLAIN, QUERY], [PLAIN, QUERY]),
        ([QUERY, PLAIN], [PLAIN, QUERY]),
        ([QUERY, SLOW, PLAIN], [PLAIN, QUERY, SLOW]),
        ([QUERY, FAILING], [QUERY, FAILING]),
        ([FAILING, PLAIN], [FAILING, PLAIN]),
        ([QUERY, FAILING, PLAIN], [PLAIN, QUERY, FAILING]),
        ([SLOW, PLAIN], [PLAIN, SLOW]),
    ],
)
def test_cheap_terms_that_cannot_fail_are_evaluated_first(written, evaluated):
    assert order_of(*written) == evaluated


def test_folding_orders_the_terms_of_or():
    statement = analyzed(f"SELECT {QUERY} OR {PLAIN} AS b FROM Albums")
    translator = Translator(Planning(SCHEMA, MemoryReader({})))
    ((_, condition),) = statement.scan.computed
    written = translator.expr(condition)
    assert fold(written).operands == written.operands[::-1]
