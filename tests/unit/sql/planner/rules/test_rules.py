"""Each rule on one node, before and after."""

from __future__ import annotations

from spanemu.base.deferred import Deferred
from spanemu.sql import resolved as r
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import (
    CommonTable,
    Filter,
    Node,
    Project,
    Scan,
    Subquery,
    Unit,
    Values,
    With,
    WithRef,
)
from spanemu.sql.planner.fold import fold, fold_constants
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.rules import EARLY_RULES, LATE_RULES, PLAIN_RULES, RULES, Rule
from spanemu.sql.planner.rules.simplify import (
    inline_common_tables,
    lift_subqueries,
    merge_projects,
    narrow_system_scans,
    push_filters,
)
from spanemu.sql.planner.rules.structs import expand_structs
from spanemu.sql.planner.rules.subqueries import unnest_subqueries
from spanemu.values.types import BOOL, INT64, struct_of
from tests.golden.plan_text import node_lines
from tests.unit.sql.world import (
    ALBUMS,
    SCHEMA,
    SINGERS,
    MemoryReader,
    TableRefs,
    both,
    call,
    column,
    either,
    equal,
    lit,
    param,
    ref,
)

PLANNING = Planning(SCHEMA, MemoryReader({}))


def scan(refs: TableRefs) -> Scan:
    return Scan(refs.scan.table, refs.scan.columns)


def text(node: Node) -> str:
    return "\n".join(node_lines(node))


def name_of(rule: Rule) -> str:
    """Return the name of a rule, which may be looked up at its first call only."""
    return (rule.resolve() if isinstance(rule, Deferred) else rule).__name__


def test_every_rule_is_in_a_table():
    assert set(EARLY_RULES) == {inline_common_tables, lift_subqueries}
    assert [*map(name_of, RULES)] == [
        "fold_constants",
        "expand_structs",
        "unnest_subqueries",
        "join_arrays",
        "join_subqueries",
        "push_filters",
    ]
    assert set(LATE_RULES) == {merge_projects, narrow_system_scans}


def test_a_query_without_subqueries_needs_all_rules_but_those_for_subqueries():
    for_subqueries = ("unnest_subqueries", "join_subqueries")
    assert tuple(rule for rule in RULES if name_of(rule) not in for_subqueries) == PLAIN_RULES


class TestFold:
    def test_calls_of_constants(self):
        folded = fold(call("$add", lit(1), call("$add", lit(2), lit(3), type_=INT64), type_=INT64))
        assert isinstance(folded, r.Literal)
        assert folded.value == 6

    def test_null_makes_strict_calls_null(self):
        folded = fold(call("$add", lit(1), lit(None, INT64), type_=INT64))
        assert isinstance(folded, r.Literal)
        assert folded.value is None

    def test_parameters_are_not_constants(self):
        expression = call("$add", lit(1), param("p"), type_=INT64)
        assert fold(expression) is expression

    def test_truth_values(self):
        p = equal(param("p"), lit(1))
        assert fold(both(lit(True), p)) is p
        assert fold(either(lit(False), p)) is p
        assert fold(both(p, equal(lit(1), lit(2)))).value is False  # type: ignore[attr-defined]
        assert fold(either(p, lit(True))).value is True  # type: ignore[attr-defined]

    def test_a_filter_on_a_constant(self):
        refs = TableRefs(SINGERS)
        source = scan(refs)
        assert fold_constants(Filter(source, lit(True)), PLANNING) is source
        empty = fold_constants(Filter(source, both(lit(False), refs.SingerId)), PLANNING)
        assert isinstance(empty, Values)
        assert empty.rows == ()
        assert empty.columns == source.columns


class TestExpandStructs:
    pair = struct_of(("", INT64), ("", INT64))

    def struct(self, *items: r.Expr) -> r.Expr:
        return r.MakeStruct(self.pair, items)

    def test_equality_of_structs(self):
        refs = TableRefs(ALBUMS)
        condition = equal(self.struct(refs.SingerId, refs.AlbumId), self.struct(lit(1), lit(2)))
        expanded = expand_structs(Filter(scan(refs), condition), PLANNING)
        assert text(expanded).splitlines()[0] == "Filter (($SingerId = 1) AND ($AlbumId = 2))"

    def test_a_struct_parameter_is_compared_by_fields(self):
        refs = TableRefs(ALBUMS)
        condition = equal(self.struct(refs.SingerId, refs.AlbumId), param("p", self.pair))
        expanded = expand_structs(Filter(scan(refs), condition), PLANNING)
        assert "AND" in text(expanded).splitlines()[0]


