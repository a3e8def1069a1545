"""What pytest loads: the fixtures. Nothing of Spanner is imported until one of them is used.

spanner_emulator   session    an emulator in this process
spanner_database   function   a fresh database in it, as the official client's `Database`
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

import spanemu

_numbers = count(1)


@pytest.fixture(scope="session")
def spanner_emulator() -> Iterator[spanemu.Emulator]:
    """One emulator per run; tests get fresh databases, not fresh servers."""
    with spanemu.Emulator() as emulator:
        yield emulator


@pytest.fixture
def spanner_database(spanner_emulator: spanemu.Emulator) -> Iterator[Any]:
    """The official client's `Database`, empty, dropped after the test."""
    handle = spanner_emulator.create_database(f"t-{next(_numbers)}")
    try:
        yield handle.client()
    finally:
        handle.drop()
