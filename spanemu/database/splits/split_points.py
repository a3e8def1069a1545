"""Split points that users add ahead of a load: AddSplitPoints and SPANNER_SYS.USER_SPLIT_POINTS.

A split point adds a boundary to the hierarchy of its table or index. Adding the same point again
changes its expiry; an expiry in the past removes it. An expired point removes its boundary, unless
the boundary existed before the point.

The policy decides where a point of an interleaved table or index falls: before the root row that
its key begins with, or under `modern` before the row itself. Limits and defaults follow the pages
on quotas and on presplitting.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from spanemu.base.clock import NANOS_PER_DAY
from spanemu.base.record import dataclass
from spanemu.database import errors
from spanemu.database.splits.split_manager import SplitManager
from spanemu.schema.indexes import SortedIndex, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import Boundary, Origin, TreeId, encoder_of, tree_of
from spanemu.storage.store import Store
from spanemu.txn import key_sets
from spanemu.txn.errors import IndexNotFound, TableNotFound
from spanemu.values.key import key_decoder
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder

EXPIRY_DEFAULT_NANOS = 10 * NANOS_PER_DAY
EXPIRY_MAX_NANOS = 30 * NANOS_PER_DAY
POINTS_PER_REQUEST_MAX = 100
REQUEST_BYTES_MAX = 1 << 20
POINTS_PER_NODE_MAX = 50
CHANGES_PER_NODE_MINUTE_MAX = 10
CHANGES_PER_NODE_DAY_MAX = 200
INITIATOR_DEFAULT = "CloudAddSplitPointsAPI"
INITIATOR_CHARS_MAX = 50


@dataclass(frozen=True, slots=True)
class NewSplitPoints:
    """The split points of a request for a table or index; each of `keys` is a list of raw
    values.
    """

    table: str
    index: str
    keys: tuple[Sequence[Any], ...]
    expires: int | None = None  # nanoseconds


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """A split point. `own_boundary` is true if only the point keeps its boundary."""

    tree: TreeId
    boundary: Boundary
    table: str
    index: str
    initiator: str
    text: str
    expires: int
    own_boundary: bool


class SplitPoints:
    """The split points of a database. `schema` returns the current schema."""

    def __init__(self, store: Store, schema: Callable[[], Schema], splitting: SplitManager) -> None:
        self._store = store
        self._schema = schema
        self._splitting = splitting
        self._mutex = threading.Lock()  # Guards the fields below.
        self._points: dict[tuple[TreeId, str], SplitPoint] = {}
        self._changes: deque[int] = deque()  # times of changes within the last day

    def changes_since(self, at: int) -> int:
        """Return how many points were added or updated since `at`."""
        with self._mutex:
            return sum(when >= at for when in self._changes)

    def live(self, now: int) -> list[SplitPoint]:
        """Return the points that have not expired, of existing tables and indexes.

        A restore removes boundaries, and with them the points that added them.
        """
        with self._mutex:
            self._expire(now)
            trees = {tree_of(source) for source in self._schema().tables_and_indexes()}
            boundaries = set(self._store.all_boundaries()) if self._points else ()
            self._points = {
                key: point
                for key, point in self._points.items()
                if point.tree in trees and point.boundary in boundaries
            }
            return list(self._points.values())

    def resolve(
        self, requests: Iterable[NewSplitPoints], initiator: str, now: int
    ) -> list[SplitPoint]:
        """Return the points of the requests; nothing is changed.

        Raises the errors of invalid points.
        """
        shown = (initiator or INITIATOR_DEFAULT)[:INITIATOR_CHARS_MAX]
        points = [
            point
            for request in requests
            for point in self._resolve(request, shown, _expiry(request, now))
        ]
        if len(points) > POINTS_PER_REQUEST_MAX:
            raise errors.TooManySplitPoints(POINTS_PER_REQUEST_MAX, "in one request")
        return points

    def put(self, points: Iterable[SplitPoint], now: int) -> None:
        """Add points, or change their expiry."""
        with self._mutex:
            while self._changes and self._changes[0] < now - NANOS_PER_DAY:
                self._changes.popleft()
            for point in points:
                self._changes.append(now)
                self._put(point)
            self._expire(now)

    def _put(self, point: SplitPoint) -> None:
        known = self._points.get((point.tree, point.text))
        added = self._store.cut([point.boundary])
        own = bool(added) or (known is not None and known.own_boundary)
        self._points[point.tree, point.text] = replace(point, own_boundary=own)

    def _expire(self, now: int) -> None:
        expired = [key for key, point in self._points.items() if point.expires <= now]
        for key in expired:
            point = self._points.pop(key)
            same = (k for k, p in self._points.items() if p.boundary == point.boundary)
            heir = next(same, None)
            if heir is not None:  # Another point has the same boundary, and keeps it.
                kept = self._points[heir]
                own = kept.own_boundary or point.own_boundary
                self._points[heir] = replace(kept, own_boundary=own)
            elif point.own_boundary:
                self._store.merge([point.boundary])

    def _resolve(
        self, request: NewSplitPoints, initiator: str, expires: int
    ) -> Iterator[SplitPoint]:
        """Yield the points of a single table or index of a request."""
        schema = self._schema()
        source: TableOrIndex
        if request.index:
            source, keys = _index_keys(schema, request)
        elif request.table:
            source, keys = _table_keys(schema, request)
        else:
            raise errors.SplitPointNamesNothing()
        before = self._splitting.boundaries_of(source, Origin.USER)
        is_table = isinstance(source, Table)
        table = (
            source.name
            if isinstance(source, Table)
            else schema.tables[schema.fold(source.table)].name
        )
        index = "" if is_table else source.name
        for key, text in keys:
            yield SplitPoint(
                tree_of(source), before(key), table, index, initiator, text, expires,
                own_boundary=False,
            )  # fmt: skip


def _expiry(request: NewSplitPoints, now: int) -> int:
    if request.expires is None:
        return now + EXPIRY_DEFAULT_NANOS
    if request.expires > now + EXPIRY_MAX_NANOS:
        raise errors.SplitPointExpiresTooLate(EXPIRY_MAX_NANOS // NANOS_PER_DAY)
    return request.expires


KeyTexts = Iterable[tuple[bytes, str]]


def _table_keys(schema: Schema, request: NewSplitPoints) -> tuple[Table, KeyTexts]:
    table = schema.table(request.table)
    if table is None:
        raise TableNotFound(request.table)
    if table.is_queue:
        raise errors.SplitPointOnQueue(table.name)
    if not request.keys:
        raise errors.SplitPointKeyCount(table.name)
    keys = [_key(table, raw) for raw in request.keys]
    return table, [(key, f"{table.name}{_shown(table, key)}") for key in keys]


def _key(source: TableOrIndex, raw: Sequence[Any]) -> bytes:
    """Return a key from its values; INT64 may be a whole number, as gcloud writes every number."""
    plain = list(raw)
    for position, (value, part) in enumerate(zip(raw, source.declared_key, strict=False)):
        is_whole = isinstance(value, float) and value.is_integer()
        if is_whole and part.column.type.code is TypeCode.INT64:
            plain[position] = str(int(value))
    return key_sets.KeyReader(source.name, source.declared_key).key(plain)


def _index_keys(schema: Schema, request: NewSplitPoints) -> tuple[SortedIndex, KeyTexts]:
    """Return an index and the key of its split point: the index key, optionally with the table's
    key.
    """
    index = schema.index(request.index)
    if index is None and schema.index_of_any_kind(request.index) is not None:
        raise errors.SplitPointOnSearchIndex(request.index)
    if index is None or (request.table and schema.fold(request.table) != schema.fold(index.table)):
        raise IndexNotFound(request.index, request.table)
    table = schema.tables[schema.fold(index.table)]
    if not 1 <= len(request.keys) <= 2:
        raise errors.SplitPointKeyCount(index.name)
    start = _key(index, request.keys[0])
    primary = ",".join(["<begin>"] * len(table.key))
    if len(request.keys) == 2:
        key = _key(table, request.keys[1])
        values = key_decoder(_types(table))(key)
        by_name = dict(zip((part.column.name for part in table.key), values, strict=True))
        for part, value in zip(index.key, key_decoder(_types(index))(start), strict=True):
            if by_name.get(part.column.name, value) != value:
                raise errors.SplitPointKeysContradict(index.name, table.name, part.column.name)
        start += encoder_of(index.suffix)([by_name[p.column.name] for p in index.suffix])
        primary = _shown(table, key)[1:-1]
    text = (
        f"Index: {index.name} on {table.name}, "
        f"Index Key: {_shown(index, start)}, Primary Table Key: ({primary})"
    )
    return index, [(start, text)]


def _types(source: TableOrIndex) -> tuple[Type, ...]:
    return tuple(part.column.type for part in source.declared_key)


def _shown(source: TableOrIndex, key: bytes) -> str:
    """Return the declared part of a key as the system table prints it: bare values."""
    values = key_decoder(_types(source))(key)
    texts = []
    for value, type_ in zip(values, _types(source), strict=True):
        raw = None if value is None else encoder(type_)(value)
        texts.append(
            "NULL" if raw is None else str(raw).lower() if raw in (True, False) else str(raw)
        )
    return f"({','.join(texts)})"
