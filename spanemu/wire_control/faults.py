"""Faults of an emulator in another process. The verbs are those of `control.faults.Faults`,
which documents them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self

from spanemu.control.fault import Fault
from spanemu.control.faults import Faults
from spanemu.wire_control.calls import Calls

P = ParamSpec("P")


class RemoteFault:
    """A fault in another process, like `Fault`; a context manager that removes the fault."""

    def __init__(self, calls: Calls, described: dict[str, Any]) -> None:
        self._calls = calls
        self.number = int(described["fault"])
        self.name = str(described["verb"])

    @property
    def fired(self) -> int:
        """The number of RPCs that the fault has struck."""
        return int(self._described()["fired"])

    @property
    def is_expected(self) -> bool:
        """Return whether a fault that never strikes counts as a mistake of the test."""
        return bool(self._described()["expected"])

    @is_expected.setter
    def is_expected(self, expected: bool) -> None:
        self._calls("ExpectFault", fault=self.number, expected=expected)

    def remove(self) -> None:
        """Remove the fault from the emulator. Removing a fault twice does nothing."""
        self._calls("RemoveFault", fault=self.number)

    def _described(self) -> dict[str, Any]:
        return self._calls("GetFault", fault=self.number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.remove()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemoteFault) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return f"<RemoteFault {self.number} {self.name}>"

    def __str__(self) -> str:
        return str(self._described()["text"])


def _remote_verb(
    verb: Callable[Concatenate[Faults, P], Fault],
) -> Callable[Concatenate[RemoteFaults, P], RemoteFault]:
    """Return the remote counterpart of a verb, which sends the arguments by name."""
    signature = inspect.signature(verb)

    @wraps(verb)
    def ask(self: RemoteFaults, /, *args: P.args, **kwargs: P.kwargs) -> RemoteFault:
        arguments = dict(signature.bind(self, *args, **kwargs).arguments)
        arguments |= arguments.pop("where", {})
        del arguments["self"]
        database = arguments.get("database")
        if database is not None:  # an id, a full name or a handle
            arguments["database"] = str(getattr(database, "name", database))
        return self._add(verb.__name__, arguments)

    return ask


class RemoteFaults:
    """The faults of an emulator in another process, with the interface of `Faults`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    abort = _remote_verb(Faults.abort)
    unavailable = _remote_verb(Faults.unavailable)
    disconnect = _remote_verb(Faults.disconnect)
    deadline = _remote_verb(Faults.deadline)
    internal = _remote_verb(Faults.internal)
    exhausted = _remote_verb(Faults.exhausted)
    session_lost = _remote_verb(Faults.session_lost)
    lose_response = _remote_verb(Faults.lose_response)
    delay = _remote_verb(Faults.delay)
    conflict = _remote_verb(Faults.conflict)
    abort_rate = _remote_verb(Faults.abort_rate)
    abort_first_attempts = _remote_verb(Faults.abort_first_attempts)

    @property
    def unused(self) -> tuple[RemoteFault, ...]:
        """Installed faults that have never struck, modes aside: a test expected them to."""
        return tuple(
            RemoteFault(self._calls, each)
            for each in self._listed()
            if each["expected"] and not each["fired"]
        )

    def clear(self) -> None:
        """Remove every fault but those that the emulator's configuration asks for.

        Lost sessions are restored.
        """
        self._calls("ClearFaults")

    def __iter__(self) -> Iterator[RemoteFault]:
        return iter([RemoteFault(self._calls, each) for each in self._listed()])

    def __len__(self) -> int:
        return len(self._listed())

    def _listed(self) -> list[dict[str, Any]]:
        faults: list[dict[str, Any]] = self._calls("ListFaults")["faults"]
        return faults

    def _add(self, verb: str, arguments: dict[str, Any]) -> RemoteFault:
        return RemoteFault(self._calls, self._calls("AddFault", verb=verb, arguments=arguments))
