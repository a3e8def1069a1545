"""Long-running operations, all of which are done by the time anybody hears of them.

They stay listable for a week after they ended, as Spanner keeps them, or until deleted, or until
the resource they belong to goes. What an operation did is a dataclass (`OperationKind`), which
knows the fields that list filters may ask about; frontends turn it into metadata on the wire.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sortedcontainers import SortedDict

from spanemu.base.clock import NANOS_PER_SECOND, Clock
from spanemu.base.errors import SpannerError
from spanemu.base.names import (
    DatabaseName,
    InstanceName,
    OperationName,
    check_operation_id,
)
from spanemu.base.paging import Page, PageRequest, page
from spanemu.database.database import Database
from spanemu.database.ddl_actions import DdlAction
from spanemu.database.errors import OperationAlreadyExists, OperationNotFound
from spanemu.database.filters import FieldValue, Instant, compile_filter
from spanemu.database.instance import Instance

RETENTION_NANOS = 7 * 86_400 * NANOS_PER_SECOND

_TYPES = "type.googleapis.com/google.spanner.admin"
Resource = InstanceName | DatabaseName
Values = FieldValue | tuple[FieldValue, ...]


@dataclass(frozen=True)
class OperationKind:
    """What an operation did; `metadata_type` and `response_type` are its types on the wire."""

    metadata_type: ClassVar[str]
    response_type: ClassVar[str]
    times: ClassVar[str] = "metadata.progress."  # Where the metadata keeps its times.

    def fields(self) -> Iterator[tuple[str, Values]]:
        """What a filter may ask about under `metadata.`."""
        yield from ()


@dataclass(frozen=True)
class InstanceCreation(OperationKind):
    """CreateInstance; `instance` as created."""

    metadata_type = f"{_TYPES}.instance.v1.CreateInstanceMetadata"
    times = "metadata."
    response_type = f"{_TYPES}.instance.v1.Instance"
    instance: Instance

    def fields(self) -> Iterator[tuple[str, Values]]:
        """The instance's name and configuration."""
        yield "instance.name", self.instance.name
        yield "instance.config", self.instance.config


@dataclass(frozen=True)
class InstanceUpdate(InstanceCreation):
    """UpdateInstance; `instance` as updated."""

    metadata_type = f"{_TYPES}.instance.v1.UpdateInstanceMetadata"


@dataclass(frozen=True)
class DatabaseCreation(OperationKind):
    """CreateDatabase."""

    metadata_type = f"{_TYPES}.database.v1.CreateDatabaseMetadata"
    response_type = f"{_TYPES}.database.v1.Database"
    database: Database

    def fields(self) -> Iterator[tuple[str, Values]]:
        """The database's name."""
        yield "database", self.database.name


@dataclass(frozen=True)
class DatabaseUpdate(OperationKind):
    """UpdateDatabase: `paths` of the mask, of which only drop protection can be set."""

    metadata_type = f"{_TYPES}.database.v1.UpdateDatabaseMetadata"
    response_type = f"{_TYPES}.database.v1.Database"
    database: Database
    enable_drop_protection: bool
    paths: tuple[str, ...]

    def fields(self) -> Iterator[tuple[str, Values]]:
        """The request, as the metadata repeats it."""
        yield "request.database.name", self.database.name
        yield "request.database.enable_drop_protection", self.enable_drop_protection


