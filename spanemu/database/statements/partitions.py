"""Partitions of reads and queries, and the tokens that identify them.

A token holds the session, the transaction, a fingerprint of its request, and the key ranges of its
partition. Tokens are verified: a forged token is refused.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spanemu.database import errors
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.statements.query_engine import Prepared
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.sql.executor.run import ByteRange
from spanemu.sql.plan.partitionable import partition_hierarchy
from spanemu.sql.planner import search_rules
from spanemu.storage.layout import EVERYTHING, TreeId, hierarchy_of, tree_of
from spanemu.storage.store import Store

_VERSION = 1


@dataclass(frozen=True, slots=True)
class PartitionToken:
    """The content of a partition token."""

    session: str
    transaction: bytes
    fingerprint: str
    ranges: tuple[ByteRange, ...]


def seal(token: PartitionToken) -> bytes:
    """Return a token as clients carry it, with a checksum against accidental changes."""
    ranges = [[_text(low), _text(high)] for low, high in token.ranges]
    body = json.dumps(
        [_VERSION, token.session, _text(token.transaction), token.fingerprint, ranges]
    ).encode()
    return hashlib.blake2b(body, digest_size=8).digest() + body


def open_token(sealed: bytes, expected: PartitionToken) -> PartitionToken:
    """Return the content of a token after verifying that it belongs to the `expected` request.

    Raises InvalidPartitionToken.
    """
    digest, body = sealed[:8], sealed[8:]
    if hashlib.blake2b(body, digest_size=8).digest() != digest:
        raise errors.InvalidPartitionToken("it was not issued by this server")
    try:
        version, session, transaction, fingerprint, ranges = json.loads(body)
        token = PartitionToken(
            session,
            b64decode(transaction),
            fingerprint,
            tuple((b64decode(low), b64decode(high)) for low, high in ranges),
        )
    except (ValueError, TypeError, RecursionError, Base64Error):
        raise errors.InvalidPartitionToken("it was not issued by this server") from None
    if version != _VERSION:
        raise errors.InvalidPartitionToken("it is of another version")
    if token.session != expected.session:
        raise errors.InvalidPartitionToken("it was created for a different session")
    if token.transaction != expected.transaction:
        raise errors.InvalidPartitionToken("it was created for a different transaction")
    if token.fingerprint != expected.fingerprint:
        raise errors.InvalidPartitionToken("it was created for different read or sql parameters")
    return token


def read_fingerprint(request: ReadRequest) -> str:
    """Return a digest of what the requests for a read's partitions must have in common."""
    key_set = asdict(request.key_set)
    return _digest(["read", request.table, request.index, list(request.columns), key_set])


def query_fingerprint(request: StatementRequest) -> str:
    """Return a digest of what the requests for a query's partitions must have in common."""
    types = {name: str(type_) for name, type_ in request.parameter_types.items()}
    return _digest(["query", request.sql, dict(request.parameters), types])


def partition_ranges(
    store: Store, source: TableOrIndex, ranges: Sequence[ByteRange], limit: int = 0
) -> list[tuple[ByteRange, ...]]:
    """Return ranges of a table or index cut at split boundaries, one partition for each split.

    There is at least one partition, and at most `limit` unless `limit` is 0.
    """
    starts = store.split_map.starts(tree_of(source))
    partitions = [
        tuple(_within(ranges, low, starts[number + 1] if number + 1 < len(starts) else None))
        for number, low in enumerate(starts)
    ]
    partitions = [partition for partition in partitions if partition] or [()]
    if limit and len(partitions) > limit:
        tail = tuple(range_ for partition in partitions[limit - 1 :] for range_ in partition)
        partitions = [*partitions[: limit - 1], tail]
    return partitions


def partitioned_by(prepared: Prepared, schema: Schema) -> str:
    """Return the root table or index by whose rows a query is cut; "" if it reads no table.

    Raises NotPartitionableQuery unless each partition needs only its own rows. The order of all
    rows is no property of a partition, so a query with ORDER BY is refused even if an index has the
    rows in order. A hint of Google's emulator disables this check: there, too, a single partition
    then has all the rows.
    """
    if prepared.searches:
        raise search_rules.refused_in_partitions(prepared.executable.plan)
    if prepared.cuts_unchecked:
        return ""
    if prepared.is_ordered:
        raise errors.NotPartitionableQuery("ORDER BY needs the rows of more than one partition")
    name, reason = partition_hierarchy(prepared.executable.plan, schema)
    if reason:
        raise errors.NotPartitionableQuery(reason)
    return name


def _within(ranges: Sequence[ByteRange], low: bytes, high: bytes | None) -> Iterator[ByteRange]:
    """Yield the intersections of `ranges` with [low, high)."""
    for start, end in ranges:
        first = max(start, low)
        last = end if high is None else min(end, high)
        if first < last:
            yield first, last


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _text(content: bytes) -> str:
    return b64encode(content).decode()


def query_partitions(store: Store, hierarchy: TreeId, limit: int) -> list[ByteRange]:
    """Return ranges of root keys that cover a hierarchy; at most `limit` unless `limit` is 0."""
    inner = [
        boundary.key
        for boundary in store.split_map.boundaries(hierarchy)
        if len(boundary.path) == 1
    ]
    if limit:
        inner = inner[: limit - 1]
    low, high = EVERYTHING[0]
    return list(zip([low, *inner], [*inner, high], strict=True))


def hierarchy_named(schema: Schema, name: str) -> TreeId:
    """Return the hierarchy whose root table or index is named `name`."""
    return next(tree_of(source) for source in schema.tables_and_indexes() if source.name == name)


def trees_of(schema: Schema, name: str) -> frozenset[TreeId]:
    """Return the trees of the hierarchy whose root is named `name`."""
    root = hierarchy_named(schema, name)
    sources = schema.tables_and_indexes()
    return frozenset(tree_of(source) for source in sources if hierarchy_of(schema, source) == root)
