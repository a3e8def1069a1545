"""The ways in which an emulator runs: what a test can do to it must not depend on that."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import spanemu

RUNNING: dict[str, Callable[..., spanemu.EmulatorHandle]] = {
    "embedded": spanemu.Emulator,
    "port": partial(spanemu.Emulator, embedded_channel=False),
    "subprocess": spanemu.Emulator.subprocess,
}


def in_this_process(emulator: Any) -> None:
    """Skip a test that looks inside, where the emulator is somewhere else."""
    if not isinstance(emulator, spanemu.Emulator):
        pytest.skip("looks inside the emulator")
