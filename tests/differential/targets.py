"""The two engines that answer: spanemu in this process, and the official emulator."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import spanemu
from tests.conformance.reference import official_emulator
from tests.differential import world


@contextmanager
def subject(seed: int) -> Iterator[Any]:
    """A database of spanemu with the rows of the seed."""
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("differential", schema=[f"{each};" for each in world.DDL])
        database = handle.client()
        world.load(database, seed)
        yield database


@contextmanager
def reference(seed: int) -> Iterator[Any]:
    """The same database in the official emulator."""
    with official_emulator() as client:
        name = f"projects/{client.project}/instanceConfigs/emulator-config"  # type: ignore[attr-defined]
        instance = client.instance("differential", name)  # type: ignore[attr-defined]
        instance.create().result()
        database = instance.database("differential", ddl_statements=list(world.DDL))
        database.create().result()
        world.load(database, seed)
        yield database
