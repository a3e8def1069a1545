"""Facts of the process: what a forked child may not read, the memory left, and its placement.

A fork copies the memory of an emulator, but not its threads: no client reaches the copy, and
changes in the child are lost. Handles therefore keep the parts of an emulator in `OwnProcess`
attributes, which a forked child may not read.

A thread of gRPC that runs out of memory ends, and with it the server. So a statement that is about
to take more memory is refused while some is left (`headroom`). Linux only; without a limit nothing
happens.

A process that does nothing but serve may have bound itself to a CPU (`placement`).
"""

from __future__ import annotations

import os
from os import getpid
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Self, TypeVar, overload

from spanemu.base.errors import Code, SpannerError

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows does not have it.
    resource = None

__tracebackhide__ = True  # pytest hides these frames: users look for their own lines


T = TypeVar("T")


class ForkedHandle(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "This {handle} was created before its process was forked, and the emulator runs in the "
        "parent process: changes to the copy in this process are lost. Use the handle in the "
        "parent, or Emulator.attach(uri) in this process."
    )
    handle: str


class OwnProcess(Generic[T]):
    """An attribute that only the process that set it may read; other processes get ForkedHandle."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Any, owner: type) -> T: ...
    def __get__(self, instance: Any, owner: type) -> T | Self:
        if instance is None:
            return self
        value: T
        try:
            value, process = instance.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name, name=self._name, obj=instance) from None
        if process != getpid():
            raise ForkedHandle(owner.__name__)
        return value

    def __set__(self, instance: Any, value: T) -> None:
        instance.__dict__[self._name] = value, getpid()


_DESCRIPTORS_MAX = 1_000_000
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
        sizes, page_size = _STATM.read_bytes().split(), os.sysconf("SC_PAGE_SIZE")
        for limit, pages in ((self.address_space, sizes[0]), (self.resident, sizes[1])):
            if limit is not None and int(pages) * page_size > limit - limit // _LEFT_SHARE:
                raise ProcessOutOfMemory()


headroom = Headroom()


class Placement:
    """The place of a process: `is_bound` if it serves on one CPU, and does nothing else."""

    is_bound = False


placement = Placement()


def descriptors(share: float) -> int:
    """Return a share of the descriptors that the process may have, 1,000,000 without a limit.

    A server that takes no more leaves some to other servers and to files.
    """
    known = _DESCRIPTORS_MAX
    if resource is not None:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        known = known if soft == resource.RLIM_INFINITY else min(soft, known)
    return int(known * share)
