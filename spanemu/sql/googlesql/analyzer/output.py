"""Types that a column of a result, or of THEN RETURN, cannot have."""

from __future__ import annotations

from spanemu.sql.googlesql.analyzer.errors import GraphColumn, StructColumn
from spanemu.values.types import Type


def check_output(name: str, type_: Type) -> None:
    """Raise StructColumn or GraphColumn for a type that no client can receive."""
    graph = _graph_part(type_)
    if graph is not None:
        raise GraphColumn(graph.kind)
    if type_.is_struct:
        raise StructColumn(name)


def _graph_part(type_: Type) -> Type | None:
    """Return the type of elements or paths in a type, or None if it has none."""
    if type_.is_graph:
        return type_
    inner = [type_.element] if type_.element is not None else [each.type for each in type_.fields]
    return next((part for each in inner if (part := _graph_part(each)) is not None), None)
