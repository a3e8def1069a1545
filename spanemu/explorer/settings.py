"""The options of an exploration, and the functions that it explores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from spanemu.explorer import coroutines

FUNCTIONS_MAX = 5  # the serial orders of more are too many
FAULTS = ("abort", "lost-response")
FAULT_KINDS = {"abort": ("abort",), "lost-response": ("late", "lost")}
Function = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of an exploration. Raises ValueError for those that mean nothing."""

    invariant: Callable[[Any], object] | None = None
    compare: Literal["rows+results", "rows"] | None = "rows+results"
    serial: Literal["actors", "transactions"] = "actors"
    allow_errors: tuple[type[BaseException], ...] = ()
    ignore: Sequence[str] = ()
    stale: Literal["fresh", "allow"] = "fresh"
    faults: Sequence[str] = FAULTS
    preemptions: int = 2
    schedules: int = 500
    seconds: float = 10.0
    steps: int = 200
    schedule: str | None = None
    each: Callable[[], object] | None = None
    require_complete: bool = False

    def __post_init__(self) -> None:
        if self.compare not in ("rows+results", "rows", None):
            raise ValueError(
                f"compare={self.compare!r}: allowed are 'rows+results', 'rows' and None"
            )
        if self.serial not in ("actors", "transactions"):
            raise ValueError(f"serial={self.serial!r}: allowed are 'actors' and 'transactions'")
        if self.stale not in ("fresh", "allow"):
            raise ValueError(f"stale={self.stale!r}: allowed are 'fresh' and 'allow'")
        for fault in self.faults:
            if fault not in FAULTS:
                raise ValueError(f"faults: {fault!r} is none of {', '.join(FAULTS)}")
        if self.compare is None and self.invariant is None:
            raise ValueError("compare=None needs an invariant: nothing would be checked")

    @property
    def is_fresh(self) -> bool:
        """True if stale reads count as wrong decisions."""
        return self.stale == "fresh"

    @property
    def fault_kinds(self) -> tuple[str, ...]:
        """The kinds of faults of a commit."""
        return tuple(kind for fault in self.faults for kind in FAULT_KINDS[fault])


def named(actors: Mapping[str, Function] | Sequence[Function] | Function) -> dict[str, Function]:
    """Return the functions by name. Raises ValueError if they are none or too many."""
    if callable(actors):
        actors = [actors]
    if isinstance(actors, Mapping):
        result = dict(actors)
    else:
        result = {}
        for function in actors:
            name = getattr(function, "__name__", "actor").strip("<>")
            number, taken = 2, name
            while taken in result:
                taken, number = f"{name} {number}", number + 1
            result[taken] = function
    if not 1 <= len(result) <= FUNCTIONS_MAX:
        raise ValueError(f"an exploration has 1 to {FUNCTIONS_MAX} actors, not {len(result)}")
    return result


def bound(name: str, function: Function, client: Any) -> Callable[[], Any]:
    """Return a function of no parameter, which passes the client to a required parameter.

    Raises ValueError for a function that requires more.
    """
    call = (lambda: function(client)) if _takes_database(name, function) else function
    if not inspect.iscoroutinefunction(function):
        return call
    return lambda: coroutines.run_coroutine(call)


def _takes_database(name: str, function: Function) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    takes_any = any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values())
    for given in ((), (None,)) if not takes_any else ((None,),):
        with suppress(TypeError):
            signature.bind(*given)
            return bool(given)
    raise ValueError(
        f"the actor {name} has the parameters {signature}; an actor requires none, or one for the "
        "database"
    )
