"""Partitions of reads and queries, and the tokens that stand for them.

A token holds the session, the transaction, a fingerprint of the request it was made for, and the
ranges of keys of its share. It is checked, not trusted: one that was made up is refused.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.statements.errors import InvalidPartitionToken, NotPartitionableQuery
from spanemu.database.statements.query_engine import Prepared
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange
from spanemu.sql.plan.partitionable import hierarchy_of_query
from spanemu.storage.layout import TreeId, hierarchy_of, tree_of
from spanemu.storage.ranges import EVERYTHING
from spanemu.storage.store import Store

_VERSION = 1


@dataclass(frozen=True, slots=True)
class PartitionToken:
    """What a token says."""

    session: str
    transaction: bytes
    fingerprint: str
    ranges: tuple[ByteRange, ...]


def seal(token: PartitionToken) -> bytes:
    """A token as clients carry it, with a checksum against tampering by accident."""
    ranges = [[_text(low), _text(high)] for low, high in token.ranges]
    body = json.dumps(
        [_VERSION, token.session, _text(token.transaction), token.fingerprint, ranges]
    ).encode()
    return hashlib.blake2b(body, digest_size=8).digest() + body


def open_token(sealed: bytes, expected: PartitionToken) -> PartitionToken:
    """The token, if it was made where `expected` says. Raises InvalidPartitionToken."""
    digest, body = sealed[:8], sealed[8:]
    if hashlib.blake2b(body, digest_size=8).digest() != digest:
        raise InvalidPartitionToken("it was not given out by this server")
    try:
        version, session, transaction, fingerprint, ranges = json.loads(body)
        token = PartitionToken(
            session,
            b64decode(transaction),
            fingerprint,
            tuple((b64decode(low), b64decode(high)) for low, high in ranges),
        )
    except (ValueError, TypeError, RecursionError, Base64Error):
        raise InvalidPartitionToken("it was not given out by this server") from None
    if version != _VERSION:
        raise InvalidPartitionToken("it is of another version")
    if token.session != expected.session:
        raise InvalidPartitionToken("it was created for a different session")
    if token.transaction != expected.transaction:
        raise InvalidPartitionToken("it was created for a different transaction")
    if token.fingerprint != expected.fingerprint:
        raise InvalidPartitionToken("it was created for different read or sql parameters")
    return token


def read_fingerprint(request: ReadRequest) -> str:
    """What must be the same when a share of a read is asked for."""
    key_set = asdict(request.key_set)
    return _digest(["read", request.table, request.index, list(request.columns), key_set])


def query_fingerprint(request: StatementRequest) -> str:
    """What must be the same when a share of a query is asked for."""
    types = {name: str(type_) for name, type_ in request.parameter_types.items()}
    return _digest(["query", request.sql, dict(request.parameters), types])


def partition_ranges(
    store: Store, thing: Table | Index, ranges: Sequence[ByteRange], most: int = 0
) -> list[tuple[ByteRange, ...]]:
    """Ranges of a table or index cut at split boundaries: one share per split met.

    There is at least one, and no more than `most` if that is not 0.
    """
    starts = store.split_map.starts(tree_of(thing))
    shares = [
        tuple(_within(ranges, low, starts[place + 1] if place + 1 < len(starts) else None))
        for place, low in enumerate(starts)
    ]
    shares = [share for share in shares if share] or [()]
    if most and len(shares) > most:
        tail = tuple(each for share in shares[most - 1 :] for each in share)
        shares = [*shares[: most - 1], tail]
    return shares


def partitioned_by(prepared: Prepared, schema: Schema) -> str:
    """The root table or index by whose rows a query can be cut; "" when it reads no table.

    Raises unless each share of the plan needs rows of its own only. The order of all rows is not
    a share's own, so a query with ORDER BY is refused even where an index has the rows in order.
    A hint of Google's emulator switches this off: there, too, one partition has all the rows.
    """
    if prepared.cuts_unchecked:
        return ""
    if prepared.is_ordered:
        raise NotPartitionableQuery("ORDER BY needs more than one share's rows")
    name, reason = hierarchy_of_query(prepared.executable.plan, schema)
    if reason:
        raise NotPartitionableQuery(reason)
    return name


def _within(ranges: Sequence[ByteRange], low: bytes, high: bytes | None) -> Iterator[ByteRange]:
    """What ranges have in common with [low, high)."""
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


def query_shares(store: Store, hierarchy: TreeId, most: int) -> list[ByteRange]:
    """Ranges of root keys that cover a hierarchy; no more than `most` if that is not 0."""
    inner = [each.key for each in store.split_map.boundaries(hierarchy) if len(each.path) == 1]
    if most:
        inner = inner[: most - 1]
    low, high = EVERYTHING[0]
    return list(zip([low, *inner], [*inner, high], strict=True))


def hierarchy_named(schema: Schema, name: str) -> TreeId:
    """The hierarchy whose root table or index is so called."""
    return next(tree_of(thing) for thing in schema.tables_and_indexes() if thing.name == name)


def trees_of(schema: Schema, name: str) -> frozenset[TreeId]:
    """The trees of that hierarchy."""
    root = hierarchy_named(schema, name)
    things = schema.tables_and_indexes()
    return frozenset(tree_of(thing) for thing in things if hierarchy_of(schema, thing) == root)
