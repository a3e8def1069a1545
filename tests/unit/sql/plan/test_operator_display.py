from __future__ import annotations

from spanemu.sql.plan.operator_display import PlanTree, explain
from tests.unit.sql.world import ROWS, MemoryReader, planned, prepared, run_for


def tree(sql: str) -> PlanTree:
    return explain(planned(sql))


def test_nodes_are_numbered_in_order_and_linked():
    found = tree("SELECT FirstName FROM Singers WHERE SingerId = 1 AND Rating > 2")
    assert [node.index for node in found.nodes] == list(range(len(found.nodes)))
    linked = {link.child_index for node in found.nodes for link in node.child_links}
    assert linked == set(range(1, len(found.nodes)))


def test_children_come_after_their_parents():
    found = tree(
        "SELECT COUNT(*) FROM Singers s JOIN Albums a USING (SingerId) GROUP BY s.LastName"
    )
    for node in found.nodes:
        assert all(link.child_index > node.index for link in node.child_links)


def test_a_query_over_tables_is_framed():
    result = tree("SELECT FirstName FROM Singers")
    assert [node.title for node in result.nodes[:4]] == [
        "Distributed Union",
        "Local Distributed Union",
        "Serialize Result",
        "Table Scan",
    ]
    scan = result.nodes[3]
    assert scan.metadata["scan_target"] == "Singers"
    assert scan.metadata["scan_type"] == "TableScan"
    assert scan.metadata["Full scan"] == "true"


def test_a_seek_is_displayed():
    result = tree(
        "SELECT FirstName FROM Singers@{FORCE_INDEX=SingersByLastName} WHERE LastName = 'x'"
    )
    filter_scan = next(node for node in result.nodes if node.display_name == "Filter Scan")
    assert filter_scan.metadata["seekable_key_size"] == "1"
    index_scan = next(node for node in result.nodes if node.title == "Index Scan")
    assert "Full scan" not in index_scan.metadata
    (seek,) = [link for link in index_scan.child_links if link.type == "Seek Condition"]
    assert result.nodes[seek.child_index].short_representation == "($LastName = 'x')"


def test_columns_of_two_tables_get_different_names():
    found = tree(
        "SELECT s.SingerId, a.SingerId FROM Singers s JOIN Albums a ON s.SingerId = a.SingerId"
    )
    names = {link.variable for node in found.nodes for link in node.child_links if link.variable}
    assert {"SingerId", "SingerId_1"} <= names


def test_plans_have_no_statistics_and_profiles_do():
    reader = MemoryReader(ROWS)
    executable = prepared("SELECT FirstName FROM Singers WHERE Rating > 0", reader)
    assert all(not node.execution_stats for node in explain(executable.plan).nodes)
    run = run_for(executable, reader)
    profile = run.start_profile()
    assert list(executable.run(run)) == [("Marc",)]
    scan = next(
        node for node in explain(executable.plan, profile).nodes if node.title == "Table Scan"
    )
    assert scan.execution_stats["rows"]["total"] == "1"
    assert scan.execution_stats["scanned_rows"]["total"] == "4"
    assert scan.execution_stats["execution_summary"] == {"num_executions": "1"}
    assert run.rows_scanned == 4


def test_an_operator_takes_at_least_the_time_of_its_inputs():
    reader = MemoryReader(ROWS)
    executable = prepared(
        "SELECT s.LastName, COUNT(*) FROM Singers s JOIN Albums a USING (SingerId) "
        "GROUP BY s.LastName ORDER BY 2 DESC LIMIT 1",
        reader,
    )
    run = run_for(executable, reader)
    profile = run.start_profile()
    list(executable.run(run))
    nodes = explain(executable.plan, profile).nodes

    def latency(node):
        return float(node.execution_stats["latency"]["total"])

    pairs = [
        (node, nodes[link.child_index])
        for node in nodes
        for link in node.child_links
        if node.execution_stats and nodes[link.child_index].execution_stats
    ]
    assert len(pairs) > 3
    assert all(latency(above) >= latency(below) for above, below in pairs)


def test_a_query_without_tables_has_no_distributed_union():
    assert [node.title for node in tree("SELECT 1").nodes if node.kind == "RELATIONAL"] == [
        "Serialize Result",
        "Compute",
        "Unit Relation",
    ]


def test_dml_applies_mutations():
    (root, *_) = tree("DELETE FROM Albums WHERE SingerId = 1").nodes
    assert root.display_name == "Apply Mutations"
    assert root.metadata == {"table": "Albums", "operation_type": "DELETE"}