@dataclass(frozen=True)
class DdlUpdate(OperationKind):
    """UpdateDatabaseDdl: of `statements`, as many ran as there are commit timestamps."""

    metadata_type = f"{_TYPES}.database.v1.UpdateDatabaseDdlMetadata"
    response_type = "type.googleapis.com/google.protobuf.Empty"
    database: str
    statements: tuple[str, ...]
    commit_timestamps: tuple[int, ...]
    actions: tuple[DdlAction, ...]

    def fields(self) -> Iterator[tuple[str, Values]]:
        """The database, its statements, and when each took effect."""
        yield "database", self.database
        yield "statements", self.statements
        yield "commit_timestamps", tuple(map(Instant, self.commit_timestamps))


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that ended; `failure` is set when it did not succeed. Times in nanoseconds."""

    name: OperationName
    kind: OperationKind
    start_time: int
    end_time: int
    failure: SpannerError | None = None

    def fields(self) -> dict[str, Values]:
        """What list filters may ask about this operation."""
        found: dict[str, Values] = {
            "name": str(self.name),
            "done": True,
            "metadata.@type": self.kind.metadata_type,
            f"{self.kind.times}start_time": Instant(self.start_time),
            f"{self.kind.times}end_time": Instant(self.end_time),
        }
        found |= {f"metadata.{field}": value for field, value in self.kind.fields()}
        if self.failure is None:
            found["response.@type"] = self.kind.response_type
        else:
            found["error"] = found["error.message"] = str(self.failure)
            found["error.code"] = int(self.failure.code)
        return found


class OperationLog:
    """Every operation of an emulator, by name; safe to use from several threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._mutex = threading.Lock()  # Guards every field below.
        self._by_name: SortedDict[str, Operation] = SortedDict()
        self._ended: deque[Operation] = deque()  # In the order they ended.
        self._reserved: set[str] = set()
        self._issued = 0

    def reserve(self, resource: Resource, operation_id: str = "") -> OperationName:
        """The name for an operation about to run; without an id, one that is free.

        Raises InvalidOperationId, and OperationAlreadyExists when the id was used before. The
        name is the caller's until `record` or `release`.
        """
        if operation_id:
            check_operation_id(operation_id)
        with self._mutex:
            self._forget_old()
            name = OperationName(resource, operation_id or self._next_id())
            text = str(name)
            if text in self._by_name or text in self._reserved:
                raise OperationAlreadyExists(text)
            self._reserved.add(text)
            return name

    def record(self, operation: Operation) -> Operation:
        """Add an operation that has run, and hand it back."""
        with self._mutex:
            text = str(operation.name)
            self._reserved.discard(text)
            self._by_name[text] = operation
            self._ended.append(operation)
            return operation

    def release(self, name: OperationName) -> None:
        """Give back a reserved name whose operation never came to be; else do nothing."""
        with self._mutex:
            self._reserved.discard(str(name))

    def get(self, name: str) -> Operation:
        """The operation of that name. Raises InvalidName or OperationNotFound."""
        OperationName.parse(name)
        with self._mutex:
            self._forget_old()
            operation = self._by_name.get(name)
        if operation is None:
            raise OperationNotFound(name)
        return operation

    def delete(self, name: str) -> None:
        """Forget an operation. Raises InvalidName or OperationNotFound."""
        OperationName.parse(name)
        with self._mutex:
            if self._by_name.pop(name, None) is None:
                raise OperationNotFound(name)

    def of_resource(self, resource: Resource, filter_: str, paging: PageRequest) -> Page[Operation]:
        """Operations of one instance (not of its databases) or of one database."""
        return self._list(f"{resource}/operations/", filter_, paging)

    def of_databases(
        self, instance: InstanceName, filter_: str, paging: PageRequest
    ) -> Page[Operation]:
        """Operations of every database of an instance."""
        return self._list(f"{instance}/databases/", filter_, paging)

    def drop_resource(self, resource: Resource) -> None:
        """Forget the operations of a resource that is gone, and of all below it."""
        with self._mutex:
            for name in list(_under(self._by_name, f"{resource}/", "")):
                del self._by_name[name]

    def _list(self, prefix: str, filter_: str, paging: PageRequest) -> Page[Operation]:
        wanted = compile_filter(filter_)
        start = paging.start()
        with self._mutex:
            self._forget_old()
            names = _under(self._by_name, prefix, start)
            found = ((name, self._by_name[name]) for name in names)
            return page((pair for pair in found if wanted(pair[1].fields())), paging.limit)

    def _next_id(self) -> str:
        self._issued += 1
        return f"_auto_op_{self._issued:016x}"

    def _forget_old(self) -> None:
        horizon = self._clock.peek() - RETENTION_NANOS
        ended = self._ended
        while ended and ended[0].end_time < horizon:
            self._remove(ended.popleft())
        if len(ended) > 2 * len(self._by_name) + 64:  # Most were deleted by name.
            self._ended = deque(each for each in ended if self._holds(each))

    def _remove(self, operation: Operation) -> None:
        if self._holds(operation):
            del self._by_name[str(operation.name)]

    def _holds(self, operation: Operation) -> bool:
        return self._by_name.get(str(operation.name)) is operation


def _under(names: SortedDict[str, Operation], prefix: str, start: str) -> Iterator[str]:
    """Names that begin with `prefix`, in order, from `start` on."""
    return names.irange(max(prefix, start), prefix + chr(0x10FFFF))
