"""The ways in which an emulator runs: what a test can do to it must not depend on that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import pytest

import spanemu


@contextmanager
def _attached(**options: Any) -> Iterator[spanemu.EmulatorHandle]:
    """Yield an emulator of this process by its address: all operations go over the wire."""
    with spanemu.Emulator(**options) as running, spanemu.Emulator.attach(running.uri) as handle:
        yield handle


RUNNING: dict[str, Callable[..., AbstractContextManager[spanemu.EmulatorHandle]]] = {
    "embedded": spanemu.Emulator,
    "port": partial(spanemu.Emulator, embedded_channel=False),
    "attached": _attached,
    "subprocess": spanemu.Emulator.subprocess,
}


def in_this_process(emulator: Any) -> None:
    """Skip a test that looks inside, where the emulator is somewhere else."""
    if not isinstance(emulator, spanemu.Emulator):
        pytest.skip("looks inside the emulator")
