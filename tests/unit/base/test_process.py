"""Attributes that a forked child may not read."""

import os

import pytest

from spanemu.base.errors import Code
from spanemu.base.process import ForkedHandle, OwnProcess


class Handle:
    part = OwnProcess[int]()


def test_the_process_that_set_an_attribute_reads_and_changes_it() -> None:
    handle = Handle()
    handle.part = 1
    handle.part += 1
    assert handle.part == 2


def test_another_process_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = Handle()
    handle.part = 1
    own = os.getpid()
    monkeypatch.setattr("spanemu.base.process.getpid", lambda: own + 1)
    with pytest.raises(ForkedHandle) as caught:
        _ = handle.part
    assert caught.value.code is Code.FAILED_PRECONDITION
    assert caught.value.handle == "Handle"
    handle.part = 3  # What the other process sets is its own.
    assert handle.part == 3


def test_an_attribute_that_was_never_set_is_missing() -> None:
    with pytest.raises(AttributeError, match="part"):
        _ = Handle().part
