"""Ports for servers whose port is chosen before they start, or that start again on the same port."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom

# The systems give higher ports to whoever asks for any, at any time.
PORTS = range(20_000, 30_000)


def free_port() -> int:
    """Return a port of 127.0.0.1 that is free, and that the system gives to nobody meanwhile."""
    for port in SystemRandom().sample(PORTS, 100):
        with socket.socket() as trial, suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
