"""What keeps a server from serving."""

from __future__ import annotations


class PortTaken(RuntimeError):
    """Another process, or another server of this one, listens at the address."""

    def __init__(self, host_port: str) -> None:
        super().__init__(f"cannot listen at {host_port}: the port is taken, or no such address")
        self.host_port = host_port
