"""Long-running operations. The RPC that starts an operation answers when the operation is done.

Other clients see a schema update while it runs, and may cancel it; every other operation is done
before any client learns its name.

Operations are listed for a week after their end, as in Spanner, or until they are deleted, or until
their resource is deleted; operations on a backup are kept after the backup is deleted. The kind of
an operation (`operation_kinds`) describes its effect.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import field

from sortedcontainers import SortedDict

from spanemu.admin import errors, operation_kinds
from spanemu.base.call import Signal, current
from spanemu.base.clock import NANOS_PER_DAY, Clock
from spanemu.base.errors import SpannerError
from spanemu.base.paging import Page, PageRequest, newest_first, page, under
from spanemu.base.record import dataclass
from spanemu.base.resource_names import (
    InstanceName,
    OperationName,
    OperationResource,
    ProjectName,
    check_operation_id,
)
from spanemu.database import filters

RETENTION_NANOS = 7 * NANOS_PER_DAY


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation; `failure` is set if it failed. Times in nanoseconds.

    `end_time` is None while the operation runs; `cancel` then stops it.
    """

    name: OperationName
    kind: operation_kinds.OperationKind
    start_time: int
    end_time: int | None
    failure: SpannerError | None = None
    cancel: Callable[[], None] | None = field(default=None, compare=False)

    @property
    def done(self) -> bool:
        """True if the operation has ended, successfully or not."""
        return self.end_time is not None

    @property
    def ended_at(self) -> int:
        """The end time of an operation that is done."""
        assert self.end_time is not None
        return self.end_time

    def fields(self) -> dict[str, operation_kinds.Values]:
        """Return the fields that list filters can refer to."""
        fields: dict[str, operation_kinds.Values] = {
            "name": str(self.name),
            "done": self.done,
            "metadata.@type": self.kind.metadata_type,
            f"{self.kind.times}start_time": filters.Instant(self.start_time),
        }
        fields |= {f"metadata.{name}": value for name, value in self.kind.fields()}
        if self.end_time is None:
            return fields
        fields[f"{self.kind.times}end_time"] = filters.Instant(self.end_time)
        if self.failure is None:
            fields["response.@type"] = self.kind.response_type
            if name := self.kind.response_name:
                fields["response.name"] = name
        else:
            fields["error"] = fields["error.message"] = str(self.failure)
            fields["error.code"] = int(self.failure.code)
        return fields


Listing = Page[Operation]


def finished(
    log: OperationLog, resource: OperationResource, kind: operation_kinds.OperationKind, start: int
) -> Operation:
    """Record an operation on a resource that began at `start` and has succeeded now."""
    return log.record(Operation(log.reserve(resource), kind, start, log.now()))


