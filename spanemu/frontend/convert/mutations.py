"""google.spanner.v1.Mutation -> `values.mutation`; names unresolved, values raw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.frontend.convert.types import list_from_proto
from spanemu.frontend.errors import MutationWithoutTable, RangeWithoutEndpoint, RequiredFieldMissing
from spanemu.values.mutation import Delete, Mutation, RawKeySet, RawRange, Write, WriteKind

# oneof case -> whether the endpoint belongs to the range
_START = {"start_closed": True, "start_open": False}
_END = {"end_closed": True, "end_open": False}


def key_set_from_proto(message: Any) -> RawKeySet:
    """The keys that a read or a delete means. Raises RangeWithoutEndpoint."""
    return RawKeySet(
        all=message.all_,
        keys=list(map(list_from_proto, message.keys)),
        ranges=list(map(_range_from_proto, message.ranges)),
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


def mutations_from_proto(messages: Iterable[Any]) -> list[Mutation]:
    """The writes of a commit or a group, in order."""
    return [_OPERATIONS[message.WhichOneof("operation")](message) for message in messages]


def mutation_from_proto(message: Any) -> Mutation:
    """One mutation. Raises RequiredFieldMissing when it has no operation."""
    operation = message.WhichOneof("operation")
    return _OPERATIONS[operation](message)


def _write(kind: WriteKind) -> Callable[[Any], Mutation]:
    field = kind.value  # The field of the message is named as the kind is.

    def from_proto(message: Any) -> Mutation:
        write = getattr(message, field)
        if not write.table:
            raise MutationWithoutTable()
        rows = list(map(list_from_proto, write.values))
        return Write(kind, write.table, tuple(write.columns), rows)

    return from_proto


def _delete(message: Any) -> Mutation:
    delete = message.delete
    if not delete.table:
        raise MutationWithoutTable()
    if not delete.HasField("key_set"):
        raise RequiredFieldMissing("Mutation.delete.key_set")
    return Delete(delete.table, key_set_from_proto(delete.key_set))


def _unsupported(field: str) -> Callable[[Any], Mutation]:
    def refuse(_message: Any) -> Mutation:
        raise Unsupported(f"Mutation.{field}")

    return refuse


def _missing(_message: Any) -> Mutation:
    raise RequiredFieldMissing("Mutation.operation")


_OPERATIONS: Mapping[str | None, Callable[[Any], Mutation]] = {
    **{kind.value: _write(kind) for kind in WriteKind},
    "delete": _delete,
    "send": _unsupported("send"),
    "ack": _unsupported("ack"),
    None: _missing,
}