class TestUnnestSubqueries:
    def unnested(self, kind: r.SubqueryKind, member: str, negate: bool) -> Node:
        singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
        inner = Filter(scan(albums), equal(albums.SingerId, singers.SingerId))
        operand = singers.SingerId if kind is r.SubqueryKind.IN else None
        test: r.Expr = Subquery(BOOL, kind, inner, (albums[member],), operand)
        if negate:
            test = call("$not", test)
        return unnest_subqueries(Filter(scan(singers), test), PLANNING)

    def test_exists_is_a_semi_join(self):
        node = self.unnested(r.SubqueryKind.EXISTS, "AlbumId", negate=False)
        assert isinstance(node, Join)
        assert node.kind is JoinKind.SEMI
        assert text(node).splitlines()[0] == "Join semi on=($SingerId = $SingerId)"

    def test_not_exists_is_an_anti_join(self):
        node = self.unnested(r.SubqueryKind.EXISTS, "AlbumId", negate=True)
        assert isinstance(node, Join)
        assert node.kind is JoinKind.ANTI

    def test_in_adds_its_equality(self):
        node = self.unnested(r.SubqueryKind.IN, "AlbumId", negate=False)
        assert "($SingerId = $AlbumId)" in text(node).splitlines()[0]

    def test_not_in_of_nullable_values_respects_null(self):
        plain = self.unnested(r.SubqueryKind.IN, "AlbumId", negate=True)
        nullable = self.unnested(r.SubqueryKind.IN, "Budget", negate=True)
        assert "IS NULL" not in text(plain)
        assert "IS NULL" in text(nullable)

    def test_an_uncorrelated_not_in_is_null_aware(self):
        singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
        inner = Subquery(
            BOOL, r.SubqueryKind.IN, scan(albums), (albums["Budget"],), singers.SingerId
        )
        node = unnest_subqueries(Filter(scan(singers), call("$not", inner)), PLANNING)
        assert isinstance(node, Join)
        assert node.kind is JoinKind.NULL_AWARE_ANTI


class TestPushFilters:
    def test_filters_are_pushed_to_the_sides_of_a_join(self):
        singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
        join = Join(
            JoinKind.INNER, scan(singers), scan(albums), equal(singers.SingerId, albums.SingerId)
        )
        condition = both(equal(singers.LastName, lit("x")), call("$less", albums.Budget, lit(3)))
        assert text(push_filters(Filter(join, condition), PLANNING)).splitlines() == [
            "Join inner on=($SingerId = $SingerId)",
            "├─ Filter ($LastName = 'x')",
            "│  └─ Scan Singers columns=(SingerId, FirstName, LastName, BirthDate, Rating)",
            "└─ Filter ($Budget < 3)",
            "   └─ Scan Albums columns=(SingerId, AlbumId, Title, Budget)",
        ]

    def test_a_condition_on_one_side_is_derived_for_an_equal_column(self):
        singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
        join = Join(
            JoinKind.LEFT, scan(singers), scan(albums), equal(singers.SingerId, albums.SingerId)
        )
        pushed = push_filters(Filter(join, equal(singers.SingerId, param("p"))), PLANNING)
        assert text(pushed).count("Filter ($SingerId = @p)") == 2

    def test_a_condition_on_the_nullable_side_makes_the_join_inner(self):
        singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
        join = Join(
            JoinKind.LEFT, scan(singers), scan(albums), equal(singers.SingerId, albums.SingerId)
        )
        strict = push_filters(Filter(join, call("$less", albums.Budget, lit(3))), PLANNING)
        assert isinstance(strict, Join)
        assert strict.kind is JoinKind.INNER
        lax = push_filters(Filter(join, call("$is_null", albums.Budget)), PLANNING)
        assert isinstance(lax, Filter)

    def test_filters_are_pushed_through_a_projection(self):
        refs, doubled = TableRefs(SINGERS), column("doubled")
        value = call("$add", refs.SingerId, refs.SingerId, type_=INT64)
        project = Project(scan(refs), ((doubled, value),), ())
        pushed = push_filters(Filter(project, equal(ref(doubled), lit(4))), PLANNING)
        assert text(pushed).splitlines()[1] == "└─ Filter (($SingerId + $SingerId) = 4)"


class TestMergeProjects:
    def test_two_projections_are_merged(self):
        refs, a, b = TableRefs(SINGERS), column("a"), column("b")
        inner = Project(scan(refs), ((a, refs.SingerId),), ())
        outer = Project(inner, ((b, call("$add", ref(a), lit(1), type_=INT64)),), ())
        assert text(merge_projects(outer, PLANNING)).splitlines()[0] == "Project b=($SingerId + 1)"

    def test_nothing_is_computed_twice(self):
        refs, a, b = TableRefs(SINGERS), column("a"), column("b")
        costly = call("$add", refs.SingerId, lit(1), type_=INT64)
        inner = Project(scan(refs), ((a, costly),), ())
        outer = Project(inner, ((b, call("$add", ref(a), ref(a), type_=INT64)),), ())
        assert merge_projects(outer, PLANNING) is outer


class TestInlineCommonTables:
    def test_one_use_is_inlined_and_two_are_not(self):
        created, use, again = column("v"), column("v"), column("v")
        table = CommonTable("t", Project(Unit(), ((created, lit(1)),), ()), (created,))
        inlined = inline_common_tables(With((table,), WithRef("t", (use,))), PLANNING)
        assert text(inlined).splitlines()[0] == "Project v=$v"
        product = Join(JoinKind.INNER, WithRef("t", (use,)), WithRef("t", (again,)), None)
        assert isinstance(inline_common_tables(With((table,), product), PLANNING), With)

    def test_an_unused_table_is_dropped(self):
        made = column("v")
        table = CommonTable("t", Project(Unit(), ((made, lit(1)),), ()), (made,))
        body = Unit()
        assert inline_common_tables(With((table,), body), PLANNING) is body
