"""Faults of an emulator in another process. The verbs are those of `control.faults.Faults`, which
say what each does.
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
    """A fault over there; a context manager that removes it. Offers what `Fault` does."""

    def __init__(self, calls: Calls, described: dict[str, Any]) -> None:
        self._calls = calls
        self.number = int(described["fault"])
        self.name = str(described["verb"])

    @property
    def fired(self) -> int:
        """How many RPCs it has struck."""
        return int(self._described()["fired"])

    @property
    def is_expected(self) -> bool:
        """Whether it is a mistake of the test when it never strikes."""
        return bool(self._described()["expected"])

    @is_expected.setter
    def is_expected(self, expected: bool) -> None:
        self._calls("ExpectFault", fault=self.number, expected=expected)

    def remove(self) -> None:
        """Take it back; it is not used from now on. Doing so twice does nothing."""
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


def _asked_for(
    verb: Callable[Concatenate[Faults, P], Fault],
) -> Callable[Concatenate[RemoteFaults, P], RemoteFault]:
    """The same verb over the wire: its arguments travel by name."""
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
    """Offers what `Faults` does."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    abort = _asked_for(Faults.abort)
    unavailable = _asked_for(Faults.unavailable)
    disconnect = _asked_for(Faults.disconnect)
    deadline = _asked_for(Faults.deadline)
    internal = _asked_for(Faults.internal)
    exhausted = _asked_for(Faults.exhausted)
    session_lost = _asked_for(Faults.session_lost)
    lose_response = _asked_for(Faults.lose_response)
    delay = _asked_for(Faults.delay)
    conflict = _asked_for(Faults.conflict)
    abort_rate = _asked_for(Faults.abort_rate)
    abort_first_attempts = _asked_for(Faults.abort_first_attempts)

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

        Sessions that were lost are found again.
        """
        self._calls("ClearFaults")

    def __iter__(self) -> Iterator[RemoteFault]:
        return iter([RemoteFault(self._calls, each) for each in self._listed()])

    def __len__(self) -> int:
        return len(self._listed())

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._calls("ListFaults")["faults"]
        return found

    def _add(self, verb: str, arguments: dict[str, Any]) -> RemoteFault:
        return RemoteFault(self._calls, self._calls("AddFault", verb=verb, arguments=arguments))
