"""SPN312 and SPN406: edge tables of property graphs that the documents advise to lay out otherwise.

    interleaved    the edges of a node next to the node, so that a traversal reads one place
    referential    an edge has both nodes, because an interleaving or a foreign key guarantees it

The index that a traversal from an end needs is in `relations` (SPN222).
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.lint.model import Edge, EdgeEnd, Schema, Table, names_of
from spanemu.lint.rule import INFO, Hit, Rule


def _apart_from_source(schema: Schema) -> Iterator[Hit]:
    reported: set[str] = set()
    for edge in schema.edges:
        source = edge.source
        node = source.table
        if node is None or edge.is_of_node_table or edge.table.name in reported:
            continue
        if names_of(source.columns) != edge.table.key_names[: len(source.columns)]:
            continue  # the key would have to change first, which SPN222 is about
        if source.names_whole_key and node not in edge.table.ancestors:
            reported.add(edge.table.name)
            facts = {"parent": node.name, "columns": _listed(source)}
            yield Hit(edge.position, edge.table.name, facts=facts)


def _may_dangle(schema: Schema) -> Iterator[Hit]:
    reported: set[tuple[str, str]] = set()
    for edge in schema.edges:
        ends: dict[str, str] = {}
        columns: list[str] = []
        for word, end in (("source", edge.source), ("destination", edge.destination)):
            node = end.table
            if node is None or not end.names_whole_key or _is_guaranteed(edge, end, node):
                continue
            ends[word] = _foreign_key(edge.table, end, node)
            columns.append(end.columns[0].name)
        scripts = "; ".join(ends.values())
        if ends and (edge.table.name, scripts) not in reported:
            reported.add((edge.table.name, scripts))
            facts = {"ends": " and ".join(ends), "keys": scripts}
            yield Hit(edge.position, edge.table.name, columns[0], facts=facts)


def _is_guaranteed(edge: Edge, end: EdgeEnd, node: Table) -> bool:
    """Return whether a declaration is about the node at an end of each edge.

    A foreign key that is not enforced shows that the author knows of dangling edges.
    """
    table, columns = edge.table, names_of(end.columns)
    if table is node and columns == node.key_names:
        return True
    if node in _enforcing_ancestors(table) and columns == table.key_names[: len(columns)]:
        return True
    return any(
        fold(str(key.referenced_table)) == fold(node.name)
        and set(names_of(key.columns)) == set(columns)
        for key, _ in table.foreign_keys
    )


def _enforcing_ancestors(table: Table) -> Iterator[Table]:
    """Yield the tables in which each row of a table has its parent row."""
    while table.interleave is not None and table.interleave.in_parent and table.parent is not None:
        table = table.parent
        yield table


def _listed(end: EdgeEnd) -> str:
    return ", ".join(column.name for column in end.columns)


def _foreign_key(table: Table, end: EdgeEnd, node: Table) -> str:
    """Return the statement that adds a foreign key from an end to its node."""
    dialect = table.position.dialect
    mine = ", ".join(dialect.quoted(column.name) for column in end.columns)
    theirs = ", ".join(dialect.quoted(name) for name in end.referenced)
    return (
        f"ALTER TABLE {dialect.quoted_path(table.name)} ADD FOREIGN KEY ({mine}) REFERENCES "
        f"{dialect.quoted_path(node.name)} ({theirs})"
    )


_NODES = (
    "CREATE TABLE Person (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
    "CREATE TABLE Account (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
)
_OWNS = (
    "CREATE TABLE Owns (Id INT64 NOT NULL, AccountId INT64 NOT NULL, {}"
    "FOREIGN KEY (AccountId) REFERENCES Account (Id)) PRIMARY KEY (Id, AccountId){};\n"
)
_GRAPH = (
    "CREATE PROPERTY GRAPH Bank NODE TABLES (Person, Account) EDGE TABLES (Owns "
    "SOURCE KEY (Id) REFERENCES Person (Id) DESTINATION KEY (AccountId) REFERENCES Account (Id))"
)
_IN_PERSON = ", INTERLEAVE IN PARENT Person ON DELETE CASCADE"

RULES = (
    Rule(
        "SPN312", INFO, "DQ", "Edges of a graph apart from their source nodes",
        "A traversal reads a node, then its outgoing edges. Where the edge table is interleaved in "
        "the table of the source nodes, both lie next to each other. See Spanner Graph's best "
        "practices on schema design.",
        "Create {object} with INTERLEAVE IN PARENT {parent}: its key begins with {columns}, the "
        "key of {parent}.",
        "The edges of {object} begin with the key of their source in {parent}, but are stored "
        "apart from it.",
        bad=_NODES + _OWNS.format("FOREIGN KEY (Id) REFERENCES Person (Id), ", "") + _GRAPH,
        good=_NODES + _OWNS.format("", _IN_PERSON) + _GRAPH,
        check=_apart_from_source,
    ),
    Rule(
        "SPN406", INFO, "D", "Edges of a graph that may dangle",
        "An edge whose node does not exist is invisible to graph queries, and stays when the node "
        "is deleted. Interleaving in the node's table, or an enforced foreign key, refuses such "
        "edges, or deletes them with the node. See Spanner Graph's best practices on schema "
        "design.",
        "If every edge has its {ends}: {keys}",
        "Nothing guarantees that the {ends} of an edge of {object} exists.",
        bad=_NODES
        + "CREATE TABLE Owns (Id INT64 NOT NULL, AccountId INT64 NOT NULL) "
        + f"PRIMARY KEY (Id, AccountId){_IN_PERSON};\n"
        + _GRAPH,
        good=_NODES + _OWNS.format("", _IN_PERSON) + _GRAPH,
        check=_may_dangle,
    ),
)  # fmt: skip
