"""The statements that create a schema in GoogleSQL; `objects` has other objects than tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.schema.indexes import Index, SearchIndex, SortedIndex, VectorIndex
from spanemu.schema.objects import ProtoBundle
from spanemu.schema.option_text import option_value
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, ForeignKey, KeyPart, Table
from spanemu.sql.googlesql.printing.objects import (
    TEXTS,
    grant_texts,
    proto_bundle_text,
    statistics_text,
)
from spanemu.sql.googlesql.printing.table_text import (
    clause_options,
    foreign_key_text,
    key_text,
    options_text,
    table_text,
    where_text,
)


def index_text(index: SortedIndex) -> str:
    """Return CREATE INDEX."""
    kind = f"{'UNIQUE ' if index.unique else ''}{'NULL_FILTERED ' if index.null_filtered else ''}"
    text = (
        f"CREATE {kind}INDEX {quoted_path(index.name)} ON {quoted_path(index.table)}"
        f"({key_text(index.key)})"
    )
    if index.stored:
        text += f" STORING ({', '.join(quoted(column.name) for column in index.stored)})"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


def search_index_text(index: SearchIndex) -> str:
    """Return CREATE SEARCH INDEX."""
    text = f"CREATE SEARCH INDEX {_head(index)}{_storing(index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_quoted(index.partition_by)}"
    if index.order_by:
        text += f" ORDER BY {', '.join(map(_part_text, index.order_by))}"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


def vector_index_text(index: VectorIndex) -> str:
    """Return CREATE VECTOR INDEX."""
    text = f"CREATE VECTOR INDEX {_head(index)}{_storing(index.stored)}"
    return text + where_text(index.where_not_null) + options_text(index.options)


def _head(index: SearchIndex | VectorIndex) -> str:
    return f"{quoted_path(index.name)} ON {quoted_path(index.table)}({_quoted(index.key)})"


def _storing(columns: Sequence[Column]) -> str:
    return f" STORING ({_quoted(columns)})" if columns else ""


def _quoted(columns: Sequence[Column]) -> str:
    return ", ".join([quoted(column.name) for column in columns])


def _part_text(part: KeyPart) -> str:
    name = quoted(part.column.name)
    return f"{name} DESC" if part.descending else name


_INDEX_TEXTS: Mapping[str, Callable[[Any], str]] = {
    SortedIndex.words: index_text,
    SearchIndex.words: search_index_text,
    VectorIndex.words: vector_index_text,
}


def any_index_text(index: Index) -> str:
    """Return the statement that creates an index of any kind."""
    return _INDEX_TEXTS[index.words](index)


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    **TEXTS,
    "SEARCH INDEX": any_index_text,
    "VECTOR INDEX": any_index_text,
}


class GoogleSqlWriter:
    """The statements of GoogleSQL."""

    def database_option(self, database: str, name: str, value: Any) -> str:
        return f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"

    def statistics(self, package: str, allow_gc: bool) -> str:
        return statistics_text(package, allow_gc)

    def proto_bundle(self, bundle: ProtoBundle) -> str:
        return proto_bundle_text(bundle)

    def named_schema(self, name: str) -> str:
        return f"CREATE SCHEMA {quoted(name)}"

    def table(self, table: Table, left_out: Sequence[ForeignKey]) -> str:
        return table_text(table, left_out)

    def foreign_key(self, key: ForeignKey) -> str:
        return f"ALTER TABLE {quoted_path(key.table)} ADD {foreign_key_text(key)}"

    def index(self, index: Index) -> str:
        return any_index_text(index)

    def objects(self, kind: str, objects: Iterable[Any], schema: Schema) -> Iterator[str]:
        yield from map(_TEXTS[kind], objects)
        if kind == "ROLE":
            yield from grant_texts(schema.roles.values())
