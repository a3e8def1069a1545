"""How much a finding matters, whoever makes it: the linter or the detector of hotspots."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """Members are in falling order."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}
