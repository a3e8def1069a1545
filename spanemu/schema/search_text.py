"""Search and vector indexes as CREATE statements write them."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.object_text import options_text
from spanemu.schema.search_index import NamedPart, SearchIndex, VectorIndex
from spanemu.schema.table_text import clause_options


def search_index_text(index: SearchIndex) -> str:
    """CREATE SEARCH INDEX."""
    text = f"CREATE SEARCH INDEX {_head(index)}{_list(' STORING ', index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_names(index.partition_by)}"
    if index.order_by:
        text += f" ORDER BY {', '.join(map(_part, index.order_by))}"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


def vector_index_text(index: VectorIndex) -> str:
    """CREATE VECTOR INDEX."""
    text = f"CREATE VECTOR INDEX {_head(index)}{_list(' STORING ', index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_names(index.partition_by)}"
    return text + where_text(index.where_not_null) + options_text(index.options)


def where_text(columns: Sequence[str]) -> str:
    """` WHERE a IS NOT NULL AND b IS NOT NULL`, or nothing."""
    if not columns:
        return ""
    return f" WHERE {' AND '.join(f'{quoted(name)} IS NOT NULL' for name in columns)}"


def _head(index: SearchIndex | VectorIndex) -> str:
    return f"{quoted_path(index.name)} ON {quoted_path(index.table)}({_names(index.key)})"


def _list(head: str, names: Sequence[str]) -> str:
    return f"{head}({_names(names)})" if names else ""


def _names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _part(part: NamedPart) -> str:
    name, descending = part
    return f"{quoted(name)} DESC" if descending else quoted(name)
