"""Rows, metadata and statistics -> ResultSet, as serialized bytes.

    ResultSet          metadata = 1   rows = 2     stats = 3   precommit_token = 5
    ResultSetMetadata  row_type = 1   transaction = 2   undeclared_parameters = 3
    Transaction        id = 1         read_timestamp = 2       precommit_token = 3

Everything that depends on the columns alone (the bytes of the row type, the encoder of the rows) is
a `Shape`, built once for each columns tuple in the plan cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

from spanemu.base.limits import UNARY_RESULT_BYTES_MAX
from spanemu.database.statements.results import (
    NO_STATS,
    ResultStats,
    ResultStream,
    TransactionInfo,
)
from spanemu.frontend.convert.types import struct_type_to_proto, timestamp_field
from spanemu.frontend.errors import ResultTooLarge
from spanemu.frontend.wire import QueryPlan, ResultSetStats, Struct
from spanemu.values.types import Type
from spanemu.values.value_bytes import (
    LISTED,
    PARTIAL,
    TextEncoder,
    field,
    row_encoder,
    to_bytes,
    varint,
)

_KINDS = {"RELATIONAL": 1, "SCALAR": 2}


def plan_to_proto(plan: Any) -> Any:
    """Return a QueryPlan message: nodes in pre-order, the root at index 0."""
    message = QueryPlan()
    for node in plan.nodes:
        _fill_node(message.plan_nodes.add(), node)
    for advice in plan.advice:
        factor = advice.improvement_factor
        message.query_advice.index_advice.add(ddl=[advice.ddl], improvement_factor=factor)
    return message


def _fill_node(message: Any, node: Any) -> None:
    message.index = node.index
    message.kind = _KINDS[str(node.kind).upper()]
    message.display_name = node.display_name
    for link in node.child_links:
        message.child_links.add(
            child_index=link.child_index, type_=link.type, variable=link.variable
        )
    if node.short_representation:
        message.short_representation.description = node.short_representation
    if node.metadata:
        message.metadata.CopyFrom(struct_to_proto(node.metadata))
    if node.execution_stats:
        message.execution_stats.CopyFrom(struct_to_proto(node.execution_stats))


def struct_to_proto(mapping: Mapping[str, Any]) -> Any:
    """Return a Struct message of JSON-like values."""
    message = Struct()
    message.update(mapping)
    return message


Columns = tuple[tuple[str, Type], ...]

_SHAPES_COUNT_MAX = 1024
_SEQ_NUM = b"\x10"  # field 2 of a MultiplexedSessionPrecommitToken


class Shape:
    """The serialized form of a columns tuple.

    `row_type` is field 1 of a metadata message. `plain_metadata` is a whole metadata message
    without further fields, as field 1 of a result. `before_id`, keyed by the size of an id, is the
    beginning of metadata that names a new transaction. `partial` and `listed` return the text of a
    row's values for a PartialResultSet and for a ResultSet.
    """

    def __init__(self, columns: Columns) -> None:
        self.types = tuple([type_ for _, type_ in columns])
        self.row_type = field(1, struct_type_to_proto(columns).SerializeToString())
        self.plain_metadata = field(1, self.row_type)
        self.before_id: dict[int, bytes] = {}
        self.partial = row_encoder(self.types, PARTIAL)

    @cached_property
    def listed(self) -> TextEncoder:
        return row_encoder(self.types, LISTED)


# Keyed by identity, because hashing nested types costs more than the rest of a small reply. The
# entry holds its columns, so that no other object gets the same id while it is a key.
_shapes: dict[int, tuple[Columns, Shape]] = {}


def shape_of(columns: Columns) -> Shape:
    """Return the shape of `columns`."""
    entry = _shapes.get(id(columns))
    if entry is None:
        if len(_shapes) >= _SHAPES_COUNT_MAX:
            _shapes.clear()
        entry = _shapes[id(columns)] = (columns, _build_shape(columns))
    return entry[1]


_build_shape = lru_cache(maxsize=_SHAPES_COUNT_MAX)(Shape)


def metadata_field(stream: ResultStream, shape: Shape) -> bytes:
    """Return the ResultSetMetadata as field 1 of the message that contains it."""
    transaction, undeclared = stream.transaction, stream.undeclared_parameters
    id_, read_timestamp = transaction.id, transaction.read_timestamp
    if not undeclared and read_timestamp is None:
        if not id_:
            return shape.plain_metadata
        size = len(id_)
        return (shape.before_id.get(size) or _before_id(shape, size)) + id_
    metadata = shape.row_type
    if id_ or read_timestamp is not None:
        metadata += field(2, transaction_bytes(transaction))
    if undeclared:
        metadata += field(3, struct_type_to_proto(undeclared).SerializeToString())
    return field(1, metadata)


def _before_id(shape: Shape, size: int) -> bytes:
    """Return metadata up to the id of its transaction, the last field, given the id's size."""
    whole = field(1, shape.row_type + field(2, field(1, b" " * size)))
    beginning = shape.before_id[size] = whole[:-size]
    return beginning


