"""The severity of a finding of the linter or the hotspot detector."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """A severity; the members are in descending order."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The position in descending order: 0 is the most severe."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}
