"""google.spanner.v1.Mutation -> `values.mutation`; names unresolved, values raw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.frontend.convert.keys import key_set_from_proto
from spanemu.frontend.convert.values import list_from_proto
from spanemu.frontend.errors.reads import MutationWithoutTable
from spanemu.frontend.errors.requests import RequiredFieldMissing
from spanemu.values.mutation import Delete, Mutation, Write, WriteKind


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