def transaction_bytes(info: TransactionInfo) -> bytes:
    """Return a Transaction without its precommit token."""
    id_ = field(1, info.id) if info.id else b""
    at = info.read_timestamp
    return id_ if at is None else id_ + timestamp_field(2, at)


Token = tuple[bytes, int]  # a precommit token, and its sequence number


def precommit_token_bytes(token: Token | None, number: int) -> bytes:
    """Return the token as field `number` of a reply, or b"" when there is none."""
    if token is None:
        return b""
    text, serial = token
    size = len(text)
    if serial < 0x80 and size < 0x7C:  # Each number fits a byte.
        return b"%c%c\x0a%c%b\x10%c" % (number << 3 | 2, size + 4, size, text, serial)
    return field(number, field(1, text) + _SEQ_NUM + varint(serial))


def stats_field(stats: ResultStats, number: int) -> bytes:
    """Return the ResultSetStats as field `number` of a reply; b"" when there are none."""
    if stats is NO_STATS:
        return b""
    count = stats.row_count
    if stats.plan is None and stats.query_stats is None:
        if count is None:
            return b""
        if count < 0x80 and not stats.row_count_is_lower_bound:
            return b"%c\x02\x18%c" % (number << 3 | 2, count)  # row_count_exact = 3
    message = ResultSetStats()
    if count is not None:
        if stats.row_count_is_lower_bound:
            message.row_count_lower_bound = count
        else:
            message.row_count_exact = count
    if stats.plan is not None:
        message.query_plan.CopyFrom(plan_to_proto(stats.plan))
    if stats.query_stats is not None:
        message.query_stats.CopyFrom(struct_to_proto(stats.query_stats))
    return field(number, message.SerializeToString())


def result_set_bytes(stream: ResultStream, size_max: int = UNARY_RESULT_BYTES_MAX) -> bytes:
    """Return a whole ResultSet. Raises ResultTooLarge, and the errors of the rows."""
    shape = shape_of(stream.columns)
    parts = [metadata_field(stream, shape)]
    encode, size = shape.listed, 0
    try:
        for row in stream.rows:
            listed = field(2, to_bytes(encode(row)))
            parts.append(listed)
            size += len(listed)
            if size > size_max:
                raise ResultTooLarge(size_max)
        if stream.recorder is not None:
            stream.recorder.ended(stream, len(parts) - 1, size)
    except Exception as failure:
        stream.failed(failure)
        close_rows(stream)
        raise
    parts.append(stats_field(stream.stats, 3))
    parts.append(precommit_token_bytes(stream.transaction.precommit_token, 5))
    return b"".join(parts)


def summary_bytes(stream: ResultStream, is_first: bool) -> bytes:
    """Return a ResultSet of batch DML, without rows; only the first of a batch has metadata.

    Clients look for the precommit token in the ResultSet or in the reply, so both contain it.
    """
    for _ in stream.rows:  # No rows are left, but the stream's statistics end with its rows.
        pass
    parts = [stats_field(stream.stats, 3)]
    if is_first:
        parts.append(metadata_field(stream, shape_of(stream.columns)))
        parts.append(precommit_token_bytes(stream.transaction.precommit_token, 5))
    return b"".join(parts)


def close_rows(stream: ResultStream) -> None:
    """Release the resources of the rows, whether or not they were exhausted."""
    close = getattr(stream.rows, "close", None)  # A plain iterator holds nothing.
    if close is not None:
        close()
    if stream.recorder is not None:
        stream.recorder.abandoned()  # without effect if all rows were read
