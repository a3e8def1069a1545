"""Reads, statements, mutations and options -> plain data, with all checks of a message alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.base.limits import COMMIT_BYTES_MAX, COMMIT_DELAY_MAX_NANOS, TAG_CHARACTERS_MAX
from spanemu.database import errors
from spanemu.database.options import (
    CommitOptions,
    Existing,
    QueryMode,
    ReadOnly,
    ReadRequest,
    Selector,
    StatementRequest,
)
from spanemu.frontend.convert.types import (
    duration_from_proto,
    list_from_proto,
    struct_from_proto,
    timestamp_from_proto,
    type_from_proto,
    value_from_proto,
)
from spanemu.frontend.dispatch import LARGE_REQUEST_BYTES
from spanemu.frontend.errors import (
    CommitTooLarge,
    DataBoostWithoutPartition,
    EmptyReplicaSelection,
    InvalidCommitDelay,
    InvalidEnumValue,
    LimitWithPartition,
    ModeWithPartition,
    MutationWithoutTable,
    NegativeLimit,
    NegativePartitionOption,
    PartitionNeedsTransaction,
    RangeWithoutEndpoint,
    RequiredFieldMissing,
    TooManyReplicaSelections,
)
from spanemu.frontend.large_requests import LargeRequest
from spanemu.values.mutation import (
    Ack,
    Delete,
    Mutation,
    RawKeySet,
    RawRange,
    Send,
    Write,
    WriteKind,
)
from spanemu.values.timestamp import format_utc
from spanemu.values.types import Type

FEW_ELEMENTS = 16

# oneof case -> whether the endpoint belongs to the range
_START = {"start_closed": True, "start_open": False}
_END = {"end_closed": True, "end_open": False}


def key_set_from_proto(message: Any) -> RawKeySet:
    """Return the keys of a read or a delete. Raises RangeWithoutEndpoint."""
    ranges = message.ranges
    return RawKeySet(
        all=message.all_,
        keys=list(map(list_from_proto, few_or_all(message.keys))),
        ranges=list(map(_range_from_proto, few_or_all(ranges))) if ranges else [],
    )


def _range_from_proto(message: Any) -> RawRange:
    start = message.WhichOneof("start_key_type")
    if start is None:
        raise RangeWithoutEndpoint("start")
    end = message.WhichOneof("end_key_type")
    if end is None:
        raise RangeWithoutEndpoint("end")
    return RawRange(
        start=list_from_proto(getattr(message, start)),
        start_closed=_START[start],
        end=list_from_proto(getattr(message, end)),
        end_closed=_END[end],
    )


def few_or_all(messages: Any) -> Any:
    """Return the elements of a repeated field as an iterable.

    To iterate over the field itself takes twice as long for a few elements, because protobuf ends
    the iteration with an exception; of many, one at a time exists as an object of Python.
    """
    try:
        return messages[:] if len(messages) <= FEW_ELEMENTS else messages
    except TypeError:  # The field of a large request has no length.
        return messages


def mutations_from_proto(messages: Iterable[Any]) -> list[Mutation]:
    """Return the writes of a commit or a group, in order."""
    return list(map(mutation_from_proto, few_or_all(messages)))


def mutation_from_proto(message: Any) -> Mutation:
    """Return a mutation. Raises RequiredFieldMissing when it has no operation."""
    return _OPERATIONS[message.WhichOneof("operation")](message)


def _write(kind: WriteKind) -> Callable[[Any], Mutation]:
    field = kind.value  # The field of the message has the name of the kind.

    def from_proto(message: Any) -> Mutation:
        write = getattr(message, field)
        table = write.table
        if not table:
            raise MutationWithoutTable()
        rows = list(map(list_from_proto, few_or_all(write.values)))
        return Write(kind, table, tuple(write.columns[:]), rows)

    return from_proto


def _delete(message: Any) -> Mutation:
    delete = message.delete
    if not delete.table:
        raise MutationWithoutTable()
    if not delete.HasField("key_set"):
        raise RequiredFieldMissing("Mutation.delete.key_set")
    return Delete(delete.table, key_set_from_proto(delete.key_set))


def _send(message: Any) -> Mutation:
    send = message.send
    _check_message(send, "send")
    deliver_time = None
    if send.HasField("deliver_time"):
        deliver_time = format_utc(timestamp_from_proto(send.deliver_time))
    payload = value_from_proto(send.payload) if send.HasField("payload") else None
    return Send(send.queue, list_from_proto(send.key), payload, deliver_time)


def _ack(message: Any) -> Mutation:
    ack = message.ack
    _check_message(ack, "ack")
    return Ack(ack.queue, list_from_proto(ack.key), ack.ignore_not_found)


def _check_message(message: Any, field: str) -> None:
    """Raise RequiredFieldMissing unless a send or an ack names a queue and a key."""
    if not message.queue:
        raise RequiredFieldMissing(f"Mutation.{field}.queue")
    if not message.HasField("key"):
        raise RequiredFieldMissing(f"Mutation.{field}.key")


def _missing(_message: Any) -> Mutation:
    raise RequiredFieldMissing("Mutation.operation")


_OPERATIONS: Mapping[str | None, Callable[[Any], Mutation]] = {
    **{kind.value: _write(kind) for kind in WriteKind},
    "delete": _delete,
    "send": _send,
    "ack": _ack,
    None: _missing,
}


def params_from_proto(message: Any) -> dict[str, Any]:
    """Return the raw parameter values, by name, of a message with `params`."""
    return struct_from_proto(message.params) if message.HasField("params") else {}


def param_types_from_proto(message: Any) -> dict[str, Type]:
    """Return the declared parameter types, by name, of a message with `param_types`."""
    types = message.param_types
    types_by_name = {}
    for name in types:  # `items` of a message's map would run Python code
        types_by_name[name] = type_from_proto(types[name])
    return types_by_name


REPLICA_SELECTIONS_MAX = 10

_MODES: Mapping[int, QueryMode] = {
    0: QueryMode.NORMAL,
    1: QueryMode.PLAN,
    2: QueryMode.PROFILE,
    3: QueryMode.WITH_STATS,
    4: QueryMode.WITH_PLAN_AND_STATS,
}
_LOCK_HINT_EXCLUSIVE = 2
_LOCK_HINTS = frozenset({0, 1, _LOCK_HINT_EXCLUSIVE})
Tags = tuple[str, str, str]  # of the request, of its transaction; the name of its priority
_UNTAGGED: Tags = ("", "", "")
PLAIN_COMMIT = CommitOptions()
_ORDERS = frozenset({0, 1, 2})
_REPLICA_TYPES = frozenset({0, 1, 2})
_PRIORITIES = {0: "", 1: "PRIORITY_LOW", 2: "PRIORITY_MEDIUM", 3: "PRIORITY_HIGH"}


def statement_from_proto(request: Any, selector: Selector | None) -> StatementRequest:
    """Return the statement of an ExecuteSqlRequest."""
    mode = _MODES.get(request.query_mode)
    if mode is None:
        raise InvalidEnumValue("ExecuteSqlRequest.query_mode", request.query_mode)
    if not request.sql:
        raise RequiredFieldMissing("ExecuteSqlRequest.sql")
    if request.partition_token or request.data_boost_enabled:
        _check_partition(request, selector)
    if request.partition_token and mode is not QueryMode.NORMAL:
        raise ModeWithPartition()
    options = request.query_options
    request_tag, transaction_tag, priority = tags_from_proto(request)
    return StatementRequest(
        sql=request.sql,
        parameters=params_from_proto(request),
        parameter_types=param_types_from_proto(request),
        mode=mode,
        seqno=request.seqno,
        last_statement=request.last_statement,
        request_tag=request_tag,
        transaction_tag=transaction_tag,
        optimizer_version=options.optimizer_version,
        optimizer_statistics_package=options.optimizer_statistics_package,
        directed_read=_directed_read(request, selector)
        if request.HasField("directed_read_options")
        else None,
        priority=priority,
    )


def batch_statement_from_proto(statement: Any, tags: Tags) -> StatementRequest:
    """Return one statement of an ExecuteBatchDmlRequest; an empty statement fails when it runs."""
    return StatementRequest(
        sql=statement.sql,
        parameters=params_from_proto(statement),
        parameter_types=param_types_from_proto(statement),
        request_tag=tags[0],
        transaction_tag=tags[1],
        priority=tags[2],
    )


def partition_statement_from_proto(request: Any) -> StatementRequest:
    """Return the statement of a PartitionQueryRequest."""
    if not request.sql:
        raise RequiredFieldMissing("PartitionQueryRequest.sql")
    return StatementRequest(
        sql=request.sql,
        parameters=params_from_proto(request),
        parameter_types=param_types_from_proto(request),
    )


def read_from_proto(request: Any, selector: Selector | None) -> ReadRequest:
    """Return the read of a ReadRequest."""
    _check_target(request, "ReadRequest")
    limit, partition_token, lock_hint = request.limit, request.partition_token, request.lock_hint
    if limit < 0:
        raise NegativeLimit(limit)
    if limit and partition_token:
        raise LimitWithPartition()
    if partition_token or request.data_boost_enabled:
        _check_partition(request, selector)
    if request.order_by not in _ORDERS:
        raise InvalidEnumValue("ReadRequest.order_by", request.order_by)
    if lock_hint not in _LOCK_HINTS:
        raise InvalidEnumValue("ReadRequest.lock_hint", lock_hint)
    request_tag, transaction_tag, _ = tags_from_proto(request)
    return ReadRequest(
        table=request.table,
        columns=tuple(request.columns[:]),
        key_set=key_set_from_proto(request.key_set),
        index=request.index,
        limit=limit,
        request_tag=request_tag,
        transaction_tag=transaction_tag,
        lock_exclusive=lock_hint == _LOCK_HINT_EXCLUSIVE,
        directed_read=_directed_read(request, selector)
        if request.HasField("directed_read_options")
        else None,
    )


def partition_read_from_proto(request: Any) -> ReadRequest:
    """Return the read of a PartitionReadRequest."""
    _check_target(request, "PartitionReadRequest")
    return ReadRequest(
        table=request.table,
        columns=tuple(request.columns[:]),
        key_set=key_set_from_proto(request.key_set),
        index=request.index,
    )


def max_partitions_from_proto(request: Any) -> int:
    """Return the maximal number of partitions, 0 for any number.

    The partition size is a hint that Spanner ignores as well ("PartitionOptions").
    """
    options = request.partition_options
    for name in ("partition_size_bytes", "max_partitions"):
        if getattr(options, name) < 0:
            raise NegativePartitionOption(name, getattr(options, name))
    return int(options.max_partitions)


def commit_options_from_proto(request: Any, bytes_max: int = COMMIT_BYTES_MAX) -> CommitOptions:
    """Return the options of a CommitRequest."""
    # To measure a message is to serialize it: one that was parsed at once is known to be small.
    if request.__class__ is LargeRequest or bytes_max < LARGE_REQUEST_BYTES:
        size = request.ByteSize()
        if size > bytes_max:
            raise CommitTooLarge(size, bytes_max)
    if request.HasField("max_commit_delay"):
        # The server may wait that long to batch commits; the emulator never waits.
        delay = duration_from_proto(request.max_commit_delay)
        if not 0 <= delay <= COMMIT_DELAY_MAX_NANOS:
            raise InvalidCommitDelay(delay)
    token = request.precommit_token.precommit_token if request.HasField("precommit_token") else b""
    tag, returns_stats = tags_from_proto(request)[1], request.return_commit_stats
    if not (token or tag or returns_stats):
        return PLAIN_COMMIT
    return CommitOptions(
        return_stats=returns_stats,
        precommit_token=token,
        transaction_tag=tag,
    )


def transaction_tag_from_proto(request: Any) -> str:
    """Return the cleaned transaction tag."""
    return tags_from_proto(request)[1]


def tags_from_proto(request: Any) -> Tags:
    """Return the cleaned tags of a request and of its transaction, and the request's priority."""
    if not request.HasField("request_options"):
        return _UNTAGGED
    options = request.request_options
    if not options.ListFields():
        return _UNTAGGED
    priority = _PRIORITIES.get(options.priority)
    if priority is None:
        raise InvalidEnumValue("RequestOptions.priority", options.priority)
    if _has(options, "client_context"):
        raise Unsupported("RequestOptions.client_context")
    return _clean_tag(options.request_tag), _clean_tag(options.transaction_tag), priority


