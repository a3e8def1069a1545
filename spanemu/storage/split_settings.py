"""The settings of the splits of a database, which the model of `split_model` follows."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from math import inf

from spanemu.base.record import dataclass

SERVERS_MAX = 10_000  # each costs memory in every simulated minute


class SplitPolicy(StrEnum):
    """The rows between which a boundary may lie."""

    ROOT_ONLY = "root_only"
    """Between root rows only: a family of interleaved rows stays whole, as Spanner's older pages on
    schema and data model describe."""
    MODERN = "modern"
    """As near to the root as possible, but also between child rows where a family outgrows a split
    or a child is hot, as Spanner's pages describe today."""


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Settings of one database's splits. Raises ValueError for impossible values."""

    policy: SplitPolicy = SplitPolicy.ROOT_ONLY
    servers: int = 8  # model: as many as `simulate` has nodes
    # Published: "approximately 8 GiB" (schema design); older texts say 4 GB, current ones no size.
    split_bytes_max: int = 8 << 30
    # Published: 3,500 writes or 22,500 reads of 1 KB a second on a regional node (performance).
    server_units_max: float = 3_500.0
    units_per_write: float = 1.0
    units_per_read: float = 3_500 / 22_500
    # Published: a CPU_USAGE_SCORE of 50 is warm. Model: that a warm split is cut.
    warm: float = 0.5  # of the capacity of a server
    minute_seconds: int = 60  # published: statistics by the minute; a boundary comes a minute late
    # Published: "ranges that stay quiet are merged". Model: how quiet, and for how long.
    quiet: float = 0.05  # of the capacity of a server
    quiet_minutes: int = 10
    smoothing: float = 0.5  # model: weight of the last minute in the load used for placement
    splits_per_server_max: int = 10  # published as advice for split points; model: as a limit
    uneven_max: float = 1.1  # model: of the mean load, up to which a split stays on its server
    one_row_min: float = 0.5  # model: of a split's load on one row, from which it is isolated
    events_max: int = 50_000  # model: operations kept for a minute; more are thinned out

    def __post_init__(self) -> None:
        for setting in fields(self):
            _check_number(setting.name, setting.default, getattr(self, setting.name))
        if not 1 <= self.servers <= SERVERS_MAX:
            raise ValueError(f"servers of splits must be 1 to {SERVERS_MAX}, not {self.servers}")
        if self.split_bytes_max < 1:
            raise ValueError(f"split_bytes_max must be at least 1, not {self.split_bytes_max}")
        if self.server_units_max <= 0:
            raise ValueError(f"server_units_max must be positive, not {self.server_units_max}")
        if self.minute_seconds < 1:
            raise ValueError(f"minute_seconds must be at least 1, not {self.minute_seconds}")


def _check_number(name: str, default: object, value: object) -> None:
    """Raise ValueError unless a setting is a number of the same kind as its default."""
    if isinstance(default, str):
        return
    kinds = (int,) if isinstance(default, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value < inf:
        whole = "a whole number" if isinstance(default, int) else "a number"
        raise ValueError(f"{name} of splits must be {whole} from 0, not {value!r}")


SPLIT_SETTINGS = SplitSettings()
