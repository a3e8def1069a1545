"""Which statement belongs to a seed, and how its answers are to be asked for and compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.differential.mistakes import random_mistake
from tests.differential.outcome import Outcome, ask, ask_write
from tests.differential.queries import ORDERED, random_expressions, random_query
from tests.differential.tree import Piece
from tests.differential.writes import random_write, table_of

# Seeds out of a hundred.
_SHARES: Mapping[Callable[[Random], Piece], int] = {
    random_query: 45,
    random_expressions: 35,
    random_write: 10,
    random_mistake: 10,
}


@dataclass(frozen=True)
class Statement:
    """A random statement, or a smaller one made of it."""

    piece: Piece

    @property
    def sql(self) -> str:
        return str(self.piece)

    @property
    def is_ordered(self) -> bool:
        return self.piece.kind == ORDERED

    def ask(self, database: Any, seconds: float, sql: str = "") -> Outcome:
        """Return what the database answers to it, or to `sql` in its place."""
        if self.piece.kind.startswith("write "):
            return ask_write(database, sql or self.sql, table_of(self.piece), seconds=seconds)
        return ask(database, sql or self.sql, ordered=self.is_ordered, seconds=seconds)


def random_statement(seed: int) -> Statement:
    """Return the statement of a seed."""
    random = Random(seed)
    kinds, shares = zip(*_SHARES.items(), strict=True)
    (make,) = random.choices(kinds, shares)
    return Statement(make(random))
