"""Performs operations that arrive from other processes, with arguments and replies as plain data.

A request names an object by the argument `SCOPE` of its interface. Objects that an operation
returns and that stay here (`Held`: snapshots, recordings, watches) are kept under an id until the
client releases them, or has been disconnected and silent for as long as `Held` says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from operator import methodcaller
from typing import Any, Generic, TypeVar

from spanemu.base.call import Connection, serving
from spanemu.base.clock import monotonic
from spanemu.base.serialization import from_plain, to_plain
from spanemu.control.operation import (
    SILENT_SECONDS_MAX,
    BadArgument,
    ControlInterface,
    HandleExpired,
    Held,
    Operation,
    Parameter,
    operations_of,
    read_arguments,
)

T = TypeVar("T")

Locate = Callable[..., Any]  # from the value of the argument SCOPE to the object
Spelled = Callable[[str], str]


class Dispatcher:
    """The operations of one emulator, by their names on the wire."""

    def __init__(self) -> None:
        self._operations: dict[str, tuple[type[ControlInterface], Operation, Locate]] = {}
        self._registries: dict[str, HandleRegistry[Any]] = {}

    def add(self, interface: type[ControlInterface], locate: Locate | None = None) -> None:
        """Serve the operations of an interface on the objects that `locate` returns.

        Without `locate`, the objects are the held results of other operations.
        """
        found = locate or self._kept(interface.SCOPE)
        for operation in operations_of(interface).values():
            self._operations[operation.name] = interface, operation, found

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    @property
    def declared(self) -> Sequence[tuple[type[ControlInterface], Operation]]:
        """The operations, each with the interface that declares it."""
        return [(interface, operation) for interface, operation, _ in self._operations.values()]

    def perform(
        self, name: str, given: Mapping[str, Any], spelled: Spelled = str
    ) -> dict[str, Any]:
        """Perform an operation and return its reply; `spelled` writes the names of fields.

        Raises BadArgument where the Python API raises ValueError, and any `SpannerError`.
        """
        interface, operation, locate = self._operations[name]
        try:
            return self._reply(interface, operation, locate, given, spelled)
        except (ValueError, OverflowError) as refusal:
            raise BadArgument(str(refusal)) from refusal

    def _reply(
        self,
        interface: type[ControlInterface],
        operation: Operation,
        locate: Locate,
        given: Mapping[str, Any],
        spelled: Spelled,
    ) -> dict[str, Any]:
        scope = {}
        if interface.SCOPE:
            scope[interface.SCOPE] = Parameter(interface.SCOPE_TYPE, None, is_required=True)
        arguments = read_arguments({**scope, **operation.parameters}, given, self._resolve)
        target = locate(*[arguments.pop(name) for name in scope])
        result = getattr(target, operation.function.__name__)(**arguments)
        if operation.releases:
            self._registry_of(operation).release(given[operation.releases])
        if operation.held is not None:
            result = self._registry(operation.held).keep(result)
        reply = to_plain(result, spelled)
        return {spelled(operation.result): reply} if operation.result else reply or {}

    def held(self, kind: str) -> Mapping[str, Any]:
        """Return the held objects of a kind by id, the oldest first."""
        registry = self._registries.get(kind)
        return {} if registry is None else registry.values()

    def _resolve(self, held: Held, id_: Any) -> Any:
        return self._registry(held).get(from_plain(str, id_, held.kind))

    def _registry(self, held: Held) -> HandleRegistry[Any]:
        registry = HandleRegistry[Any](held.kind, methodcaller(held.free), held.silent_seconds_max)
        return self._registries.setdefault(held.kind, registry)

    def _registry_of(self, operation: Operation) -> HandleRegistry[Any]:
        return self._registries[operation.releases]

    def _kept(self, kind: str) -> Locate:
        return lambda id_: self._resolve(Held(kind, "stop"), id_)


# ---------------------------------------------------------------------------- held objects


@dataclass(slots=True)
class _Entry(Generic[T]):
    """A registered value, with the connection and time of the last request for the value."""

    value: T
    connection: Connection | None
    asked_at: float

    def is_abandoned(self, silent_seconds_max: float) -> bool:
        """Return whether the client disconnected and was silent for so long."""
        if self.connection is None or monotonic() - self.asked_at <= silent_seconds_max:
            return False
        return not self.connection.is_open()


class HandleRegistry(Generic[T]):
    """The registered objects of one kind, such as "snapshot", by id.

    A client that ends without releasing its objects abandons them. The next `keep` passes abandoned
    objects to `free`.
    """

    def __init__(
        self, kind: str, free: Callable[[T], object], silent_seconds_max: float = SILENT_SECONDS_MAX
    ) -> None:
        self._kind = kind
        self._free = free
        self._silent_seconds_max = silent_seconds_max
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._entries: dict[str, _Entry[T]] = {}

    def keep(self, value: T) -> str:
        """Register a value and return its new id."""
        with self._mutex:
            abandoned = self._take_abandoned()
            id_ = f"{self._kind}-{next(self._numbers)}"
            self._entries[id_] = _Entry(value, _connection(), monotonic())
        for stale in abandoned:
            self._free(stale)
        return id_

    def get(self, id_: str) -> T:
        """Return the value of an id. Raises HandleExpired."""
        entry = self._entries.get(id_)
        if entry is None:
            raise HandleExpired(self._kind, id_)
        entry.connection, entry.asked_at = _connection(), monotonic()
        return entry.value

    def values(self) -> Mapping[str, T]:
        """Return the values by id, the oldest first."""
        with self._mutex:
            return {id_: entry.value for id_, entry in self._entries.items()}

    def release(self, id_: str) -> T:
        """Remove the entry of an id and return its value. Raises HandleExpired."""
        with self._mutex:
            entry = self._entries.pop(id_, None)
        if entry is None:
            raise HandleExpired(self._kind, id_)
        return entry.value

    def _take_abandoned(self) -> Sequence[T]:
        limit = self._silent_seconds_max
        abandoned = [id_ for id_, entry in self._entries.items() if entry.is_abandoned(limit)]
        return [self._entries.pop(id_).value for id_ in abandoned]


def _connection() -> Connection | None:
    """Return the connection of the current request, or None inside this process."""
    return None if serving.call is None else serving.call.connection
