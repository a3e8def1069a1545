"""The verdict on a stream (hot, a warning, fine, or too few commits to tell), and its cause.

A verdict names the symptoms that led to it. Deletes are never hot, because deletes follow earlier
inserts. A row that is inserted again and again is only a warning: application-level locks and test
fixtures write such rows.

The cause is one of Spanner's reasons and the key part to blame: the first part whose values follow
the order of arrival among keys that agree in all parts before it. For a timestamp behind two shard
values this analysis finds the timestamp.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from spanemu.hotspots.samples import rank_correlation
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.tree_load import Kind

if TYPE_CHECKING:
    from spanemu.hotspots.identifiers import IdFormatMatch


class Level(StrEnum):
    """The severity of a stream's verdict."""

    HOT = "hot"
    WARN = "warn"
    OK = "ok"
    INSUFFICIENT = "insufficient"


class Symptom(StrEnum):
    """A property of a stream that speaks for a hotspot."""

    FULL_BUCKET = "full bucket"  # It holds half of the writes, with statistical certainty.
    KEY_ORDER = "key order"  # Rows arrive in the order of their keys.
    TIME_IDS = "time ids"  # Keys are ids that begin with the time (see `identifiers`).
    FEW_VALUES = "few values"  # Behind one or two values, keys follow the order of writing.
    HOT_ROW = "hot row"  # One row takes much of the updates.
    LARGE_SHARE = "large share"  # The fullest bucket holds much, but not with certainty half.


@dataclass(frozen=True, slots=True)
class Verdict:
    """A level, and the symptoms that led to it."""

    level: Level
    symptoms: tuple[Symptom, ...] = ()


def judge(
    kind: Kind,
    stream: Summary,
    id_format: IdFormatMatch | None = None,
    limits: Thresholds = THRESHOLDS,
) -> Verdict:
    """Return the verdict on one stream."""
    enough = stream.commits >= limits.verdict_commits_min
    if kind is Kind.DELETE:
        return Verdict(Level.OK if enough else Level.INSUFFICIENT)
    hot = tuple(
        symptom
        for symptom, speaks in (
            (Symptom.FULL_BUCKET, enough and _is_full(stream, limits)),
            (
                Symptom.KEY_ORDER,
                stream.commits >= limits.ordered_commits_min
                and abs(stream.rho) >= limits.ordered_rho_min,
            ),
            (Symptom.TIME_IDS, kind is Kind.INSERT and id_format is not None),
            (Symptom.HOT_ROW, _row_share(kind, stream, limits) >= limits.row_share_hot),
        )
        if speaks
    )
    one_row = stream.top_row_share >= limits.row_share_hot
    if one_row and kind is Kind.INSERT and hot == (Symptom.FULL_BUCKET,):
        return Verdict(Level.WARN, (Symptom.HOT_ROW,))
    if hot:
        return Verdict(Level.HOT, hot)
    if _row_share(kind, stream, limits) >= limits.row_share_warning:
        return Verdict(Level.WARN, (Symptom.HOT_ROW,))
    if stream.commits >= limits.warning_commits_min and stream.share is not None:
        floor = stream.share - stream.share_error
        if stream.share >= limits.warning_share_min and floor >= limits.warning_share_floor:
            return Verdict(Level.WARN, (Symptom.LARGE_SHARE,))
    return Verdict(Level.OK if enough else Level.INSUFFICIENT)


def _is_full(stream: Summary, limits: Thresholds) -> bool:
    if stream.share is None:
        return False
    return stream.share - 2 * stream.share_error >= limits.hot_share_min


def _row_share(kind: Kind, stream: Summary, limits: Thresholds) -> float:
    """Return the part of updates or reads on one row, or 0 where that row has too few of them."""
    if kind not in (Kind.UPDATE, Kind.READ) or stream.top_row_count < limits.row_updates_min:
        return 0.0
    return stream.top_row_share


FOLLOWS_RHO_MIN = 0.8  # within a group of keys that agree in the parts before
GROUP_MIN = 5  # keys in a group, below which their order means nothing
GROUPED_PART_MIN = 0.5  # of the sampled keys must lie in large enough groups


class Reason(StrEnum):
    """Spanner's reasons for a hotspot, as in UNSPLITTABLE_REASONS of SPLIT_STATS_TOP."""

    HOT_ROW = "HOT_ROW"
    MOVING_HOT_SPOT = "MOVING_HOT_SPOT"
    LARGE_SCAN_HOT_SPOT = "LARGE_SCAN_HOT_SPOT"
    UNISOLATABLE_HOT_ROW = "UNISOLATABLE_HOT_ROW"
    UNSPECIFIED = "UNSPECIFIED"


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason and the index of the key part to blame.

    `rising` refers to the order of encoded bytes. `roves` means that the load moves between ranges
    all the time, but in no order.
    """

    reason: Reason
    part: int
    rising: bool = True
    first_values: int = 0  # distinct values of the first part in the sample
    roves: bool = False


def cause_of(
    stream: Summary, encoded_parts: Sequence[tuple[bytes, ...]], limits: Thresholds = THRESHOLDS
) -> Cause:
    """Return the cause of a stream.

    `encoded_parts` are the encoded parts of the sampled keys in order of arrival.
    """
    first_values = len({key[0] for key in encoded_parts if key})
    share = max(stream.share or 0.0, limits.hot_share_min)
    if stream.top_row_share >= limits.row_of_bucket_min * share:
        return Cause(Reason.HOT_ROW, 0, first_values=first_values)
    ordered = _first_ordered_part(encoded_parts)
    if ordered is not None:
        part, rho = ordered
        return Cause(Reason.MOVING_HOT_SPOT, part, rho > 0, first_values)
    if stream.top_row_share >= limits.row_share_warning:
        return Cause(Reason.HOT_ROW, 0, first_values=first_values)
    if max(stream.append_part, stream.prepend_part) >= limits.hot_share_min:
        rising = stream.append_part >= stream.prepend_part
        return Cause(Reason.MOVING_HOT_SPOT, 0, rising, first_values)
    if (stream.share or 0.0) >= limits.hot_share_min:
        # One range takes the load, and none of its rows is hot. A boundary inside the range would
        return Cause(Reason.MOVING_HOT_SPOT, 0, first_values=first_values, roves=True)
    return Cause(Reason.UNISOLATABLE_HOT_ROW, 0, first_values=first_values)


def _first_ordered_part(encoded_parts: Sequence[tuple[bytes, ...]]) -> tuple[int, float] | None:
    """Return the first key part that follows the order of arrival, and its rank correlation."""
    for part in range(len(encoded_parts[0]) if encoded_parts else 0):
        groups: dict[tuple[bytes, ...], list[bytes]] = defaultdict(list)
        for key in encoded_parts:
            groups[key[:part]].append(key[part])
        large = [values for values in groups.values() if len(values) >= GROUP_MIN]
        grouped = sum(map(len, large))
        if grouped < max(GROUP_MIN, GROUPED_PART_MIN * len(encoded_parts)):
            return None
        rho = sum(rank_correlation(values) * len(values) for values in large) / grouped
        if abs(rho) >= FOLLOWS_RHO_MIN:
            return part, rho
    return None
