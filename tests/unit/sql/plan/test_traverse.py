from __future__ import annotations

from spanemu.sql import resolved as r
from spanemu.sql.plan.nodes import Filter, Node, Project, Scan, Subquery
from spanemu.sql.plan.traverse import (
    PARTS,
    free,
    has_query,
    is_volatile,
    map_parts,
    parts,
    replace_fields,
    substitute,
    walk,
)
from spanemu.values.types import BOOL, INT64
from tests.unit.sql.world import SINGERS, TableRefs, both, call, column, equal, lit, planned, ref


def scan_of(refs: TableRefs) -> Scan:
    return Scan(SINGERS, refs.scan.columns)


def test_every_expression_class_names_its_parts():
    expressions = {
        kind
        for kind in vars(r).values()
        if isinstance(kind, type) and issubclass(kind, r.Expr) and kind is not r.Expr
    }
    # Subqueries are planned before any function walks over a plan.
    assert expressions - {r.SubqueryExpr} <= set(PARTS)


def test_parts_include_the_items_of_tuples_and_pairs():
    refs = TableRefs(SINGERS)
    one, two = lit(1), lit(2)
    node = Project(scan_of(refs), ((column("a"), one), (column("b"), two)), ())
    assert parts(node)[1:] == [one, two]


def test_mapping_without_a_change_returns_the_same_object():
    refs = TableRefs(SINGERS)
    node = Filter(scan_of(refs), both(equal(refs.SingerId, lit(1)), equal(refs.Rating, lit(1.0))))
    assert map_parts(node, lambda inner: inner, lambda inner: inner) is node


def test_a_copied_node_drops_the_caches_of_the_original():
    refs = TableRefs(SINGERS)
    node = scan_of(refs)
    assert node.ids
    assert free(node) == frozenset()
    narrow = replace_fields(node, {"outputs": node.outputs[:1]})
    assert narrow.ids == {node.outputs[0][0].id}


def test_free_columns_are_outer_columns():
    refs, outer = TableRefs(SINGERS), column("outer")
    node = Filter(scan_of(refs), equal(refs.SingerId, ref(outer)))
    assert free(node) == {outer.id}
    subquery = Subquery(BOOL, r.SubqueryKind.EXISTS, node, ())
    assert free(both(subquery, lit(True))) == {outer.id}
    assert has_query(both(subquery, lit(True)))
    assert not has_query(lit(1))


def test_names_of_lambdas_are_not_free():
    x, outer = column("x"), column("outer")
    body = call("$add", ref(x), ref(outer), type_=INT64)
    assert free(r.LambdaExpr(INT64, (x,), body)) == {outer.id}
    assert free(r.Let(INT64, ((x, ref(outer)),), ref(x))) == {outer.id}


def test_substitution_reaches_into_subqueries():
    refs, outer = TableRefs(SINGERS), column("outer")
    node = Filter(scan_of(refs), equal(refs.SingerId, ref(outer)))
    subquery = Subquery(BOOL, r.SubqueryKind.EXISTS, node, ())
    replaced = substitute(subquery, {outer.id: lit(7)})
    assert free(replaced) == frozenset()
    assert any(isinstance(item, r.Literal) and item.value == 7 for item in walk(replaced))


def test_volatile_calls_count_at_any_depth():
    plan = planned("SELECT CONCAT('x', GENERATE_UUID()) AS u, UPPER('x') AS v FROM Singers")
    project = next(node for node in walk(plan.root) if isinstance(node, Project))
    values = {output.name: value for output, value in project.computed}
    assert is_volatile(values["u"])
    assert not is_volatile(values["v"])


def test_every_node_lists_the_fields_that_hold_nodes_and_expressions():
    for kind in _subclasses(Node):
        fields = kind.__dataclass_fields__
        assert set(kind.parts) <= set(fields), kind


def _subclasses(kind: type) -> set[type]:
    found = set(kind.__subclasses__())
    return found | {inner for one in found for inner in _subclasses(one)}
