"""What keeps a server from serving.

CannotListen        the address cannot be listened at
└── PortTaken       because something else listens there
"""

from __future__ import annotations


class CannotListen(RuntimeError):
    """An address that no server can listen at; `reason` says why."""

    def __init__(self, host_port: str, reason: str) -> None:
        super().__init__(f"cannot listen at {host_port}: {reason}")
        self.host_port = host_port
        self.reason = reason


class PortTaken(CannotListen):
    """An address at which another process, or another server of this one, listens."""

    def __init__(self, host_port: str) -> None:
        super().__init__(host_port, "the port is taken")
