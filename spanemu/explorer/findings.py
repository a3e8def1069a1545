"""What an exploration says of a failure: its kind, a sentence, advice, and the steps of a cycle."""

from __future__ import annotations

from typing import NamedTuple

from spanemu.explorer.steps import Access


class Link(NamedTuple):
    """A dependency between two steps of a cycle: an arrow in a drawing.

    `kind` says what the steps do at the cells of `access`: "rw" is a read before a write.
    """

    kind: str
    first: int
    second: int
    access: Access
    text: str


class Diagnosis(NamedTuple):
    """The kind of a failure, a sentence about it, and advice. `links` make up the cycle."""

    kind: str
    text: str
    advice: str
    links: tuple[Link, ...] = ()

    @property
    def marked(self) -> frozenset[int]:
        """The steps of the cycle."""
        return frozenset(step for link in self.links for step in (link.first, link.second))


MOVE_READ = (
    "Read and write in one read-write transaction (run_in_transaction), so that Spanner aborts "
    "one of the two."
)
STRICTER = (
    "Use serializable isolation, or read the rows that the decision depends on with FOR UPDATE."
)
ONE_SNAPSHOT = "Read in one snapshot (multi_use=True) or in one transaction."
ONE_WRITE = "Write in one read-write transaction, so that others see all of it or nothing."
