"""The interfaces of `control`, for an emulator in another process.

A proxy has a method for each operation of an interface, which sends the operation to the emulator.
`proxy(SplitsHandle, calls, database=name)` makes a proxy that needs no code of its own.
"""

from __future__ import annotations

import inspect
import threading
from abc import update_abstractmethods
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, Self, TypeVar, cast

from spanemu.base.serialization import from_plain
from spanemu.control.faults import VERBS, Fault, FaultArguments, Faults, FaultState
from spanemu.control.operation import (
    ControlInterface,
    Held,
    Operation,
    Sent,
    operations_of,
)
from spanemu.control.recording import Recorder, Recording, RecordingPart, RecordingSource

T = TypeVar("T", bound=ControlInterface)


class Calls(Protocol):
    """The connection to an emulator in another process."""

    @property
    def uri(self) -> str:
        """The address of the emulator."""
        ...

    def __call__(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Perform an operation and return its reply; arguments that are None are omitted."""
        ...


@dataclass(frozen=True, slots=True)
class RemoteHandle:
    """An object that another process holds, such as a snapshot, by its id there."""

    uri: str
    kind: str
    id: str


class Proxy:
    """An object in another process, with the operations of the other bases of the class."""

    def __init__(self, calls: Calls, **scope: Any) -> None:
        super().__init__()
        self._connect(calls, **scope)

    def _connect(self, calls: Calls, **scope: Any) -> None:
        self._calls = calls
        self._scope = scope  # the argument that names the object on the wire

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        kind: Any = cls
        for name, operation in operations_of(kind).items():
            if getattr(kind, name) is operation.function:
                setattr(kind, name, _sender(operation))


def proxy(interface: type[T], calls: Calls, **scope: Any) -> T:
    """Return an object of `interface` that is in another process, where `scope` names it."""
    kind: Callable[..., T] = _proxy_class(interface)
    return kind(calls, **scope)


@cache
def _proxy_class(interface: Any) -> Any:
    return type(f"Remote{interface.__name__}", (Proxy, interface), {})


def _sender(operation: Operation) -> Callable[..., Any]:
    """Return the method that performs an operation in the other process."""

    def send(self: Proxy, /, *args: Any, **kwargs: Any) -> Any:
        calls = self._calls
        given = operation.bind(self, args, kwargs)
        sent = {name: _sent(calls, operation, name, each) for name, each in given.items()}
        reply: Any = calls(operation.name, **self._scope, **sent)
        if operation.result:
            reply = reply.get(operation.result)
        if operation.held is None:
            return None if operation.returns is type(None) else from_plain(operation.returns, reply)
        if inspect.isclass(operation.returns) and issubclass(operation.returns, ControlInterface):
            return proxy(operation.returns, calls, **{operation.held.kind: reply})
        return RemoteHandle(calls.uri, operation.held.kind, reply)

    send.__name__, send.__doc__ = operation.function.__name__, operation.function.__doc__
    return send


def _sent(calls: Calls, operation: Operation, name: str, value: Any) -> Any:
    """Return an argument as the wire has it. Raises ValueError for the handle of another object."""
    marker = operation.parameters[name].marker
    if isinstance(marker, Sent):
        return marker.convert(value)
    if not isinstance(marker, Held):
        return value
    if not isinstance(value, RemoteHandle) or value.kind != marker.kind:
        raise ValueError(f"{value!r} is not a {marker.kind}")
    if value.uri != calls.uri:  # The same id names another object there.
        raise ValueError(f"the {marker.kind} is of the emulator at {value.uri}, not {calls.uri}")
    return value.id


# ---------------------------------------------------------------------------- faults


class RemoteFault(Proxy, Fault):
    """A fault of an emulator in another process."""

    @property
    def number(self) -> int:
        """The id of the fault in that process."""
        return int(self._scope["fault"])


def _sending_verbs(kind: type[RemoteFaults]) -> type[RemoteFaults]:
    for name, verb in VERBS.items():
        setattr(kind, name, _remote_verb(verb))
    return update_abstractmethods(kind)


def _remote_verb(verb: Callable[..., Fault]) -> Callable[..., Fault]:
    signature = inspect.signature(verb)

    def add(self: RemoteFaults, /, *args: Any, **kwargs: Any) -> Fault:
        arguments = dict(signature.bind(self, *args, **kwargs).arguments)
        arguments |= arguments.pop("where", {})
        del arguments["self"]
        database = arguments.get("database")
        if database is not None:  # an id, a full name or a handle
            arguments["database"] = str(getattr(database, "name", database))
        return self._fault(self.add(verb.__name__, cast("FaultArguments", arguments)))

    add.__name__, add.__doc__ = verb.__name__, verb.__doc__
    return add


@_sending_verbs
class RemoteFaults(Proxy, Faults):
    """The faults of an emulator in another process; a verb sends its arguments by name."""

    def __iter__(self) -> Iterator[Fault]:
        return iter([self._fault(each) for each in self.states()])

    def _fault(self, state: FaultState) -> Fault:
        return RemoteFault(self._calls, fault=state.fault)


# ---------------------------------------------------------------------------- recordings


class RemoteRecording(Recording):
    """A recording made in another process, fetched in parts as its properties are read.

    `site` and `caller` are "" everywhere: the server does not know which line of the client's code
    made a request. Changes to the recording stay in this process.
    """

    def __init__(self, database: str) -> None:
        super().__init__(database)
        self._mutex = threading.Lock()  # Guards the fields during a fetch.
        self._source: RecordingSource | None = None  # while the recording is active
        self._fetched = {"queries": 0, "attempts": 0}
        self._aborts_fetched = 0

    def follow(self, source: RecordingSource) -> None:
        """Fetch the records of `source` from now on."""
        self._source = source

    def end(self) -> None:
        """Stop the recording. Stopping twice does nothing."""
        with self._mutex:
            if self._source is not None:
                self._add(self._source.finish(**self._fetched))
                self._source = None

    def _update(self) -> None:
        with self._mutex:
            if self._source is not None:
                self._add(self._source.poll(**self._fetched))

    def _add(self, part: RecordingPart) -> None:
        self._fetched["queries"] += len(part.queries)
        self._fetched["attempts"] += len(part.commits)
        self._queries += part.queries
        self._attempts += part.commits
        self._aborts += part.aborts - self._aborts_fetched
        self._rpcs, self._aborts_fetched = part.rpcs, part.aborts


class RemoteRecorder(Proxy, Recorder):
    """A context manager that records a database of an emulator in another process."""

    recording: RemoteRecording

    def __init__(self, calls: Calls, database: str) -> None:
        super().__init__(calls, database=database)
        self.recording = RemoteRecording(database)

    def start(self) -> Self:
        self.recording.follow(self.begin())
        return self

    def stop(self) -> RemoteRecording:
        self.recording.end()
        return self.recording