class OperationLog:
    """The operations of an emulator by name; safe to use from several threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._mutex = threading.Lock()  # Guards every field below.
        # Signals of the requests that wait for an operation to end or to be deleted.
        self._waiting: dict[str, set[Signal]] = {}
        self._by_name: SortedDict[str, Operation] = SortedDict()
        # The end time and the name of each, in the order they ended. The operation itself would
        # keep a dropped database in memory.
        self._ended: deque[tuple[int, str]] = deque()
        self._reserved: set[str] = set()
        self._issued = 0

    def reserve(self, resource: OperationResource, operation_id: str = "") -> OperationName:
        """Return a name for an operation about to run; without an id, an unused name.

        Raises InvalidOperationId, and OperationAlreadyExists if the id was used before. The name
        stays reserved until `record` or `release`.
        """
        if operation_id:
            check_operation_id(operation_id)
        with self._mutex:
            self._forget_old()
            name = OperationName(resource, operation_id or self._next_id())
            text = str(name)
            if text in self._by_name or text in self._reserved:
                raise errors.OperationAlreadyExists(text)
            self._reserved.add(text)
            return name

    def begin(self, operation: Operation) -> None:
        """Add a running operation under its reserved name."""
        with self._mutex:
            self._by_name[str(operation.name)] = operation

    def record(self, operation: Operation) -> Operation:
        """Add a completed operation, and return it."""
        with self._mutex:
            text = str(operation.name)
            self._reserved.discard(text)
            self._by_name[text] = operation
            self._ended.append((operation.ended_at, text))
            self._wake(text)
            return operation

    def release(self, name: OperationName) -> None:
        """Release a reserved name whose operation was not recorded; else do nothing."""
        with self._mutex:
            text = str(name)
            self._reserved.discard(text)
            begun = self._by_name.get(text)
            if begun is not None and not begun.done:
                del self._by_name[text]
                self._wake(text)

    def cancel(self, name: str) -> None:
        """Cancel an operation, without effect if it is done; raise as `get` does."""
        operation = self.get(name)
        if operation.cancel is not None:
            operation.cancel()

    def wait(self, name: str, seconds: float) -> Operation:
        """Return the operation when it is done or the time is up; raise as `get` does."""
        self.get(name)
        over = current().signal()
        with self._mutex:
            if self._is_over(name):
                over.set()
            else:
                self._waiting.setdefault(name, set()).add(over)
        try:
            over.wait(seconds)
        finally:
            with self._mutex:
                if name in self._waiting:
                    self._waiting[name].discard(over)
        return self.get(name)

    def _wake(self, name: str) -> None:
        for over in self._waiting.pop(name, ()):
            over.set()

    def _is_over(self, name: str) -> bool:
        found = self._by_name.get(name)
        return found is None or found.done

    def now(self) -> int:
        """Return the time of the clock that operations use."""
        return self._clock.now()

    def get(self, name: str) -> Operation:
        """Return the operation `name`.

        Raises InvalidName and OperationNotFound.
        """
        OperationName.parse(name)
        with self._mutex:
            self._forget_old()
            operation = self._by_name.get(name)
        if operation is None:
            raise errors.OperationNotFound(name)
        return operation

    def delete(self, name: str) -> None:
        """Forget an operation. Raises InvalidName, OperationNotFound or OperationRunning."""
        if not self.get(name).done:
            raise errors.OperationRunning(name)
        with self._mutex:
            self._by_name.pop(name, None)

    def of_resource(
        self, resource: OperationResource, filter_: str, paging: PageRequest
    ) -> Listing:
        """Return a page of the operations of a resource, without those of its children."""
        return self._list(f"{resource}/operations/", filter_, paging)

    def of_databases(self, instance: InstanceName, filter_: str, paging: PageRequest) -> Listing:
        """Return a page of the operations of every database of an instance."""
        return self._list(f"{instance}/databases/", filter_, paging)

    def of_backups(self, instance: InstanceName, filter_: str, paging: PageRequest) -> Listing:
        """Return a page of the operations on backups of an instance, including deleted backups."""
        return self._list_newest(f"{instance}/backups/", filter_, paging)

    def of_partitions(self, instance: InstanceName, filter_: str, paging: PageRequest) -> Listing:
        """Return a page of the operations on the instance partitions of an instance."""
        return self._list_newest(f"{instance}/instancePartitions/", filter_, paging)

    def of_configs(self, project: ProjectName, filter_: str, paging: PageRequest) -> Listing:
        """Return a page of the operations on the instance configurations of a project."""
        return self._list_newest(f"{project}/instanceConfigs/", filter_, paging)

    def drop_resource(self, resource: OperationResource) -> None:
        """Remove the operations of a deleted resource and of its children."""
        with self._mutex:
            for name, _ in list(under(self._by_name, f"{resource}/")):
                del self._by_name[name]
                self._wake(name)

    def _list(self, prefix: str, filter_: str, paging: PageRequest) -> Listing:
        is_match = filters.compile_filter(filter_)
        start = paging.start()
        with self._mutex:
            self._forget_old()
            operations = under(self._by_name, prefix, start)
            return page((pair for pair in operations if is_match(pair[1].fields())), paging.limit)

    def _list_newest(self, prefix: str, filter_: str, paging: PageRequest) -> Listing:
        is_match = filters.compile_filter(filter_)
        with self._mutex:
            self._forget_old()
            operations = [operation for _, operation in under(self._by_name, prefix)]
            matches = [operation for operation in operations if is_match(operation.fields())]
        return newest_first(((each.start_time, str(each.name), each) for each in matches), paging)

    def _next_id(self) -> str:
        self._issued += 1
        return f"_auto_op_{self._issued:016x}"

    def _forget_old(self) -> None:
        horizon = self._clock.peek() - RETENTION_NANOS
        ended = self._ended
        while ended and ended[0][0] < horizon:
            self._remove(*ended.popleft())
        if len(ended) > 2 * len(self._by_name) + 64:  # Most were deleted by name.
            self._ended = deque(each for each in ended if self._holds(*each))

    def _remove(self, ended_at: int, name: str) -> None:
        if self._holds(ended_at, name):
            del self._by_name[name]

    def _holds(self, ended_at: int, name: str) -> bool:
        operation = self._by_name.get(name)
        return operation is not None and operation.end_time == ended_at
