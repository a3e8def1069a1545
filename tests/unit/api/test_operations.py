"""The control operations that an emulator serves to other processes."""

from __future__ import annotations

import spanemu
from spanemu.api.embedded import OPERATIONS
from spanemu.api.operations import dispatcher_of


def test_the_operations_are_known_before_their_modules() -> None:
    with spanemu.Emulator() as emulator:
        served = dispatcher_of(
            emulator._instances,
            emulator.clock,
            lambda: emulator.faults,
            emulator.record,
            emulator.hotspots,
        )
        assert sorted(served) == sorted(OPERATIONS)
