"""Split points that users make ahead of a load: AddSplitPoints and SPANNER_SYS.USER_SPLIT_POINTS.

A point puts a boundary into the hierarchy of its table or index. The same point again changes when
it expires; an expiry in the past takes it away. A point expired gives its boundary back, unless
something else put it there first.

Where a point of an interleaved table or index falls is up to the policy: before the root row that
its key begins with, or under `modern` before the very row. Limits and defaults follow the pages on
quotas and on presplitting.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spanemu.base.nanos import NANOS_PER_DAY
from spanemu.database.splits.errors import (
    SplitPointExpiresTooLate,
    SplitPointKeyCount,
    SplitPointKeysContradict,
    SplitPointNamesNothing,
    SplitPointOnSearchIndex,
    TooManySplitPoints,
)
from spanemu.database.splits.split_manager import SplitManager
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.boundary import Boundary, Origin
from spanemu.storage.layout import TreeId, encoder_of, parts_of, tree_of
from spanemu.storage.store import Store
from spanemu.txn.errors.requests import IndexNotFound, TableNotFound
from spanemu.txn.key_sets import KeyReader
from spanemu.values.key import key_decoder
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
    """What a request says about one table or index; each of `keys` is a list of raw values."""

    table: str
    index: str
    keys: tuple[Sequence[Any], ...]
    expires: int | None = None  # nanoseconds


@dataclass(frozen=True, slots=True)
class SplitPoint:
    """A point that is there. `own_boundary`: nothing but the point put its boundary there."""

    thing: TreeId
    boundary: Boundary
    table: str
    index: str
    initiator: str
    text: str
    expires: int
    own_boundary: bool


class SplitPoints:
    """The points of one database. `schema` gives the present schema."""

    def __init__(self, store: Store, schema: Callable[[], Schema], splitting: SplitManager) -> None:
        self._store = store
        self._schema = schema
        self._splitting = splitting
        self._mutex = threading.Lock()  # Guards the fields below.
        self._points: dict[tuple[TreeId, str], SplitPoint] = {}
        self._changes: deque[int] = deque()  # when points were added or updated, for a day

    def changes_since(self, at: int) -> int:
        """How many points were added or updated since then."""
        with self._mutex:
            return sum(when >= at for when in self._changes)

    def live(self, now: int) -> list[SplitPoint]:
        """The points that have not expired, of tables and indexes that are there.

        A restore takes boundaries back, and the points that made them with those.
        """
        with self._mutex:
            self._expire(now)
            names = {tree_of(thing) for thing in self._schema().tables_and_indexes()}
            boundaries = set(self._store.all_boundaries()) if self._points else ()
            self._points = {
                key: point
                for key, point in self._points.items()
                if point.thing in names and point.boundary in boundaries
            }
            return list(self._points.values())

    def resolve(
        self, requests: Iterable[NewSplitPoints], initiator: str, now: int
    ) -> list[SplitPoint]:
        """The points that requests mean; nothing is changed. Raises what is wrong with them."""
        shown = (initiator or INITIATOR_DEFAULT)[:INITIATOR_CHARS_MAX]
        found = [
            point
            for request in requests
            for point in self._resolve(request, shown, _expiry(request, now))
        ]
        if len(found) > POINTS_PER_REQUEST_MAX:
            raise TooManySplitPoints(POINTS_PER_REQUEST_MAX, "in one request")
        return found

    def put(self, points: Iterable[SplitPoint], now: int) -> None:
        """Add points, or change when they expire."""
        with self._mutex:
            while self._changes and self._changes[0] < now - NANOS_PER_DAY:
                self._changes.popleft()
            for point in points:
                self._changes.append(now)
                self._put(point)
            self._expire(now)

    def _put(self, point: SplitPoint) -> None:
        known = self._points.get((point.thing, point.text))
        made = self._store.cut([point.boundary])
        own = bool(made) or (known is not None and known.own_boundary)
        self._points[point.thing, point.text] = replace(point, own_boundary=own)

    def _expire(self, now: int) -> None:
        gone = [key for key, point in self._points.items() if point.expires <= now]
        for key in gone:
            point = self._points.pop(key)
            same = (k for k, p in self._points.items() if p.boundary == point.boundary)
            heir = next(same, None)
            if heir is not None:  # Two points want this boundary: the other answers for it now.
                kept = self._points[heir]
                own = kept.own_boundary or point.own_boundary
                self._points[heir] = replace(kept, own_boundary=own)
            elif point.own_boundary:
                self._store.merge([point.boundary])

    def _resolve(
        self, request: NewSplitPoints, initiator: str, expires: int
    ) -> Iterator[SplitPoint]:
        """The points of one part of a request."""
        schema = self._schema()
        thing: Table | Index
        if request.index:
            thing, places = _index_places(schema, request)
        elif request.table:
            thing, places = _table_places(schema, request)
        else:
            raise SplitPointNamesNothing
        before = self._splitting.boundaries_of(thing, Origin.USER)
        table = thing.name if isinstance(thing, Table) else schema.tables[thing.table.lower()].name
        index = "" if isinstance(thing, Table) else thing.name
        for key, text in places:
            yield SplitPoint(
                tree_of(thing), before(key), table, index, initiator, text, expires,
                own_boundary=False,
            )  # fmt: skip


def _expiry(request: NewSplitPoints, now: int) -> int:
    if request.expires is None:
        return now + EXPIRY_DEFAULT_NANOS
    if request.expires > now + EXPIRY_MAX_NANOS:
        raise SplitPointExpiresTooLate(EXPIRY_MAX_NANOS // NANOS_PER_DAY)
    return request.expires


Places = Iterable[tuple[bytes, str]]


def _table_places(schema: Schema, request: NewSplitPoints) -> tuple[Table, Places]:
    table = schema.table(request.table)
    if table is None:
        raise TableNotFound(request.table)
    if not request.keys:
        raise SplitPointKeyCount(table.name)
    reader = KeyReader(table.name, table.key)
    keys = [reader.key(raw) for raw in request.keys]
    return table, [(key, f"{table.name}{_shown(table, key)}") for key in keys]


def _index_places(schema: Schema, request: NewSplitPoints) -> tuple[Index, Places]:
    """An index's point is its key alone, or that and the whole key of the table."""
    if request.index.lower() in {**schema.search_indexes, **schema.vector_indexes}:
        raise SplitPointOnSearchIndex(request.index)
    index = schema.index(request.index)
    if index is None or (request.table and request.table.lower() != index.table.lower()):
        raise IndexNotFound(request.index, request.table)
    table = schema.tables[index.table.lower()]
    if not 1 <= len(request.keys) <= 2:
        raise SplitPointKeyCount(index.name)
    start = KeyReader(index.name, index.key).key(request.keys[0])
    primary = ",".join(["<begin>"] * len(table.key))
    if len(request.keys) == 2:
        key = KeyReader(table.name, table.key).key(request.keys[1])
        values = key_decoder(_shapes(table))(key)
        by_name = dict(zip((part.column.name for part in table.key), values, strict=True))
        for part, value in zip(index.key, key_decoder(_shapes(index))(start), strict=True):
            if by_name.get(part.column.name, value) != value:
                raise SplitPointKeysContradict(index.name, table.name, part.column.name)
        start += encoder_of(index.suffix)([by_name[p.column.name] for p in index.suffix])
        primary = _shown(table, key)[1:-1]
    text = (
        f"Index: {index.name} on {table.name}, "
        f"Index Key: {_shown(index, start)}, Primary Table Key: ({primary})"
    )
    return index, [(start, text)]


def _shapes(thing: Table | Index) -> tuple[Any, ...]:
    parts = thing.key if isinstance(thing, Index) else parts_of(thing)
    return tuple((part.column.type, part.descending) for part in parts)


def _shown(thing: Table | Index, key: bytes) -> str:
    """The declared part of a key as the system table prints it: bare values."""
    values = key_decoder(_shapes(thing))(key)
    shown = []
    for value, (type_, _) in zip(values, _shapes(thing), strict=True):
        raw = None if value is None else encoder(type_)(value)
        shown.append(
            "NULL" if raw is None else str(raw).lower() if raw in (True, False) else str(raw)
        )
    return f"({','.join(shown)})"
