"""The two engines that answer: spanemu in this process, and the official emulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import spanemu
from tests.conformance.guarded_channel import ServerDied
from tests.conformance.reference import official_emulator
from tests.differential import world
from tests.differential.outcome import DIED, Outcome
from tests.differential.statements import Statement


class Target:
    """An engine with the tables of `world`. One that a statement kills is started again.

    So is one that `goes_on` with a statement whose client has given up, and is slow from then on.
    """

    def __init__(
        self, start: Callable[[], AbstractContextManager[Any]], *, goes_on: bool = False
    ) -> None:
        self._start = start
        self._goes_on = goes_on
        self._running = ExitStack()
        self._database: Any = None

    def __enter__(self) -> Target:
        self._database = self._running.enter_context(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def ask(self, statement: Statement, seconds: float, sql: str = "") -> Outcome:
        """Return the answer to a statement, or to `sql` in its place."""
        try:
            outcome = statement.ask(self._database, seconds, sql)
        except ServerDied as death:
            outcome = Outcome(DIED, message=str(death))
        if outcome.code == DIED or (self._goes_on and outcome.code == "DEADLINE_EXCEEDED"):
            self._running.close()
            self._database = self._running.enter_context(self._start())
        return outcome


def subject(seed: int) -> Target:
    """Return a database of spanemu with the rows of the seed."""
    return Target(lambda: spanemu_database(seed))


def reference(seed: int) -> Target:
    """Return the same database in the official emulator."""
    return Target(lambda: _official(seed), goes_on=True)


@contextmanager
def spanemu_database(seed: int) -> Iterator[Any]:
    """Yield the official client's database of an emulator that runs here."""
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("differential", schema=[f"{each};" for each in world.DDL])
        database = handle.client()
        world.load(database, seed)
        yield database


@contextmanager
def _official(seed: int) -> Iterator[Any]:
    with official_emulator() as client:
        name = f"projects/{client.project}/instanceConfigs/emulator-config"  # type: ignore[attr-defined]
        instance = client.instance("differential", name)  # type: ignore[attr-defined]
        instance.create().result()
        database = instance.database("differential", ddl_statements=list(world.DDL))
        database.create().result()
        world.load(database, seed)
        yield database
