"""Why a stream is hot: which of Spanner's reasons, and which part of the key is to blame.

The part to blame is the first one whose values follow the order of arrival, looked at among keys
that agree in the parts before it: under two shards the time behind the shard is found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from spanemu.hotspots.samples import rank_correlation
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds

FOLLOWS_RHO_MIN = 0.8  # within a group of keys that agree so far
GROUP_MIN = 5  # keys that have an order worth the name
GROUPED_PART_MIN = 0.5  # of the sample must be in such groups


class Reason(StrEnum):
    """Spanner's words (SPLIT_STATS_TOP, UNSPLITTABLE_REASONS)."""

    HOT_ROW = "HOT_ROW"
    MOVING_HOT_SPOT = "MOVING_HOT_SPOT"
    LARGE_SCAN_HOT_SPOT = "LARGE_SCAN_HOT_SPOT"
    UNISOLATABLE_HOT_ROW = "UNISOLATABLE_HOT_ROW"
    UNSPECIFIED = "UNSPECIFIED"


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason; `part` is the place of the key part to blame; `rising` in the order of bytes.

    `roves`: the load moves on all the time, but in no order.
    """

    reason: Reason
    part: int
    rising: bool = True
    first_values: int = 0  # distinct values of the first part in the sample
    roves: bool = False


def cause_of(
    stream: Summary, pieces: Sequence[tuple[bytes, ...]], limits: Thresholds = THRESHOLDS
) -> Cause:
    """The cause, given the sampled keys in their order of arrival, each cut into its parts."""
    first_values = len({key[0] for key in pieces if key})
    share = max(stream.share or 0.0, limits.hot_share_min)
    if stream.top_row_share >= limits.row_of_bucket_min * share:
        return Cause(Reason.HOT_ROW, 0, first_values=first_values)
    found = _follower(pieces)
    if found is not None:
        part, rho = found
        return Cause(Reason.MOVING_HOT_SPOT, part, rho > 0, first_values)
    if stream.top_row_share >= limits.row_share_warned:
        return Cause(Reason.HOT_ROW, 0, first_values=first_values)
    if max(stream.append_part, stream.prepend_part) >= limits.hot_share_min:
        rising = stream.append_part >= stream.prepend_part
        return Cause(Reason.MOVING_HOT_SPOT, 0, rising, first_values)
    if (stream.share or 0.0) >= limits.hot_share_min:
        # One range takes it, no row of which is hot: boundaries inside would serve if it stayed.
        return Cause(Reason.MOVING_HOT_SPOT, 0, first_values=first_values, roves=True)
    return Cause(Reason.UNISOLATABLE_HOT_ROW, 0, first_values=first_values)


def _follower(pieces: Sequence[tuple[bytes, ...]]) -> tuple[int, float] | None:
    """The first part that follows the order of arrival, and how closely."""
    for part in range(len(pieces[0]) if pieces else 0):
        groups: dict[tuple[bytes, ...], list[bytes]] = defaultdict(list)
        for key in pieces:
            groups[key[:part]].append(key[part])
        large = [values for values in groups.values() if len(values) >= GROUP_MIN]
        grouped = sum(map(len, large))
        if grouped < max(GROUP_MIN, GROUPED_PART_MIN * len(pieces)):
            return None
        rho = sum(rank_correlation(values) * len(values) for values in large) / grouped
        if abs(rho) >= FOLLOWS_RHO_MIN:
            return part, rho
    return None
