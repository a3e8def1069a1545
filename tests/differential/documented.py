"""Differences from the official emulator that a document settles in spanemu's favour."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.differential.outcome import Outcome


@dataclass(frozen=True)
class Documented:
    """A difference: where it shows, and which document says that spanemu is right."""

    query: str  # a pattern that the query matches
    reference: str  # a pattern that the reference's answer matches
    document: str

    def explains(self, sql: str, theirs: Outcome) -> bool:
        return bool(re.search(self.query, sql, re.I) and re.search(self.reference, str(theirs)))


DOCUMENTED: tuple[Documented, ...] = ()


def explanation(sql: str, theirs: Outcome) -> str | None:
    """The document that settles a difference, if there is one."""
    return next((each.document for each in DOCUMENTED if each.explains(sql, theirs)), None)
