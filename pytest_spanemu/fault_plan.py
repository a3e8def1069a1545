"""The marker `@pytest.mark.spanner_faults("abort commit:2", ...)`: planned faults as text.

VERB [RPC[:NTH]] [NAME=VALUE ...]

abort commit:2                               the second commit
unavailable executeStreamingSql after_rows=10 table=Orders
delay commit seconds=0.2 times=3
"""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from pytest_spanemu.requested_options import marker_error

MARKER = "spanner_faults"
_VERBS = (
    "abort", "deadline", "delay", "disconnect", "exhausted", "internal", "lose_response",
    "session_lost", "unavailable",
)  # fmt: skip
_NUMBERS = {"nth": int, "times": int, "every": int, "after_rows": int}
_SECONDS = {"seconds": float, "retry_delay": float}
_NAMES = (*_NUMBERS, *_SECONDS, "table", "sql", "tag", "transaction_tag", "client")


Plan = tuple[str, tuple[str, ...], dict[str, Any]]  # the result of `read_plan`


def read_plans(item: pytest.Item) -> list[tuple[str, Plan]]:
    """Read the faults of a test's markers, each with its text. Raises pytest.UsageError."""
    plans = []
    for marker in reversed(list(item.iter_markers(MARKER))):
        for name in marker.kwargs:
            raise marker_error(item, MARKER, f'does not take {name}=; write "VERB RPC {name}=...".')
        for text in marker.args:
            try:
                plans.append((text, read_plan(text)))
            except ValueError as problem:
                raise marker_error(item, MARKER, f"{text!r}: {problem}") from None
    return plans


def inject_faults(item: pytest.Item, faults: Any, database: Any) -> None:
    """Inject the faults of a test's markers. Fail the test for invalid arguments."""
    for text, (verb, rpc, selection) in read_plans(item):
        try:
            getattr(faults, verb)(*rpc, database=database, **selection)
        except (TypeError, ValueError) as problem:
            message = f"marker {MARKER}: {text!r}: {problem}"
            raise pytest.fail.Exception(message, pytrace=False) from None


def unused_faults_message(faults: Any) -> str:
    """Return the message for faults that no request has triggered, "" without such faults."""
    unused = [f"  {fault}" for fault in faults.unused]
    if not unused:
        return ""
    return "\n".join(
        [
            "faults that no request triggered:",
            *unused,
            "The test sent no matching request, or too few. Remove the fault, or leave "
            "unused-fault out of spanner_fail_on.",
        ]
    )


def read_plan(text: str) -> Plan:
    """Parse the verb, the RPC if there is one, and the keyword arguments. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("not a text such as 'abort commit:2'")
    verb, *rest = shlex.split(text) or [""]
    if verb not in _VERBS:
        raise ValueError(f"{verb!r} is not one of {', '.join(_VERBS)}")
    rpc: tuple[str, ...] = ()
    selection: dict[str, Any] = {}
    if rest and "=" not in rest[0]:
        name, _, nth = rest.pop(0).partition(":")
        rpc = (name[:1].upper() + name[1:],)
        if nth:
            selection["nth"] = _number("nth", nth)
    for word in rest:
        name, _, value = word.partition("=")
        if name not in _NAMES:
            raise ValueError(f"{name!r} is not one of {', '.join(_NAMES)}")
        selection[name] = _number(name, value)
    return verb, rpc, selection


def _number(name: str, value: str) -> Any:
    """Convert the value of a keyword argument. Raises ValueError."""
    convert = _NUMBERS.get(name) or _SECONDS.get(name) or str
    try:
        return convert(value)
    except ValueError:
        raise ValueError(f"{name}={value!r} is not a number") from None
