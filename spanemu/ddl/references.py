"""Where objects mention a table by name, and what becomes of that when the table is renamed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.objects import ViewBecomesInvalid, ViewsDepend, ViewsDependOnType
from spanemu.schema.access import Role
from spanemu.schema.graph import PropertyGraph
from spanemu.schema.index import SearchIndex, VectorIndex
from spanemu.schema.names import with_names
from spanemu.schema.objects import ChangeStream, View
from spanemu.schema.schema import Schema
from spanemu.sql.dialects import dialect_of


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


OnInvalid = Callable[[View, str], SpannerError]


def views_over(schema: Schema, names: Collection[str]) -> Iterator[View]:
    """Views that depend on any of these objects, directly or through other views."""
    wanted = {name.lower() for name in names}
    for view in schema.views.values():
        if any(used.lower() in wanted for used in view.depends_on):
            yield view


def refuse_drop_under_views(schema: Schema, kind: str, name: str) -> None:
    """Raise when a view uses the object of that name."""
    views = [view.name for view in views_over(schema, (name,))]
    if views:
        raise ViewsDepend(kind, name, ",".join(views))


def with_checked_views(
    schema: Schema, changed: Collection[str], kind: str, name: str, invalid: OnInvalid | None = None
) -> Schema:
    """The schema with every view over `changed` analyzed again; `kind` and `name` are for messages.

    `invalid` makes the failure for a view that no longer means anything.
    """
    if not schema.views:
        return schema
    views = {}
    for view in views_over(schema, changed):
        try:
            shape = dialect_of(schema.dialect).analyze_view(view.query, schema)
        except SpannerError as failure:
            if invalid is not None:
                raise invalid(view, str(failure)) from None
            raise ViewBecomesInvalid(kind, name, view.name, str(failure)) from None
        if shape.columns != view.columns:
            raise ViewsDependOnType(kind, name, view.name)
        if shape.depends_on != view.depends_on:
            views[view.name.lower()] = replace(view, depends_on=shape.depends_on)
    return schema.next(views=with_names(schema.views, views)) if views else schema
