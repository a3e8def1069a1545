"""`TestCase.captureOnCommitCallbacks` where a test's transactions really commit.

Django collects the callbacks of a transaction around the test, which never commits. Here they are
taken from each commit within the block instead, and called, if at all, when the block ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Callback = Callable[[], object]


@contextmanager
def captured(connection: Any, *, execute: bool) -> Iterator[list[Callback]]:
    """Yield the list of callbacks that commits within the block would call."""
    callbacks: list[Callback] = []
    on_commit = connection.on_commit

    def add(callback: Callback, robust: bool = False) -> None:
        if connection.in_atomic_block:
            on_commit(callback, robust)
        else:
            callbacks.append(callback)

    def take() -> None:
        callbacks.extend(callback for _, callback, _ in connection.run_on_commit)
        connection.run_on_commit = []

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(connection, "on_commit", add)
        patches.setattr(connection, "run_and_clear_commit_hooks", take)
        yield callbacks
        if execute:
            for callback in callbacks:  # which grows when a callback adds another
                callback()
