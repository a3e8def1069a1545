"""Completions in graph queries."""

from __future__ import annotations

import pytest

from spanemu.cli.shell.graph_names import names_in_graph_query

GRAPHS = {
    "Bank": {"Person": ["id", "name"], "Account": ["id", "balance"], "Owns": ["since"]},
    "s.Net": {"City": ["zone"]},
}


@pytest.mark.parametrize(
    ("before", "prefix", "names", "kind"),
    [
        ("GRAPH ", "", ["Bank", "s.Net"], "graph"),
        ("@{a=1} graph s.N", "s.N", ["Bank", "s.Net"], "graph"),
        ("SELECT * FROM GRAPH_TABLE(Ba", "Ba", ["Bank", "s.Net"], "graph"),
        ("DROP PROPERTY GRAPH ", "", ["Bank", "s.Net"], "graph"),
        ("GRAPH bank MATCH (:", "", ["Person", "Account", "Owns"], "label"),
        ("GRAPH Bank MATCH (n IS Pe", "Pe", ["Person", "Account", "Owns"], "label"),
        ("GRAPH Bank MATCH (n)-[e:Ow", "Ow", ["Person", "Account", "Owns"], "label"),
        ("GRAPH Bank MATCH (n:!Person|", "", ["Person", "Account", "Owns"], "label"),
        ("GRAPH `s.Net` MATCH (@{FORCE_INDEX=i} c:", "", ["City"], "label"),
        ("GRAPH Bank MATCH (n:Person {na", "na", ["id", "name"], "property"),
        ("GRAPH Bank MATCH (n:Person|Owns {id: 1, ", "", ["id", "name", "since"], "property"),
        ("GRAPH Bank MATCH ({", "", ["id", "name", "balance", "since"], "property"),
        ("GRAPH Bank MATCH (n:Person)-[e]->(m) RETURN n.", "", ["id", "name"], "property"),
        ("GRAPH Bank MATCH (n:Person) MATCH (n) RETURN N.na", "na", ["id", "name"], "property"),
        ("GRAPH Bank MATCH (n) RETURN n.b", "b", ["id", "name", "balance", "since"], "property"),
    ],
)
def test_names_follow_the_text(before, prefix, names, kind):
    assert names_in_graph_query(before, GRAPHS) == (prefix, names, kind)


@pytest.mark.parametrize(
    "before",
    [
        "SELECT * FROM Singers s WHERE s.",
        "GRAPH Nope MATCH (n:",
        "GRAPH Bank MATCH (n) RETURN other.",
        "GRAPH Bank MATCH (n:Person) RET",
        "",
    ],
)
def test_other_texts_are_for_the_completion_of_sql(before):
    assert names_in_graph_query(before, GRAPHS) is None
