"""Every constant of the split model, with where it comes from.

Spanner publishes that it splits by size and by load and merges what stays quiet, some numbers of
what a server takes, and no algorithm. *Published* below are numbers of its pages; *model* are ours.
A load of one *unit* is one row of 1 KB written; a second of a server is `server_units_max` of them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from math import inf


class SplitPolicy(StrEnum):
    """Where a boundary may fall."""

    ROOT_ONLY = "root_only"
    """Between root rows only: a family of interleaved rows stays whole. So Spanner's older pages on
    schema and data model have it."""
    MODERN = "modern"
    """As near to the root as possible, but also between child rows, where a family outgrows a split
    or a child is hot. So the pages have it today."""


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Settings of one database's splits. Raises ValueError for what cannot be."""

    policy: SplitPolicy = SplitPolicy.ROOT_ONLY
    servers: int = 8  # model: as many as `simulate` has nodes
    # Published: "approximately 8 GiB" (schema design); older texts say 4 GB, today's no number.
    split_bytes_max: int = 8 << 30
    # Published: 3,500 writes or 22,500 reads of 1 KB a second on a regional node (performance).
    server_units_max: float = 3_500.0
    units_per_write: float = 1.0
    units_per_read: float = 3_500 / 22_500
    # Published: a CPU_USAGE_SCORE of 50 is warm. Model: that a warm split is cut.
    warm: float = 0.5  # of what a server takes
    minute_seconds: int = 60  # published: statistics by the minute; a boundary comes a minute late
    # Published: "ranges that stay quiet are merged". Model: how quiet, and for how long.
    quiet: float = 0.05  # of what a server takes
    quiet_minutes: int = 10
    smoothing: float = 0.5  # model: weight of the last minute in what placement goes by
    splits_per_server_max: int = 10  # published as advice for split points; model: as a limit
    uneven_max: float = 1.1  # model: of the mean load; a split stays on its server up to that
    one_row_min: float = 0.5  # model: of a split's load on one row, and the row is set apart
    events_max: int = 50_000  # model: operations of a minute that are kept; more are thinned out

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_number(each.name, each.default, getattr(self, each.name))
        if self.servers < 1:
            raise ValueError(f"splits need a server at least, not {self.servers}")
        if self.split_bytes_max < 1:
            raise ValueError(f"a split holds a byte at least, not {self.split_bytes_max}")
        if self.server_units_max <= 0:
            raise ValueError(f"a server takes some load, not {self.server_units_max}")
        if self.minute_seconds < 1:
            raise ValueError(f"a minute takes a second at least, not {self.minute_seconds}")


def _check_number(name: str, default: object, value: object) -> None:
    """Raise ValueError unless a setting is a number of the kind that its default is."""
    if isinstance(default, str):
        return
    kinds = (int,) if isinstance(default, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value < inf:
        whole = "a whole number" if isinstance(default, int) else "a number"
        raise ValueError(f"{name} of splits is {whole} from 0, not {value!r}")


SPLIT_SETTINGS = SplitSettings()
