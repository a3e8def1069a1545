"""Google's own emulator, where the Google Cloud CLI has it installed: a reference to compare with."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event
from typing import Any

import pytest

import spanemu
from tests.conformance.guarded_channel import guarded
from tests.installed import official_binary
from tests.ports import free_port


@contextmanager
def official_emulator() -> Iterator[object]:
    """Yield the official client, connected to the official emulator; skips where there is none."""
    with official_process() as (client, _):
        yield client


@contextmanager
def official_process() -> Iterator[tuple[Any, subprocess.Popen[bytes]]]:
    """Yield the same, and the emulator's process."""
    binary = official_binary()
    if binary is None:
        pytest.skip("Google's emulator is not installed here")
    address = f"127.0.0.1:{free_port()}"
    with subprocess.Popen(
        [str(binary), "--host_port", address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _await_port(address)
            with guarded(address, server):
                yield spanemu.Emulator.attach(address).client(), server
        finally:
            server.kill()


def _await_port(address: str) -> None:
    host, port = address.split(":")
    for _ in range(3_000):
        with closing(socket.socket()) as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        Event().wait(0.02)
    pytest.fail("Google's emulator did not open its port")
