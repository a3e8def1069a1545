"""The control operations that an emulator serves to other processes."""

from __future__ import annotations

import spanemu
from spanemu.api.control_service import OPERATIONS
from spanemu.api.operations import EmulatorParts, dispatcher_of


def test_the_operations_are_known_before_their_modules() -> None:
    with spanemu.Emulator() as emulator:
        parts = EmulatorParts(
            clock=emulator.clock,
            faults=lambda: emulator.faults,
            recorder=emulator.record,
            hotspots=emulator.hotspots,
            request_log=lambda: emulator.request_log,
            saving=emulator._saving,
        )
        served = dispatcher_of(emulator._instances, parts)
        assert sorted(served) == sorted(OPERATIONS)
