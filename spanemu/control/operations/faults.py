"""Operations on faults. A fault goes by a number; what it did can be asked for after it is gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.control.errors import HandleExpired
from spanemu.control.fault import Fault
from spanemu.control.faults import VERBS
from spanemu.control.operations.arguments import read_arguments
from spanemu.control.operations.control import Control


def add_fault(control: Control, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Install a fault; verbs and arguments are those of `Faults`."""
    make = VERBS.get(verb)
    if make is None:
        raise ValueError(f"there is no verb {verb!r}; there are: {', '.join(VERBS)}")
    return _described(make(control.faults, **read_arguments(make, arguments)))


def list_faults(control: Control) -> dict[str, Any]:
    """Return the installed faults, in the order of installation."""
    return {"faults": [_described(fault) for fault in control.faults]}


def get_fault(control: Control, fault: int) -> dict[str, Any]:
    """Return the description of a fault, whether or not it is still installed."""
    return _described(_found(control, fault))


def expect_fault(control: Control, fault: int, expected: bool) -> None:
    """Set whether a fault that never strikes counts as a mistake of the test."""
    _found(control, fault).is_expected = expected


def remove_fault(control: Control, fault: int) -> None:
    """Remove a fault. Removing a fault twice does nothing."""
    _found(control, fault).remove()


def clear_faults(control: Control) -> None:
    """Remove every fault but those that the emulator's configuration asks for."""
    control.faults.clear()


def _found(control: Control, number: int) -> Fault:
    found = control.faults.find(number)
    if found is None:
        raise HandleExpired("fault", str(number))
    return found


def _described(fault: Fault) -> dict[str, Any]:
    return {
        "fault": fault.number,
        "verb": fault.name,
        "text": str(fault),
        "fired": fault.fired,
        "expected": fault.is_expected,
    }