def _clean_tag(tag: str) -> str:
    """Return the tag as at most fifty printable ASCII characters, without leading underscores."""
    if not tag:
        return ""
    printable = "".join(
        character if " " <= character <= "~" else "_" for character in tag[:TAG_CHARACTERS_MAX]
    )
    return printable.lstrip("_")


def _check_target(request: Any, message: str) -> None:
    if not request.HasField("key_set"):
        raise RequiredFieldMissing(f"{message}.key_set")
    if not request.table:
        raise RequiredFieldMissing(f"{message}.table")


def _check_partition(request: Any, selector: Selector | None) -> None:
    if not request.partition_token:
        raise DataBoostWithoutPartition()
    if not isinstance(selector, Existing):
        raise PartitionNeedsTransaction()


def _directed_read(request: Any, selector: Selector | None) -> tuple[str, ...] | None:
    """Return the locations of the replicas that the request selects; None if it selects none."""
    options = request.directed_read_options
    case = options.WhichOneof("replicas")
    if case is None:
        return None
    selections = getattr(options, case).replica_selections
    _check_replicas(selections)
    decided = selector is not None and not isinstance(selector, Existing)
    if decided and not isinstance(selector.options, ReadOnly):  # type: ignore[union-attr]
        raise errors.DirectedReadNotAllowed()
    return tuple(each.location for each in selections if each.location)


def _check_replicas(selections: Sequence[Any]) -> None:
    """Check that each selection names a location, a type of replica, or both."""
    if len(selections) > REPLICA_SELECTIONS_MAX:
        raise TooManyReplicaSelections(len(selections), REPLICA_SELECTIONS_MAX)
    for selection in selections:
        if selection.type_ not in _REPLICA_TYPES:
            raise InvalidEnumValue("ReplicaSelection.type", selection.type_)
        if not selection.location and not selection.type_:
            raise EmptyReplicaSelection()


def _has(message: Any, name: str) -> bool:
    """Return whether a field is set that older client libraries do not have."""
    return name in message.DESCRIPTOR.fields_by_name and message.HasField(name)
