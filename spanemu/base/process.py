"""Attributes of one process, so that a forked child does not act on a private copy.

A fork copies the memory of an emulator, but not its threads: no client reaches the copy, and
changes in the child are lost. Handles therefore keep the parts of an emulator in `OwnProcess`
attributes, which a forked child may not read.
"""

from __future__ import annotations

from os import getpid
from typing import Any, Generic, Self, TypeVar, overload

from spanemu.base.errors import Code, SpannerError

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
