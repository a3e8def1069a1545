"""The memory that is left to a process with a limit.

A thread of gRPC that runs out of memory ends, and with it the server. So a statement that is about
to take more memory is refused while some is left. Linux only; without a limit nothing happens.
"""

from __future__ import annotations

from mmap import PAGESIZE
from pathlib import Path

from spanemu.base.errors import Code, SpannerError

_LEFT_SHARE = 8  # An eighth of the limit stays free of statements.
_STATM = Path("/proc/self/statm")


class ProcessOutOfMemory(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Out of memory: the emulator's process has reached its memory limit"


class Headroom:
    """The limits of a process: of its address space, and of its resident memory."""

    address_space: int | None = None
    resident: int | None = None

    def check(self) -> None:
        """Raise ProcessOutOfMemory if the process is too close to a limit."""
        if self.address_space is None and self.resident is None:
            return
        sizes = _STATM.read_bytes().split()
        for limit, pages in ((self.address_space, sizes[0]), (self.resident, sizes[1])):
            if limit is not None and int(pages) * PAGESIZE > limit - limit // _LEFT_SHARE:
                raise ProcessOutOfMemory()


headroom = Headroom()
