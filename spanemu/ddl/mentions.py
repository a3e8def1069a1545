"""Where objects mention a table by name, and what becomes of that when the table is renamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.schema.access import Role
from spanemu.schema.change_stream import ChangeStream
from spanemu.schema.graph import PropertyGraph
from spanemu.schema.schema import Schema
from spanemu.schema.search_index import SearchIndex, VectorIndex


def renamed_mentions(schema: Schema, old: str, new: str) -> Mapping[str, Any]:
    """Fields of the schema in which something mentioned `old`, with `new` in its place."""
    fields = {}
    for field, rename in _RENAMES.items():
        objects = getattr(schema, field)
        changed = {key: rename(thing, old, new) for key, thing in objects.items()}
        if any(changed[key] is not objects[key] for key in objects):
            fields[field] = changed
    return fields


def _stream(stream: ChangeStream, old: str, new: str) -> ChangeStream:
    if stream.watched(old) is None:
        return stream
    tables = tuple(replace(one, table=new) if one.table == old else one for one in stream.tables)
    return replace(stream, tables=tables)


def _search_index(index: SearchIndex, old: str, new: str) -> SearchIndex:
    if old not in (index.table, index.parent):
        return index
    return replace(
        index,
        table=new if index.table == old else index.table,
        parent=new if index.parent == old else index.parent,
    )


def _vector_index(index: VectorIndex, old: str, new: str) -> VectorIndex:
    return replace(index, table=new) if index.table == old else index


def _graph(graph: PropertyGraph, old: str, new: str) -> PropertyGraph:
    if all(element.table != old for element in graph.elements):
        return graph
    nodes, edges = (
        tuple(replace(one, table=new) if one.table == old else one for one in elements)
        for elements in (graph.nodes, graph.edges)
    )
    return replace(graph, nodes=nodes, edges=edges)


def _role(role: Role, old: str, new: str) -> Role:
    if all((grant.kind, grant.name) != ("TABLE", old) for grant in role.grants):
        return role
    grants = tuple(
        replace(grant, name=new) if (grant.kind, grant.name) == ("TABLE", old) else grant
        for grant in role.grants
    )
    return replace(role, grants=grants)


_RENAMES: Mapping[str, Callable[[Any, str, str], Any]] = {
    "change_streams": _stream,
    "graphs": _graph,
    "roles": _role,
    "search_indexes": _search_index,
    "vector_indexes": _vector_index,
}
