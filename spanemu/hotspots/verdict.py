"""What a stream's figures come to: hot, worth a warning, fine, or too little to say.

    A    the fullest bucket holds half of the writes, beyond doubt
    B    rows arrive in the order of their keys
    V    keys are ids that begin with the time             (judged with `identifiers`)
    F    behind one or two values, keys follow the order of writing    (judged with `cause`)
    row  one row takes much of the updates

Deletes are never hot: they follow what was inserted. A row that is inserted again and again is
worth a warning only: locks are kept like that, and so are the fixtures of tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spanemu.hotspots.identifiers import IdFormatMatch
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.tree_load import Kind


class Level(StrEnum):
    """How a stream is judged."""

    HOT = "hot"
    WARN = "warn"
    OK = "ok"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A level, and the tests that spoke for it."""

    level: Level
    because: tuple[str, ...] = ()


def judge(
    kind: Kind,
    stream: Summary,
    identified: IdFormatMatch | None = None,
    limits: Thresholds = THRESHOLDS,
) -> Verdict:
    """The verdict on one stream."""
    enough = stream.commits >= limits.judged_min
    if kind is Kind.DELETE:
        return Verdict(Level.OK if enough else Level.INSUFFICIENT)
    hot = tuple(
        name
        for name, speaks in (
            ("A", enough and _is_full(stream, limits)),
            (
                "B",
                stream.commits >= limits.ordered_min and abs(stream.rho) >= limits.ordered_rho_min,
            ),
            ("V", kind is Kind.INSERT and identified is not None),
            ("row", _row_share(kind, stream, limits) >= limits.row_share_hot),
        )
        if speaks
    )
    if hot == ("A",) and kind is Kind.INSERT and stream.top_row_share >= limits.row_share_hot:
        return Verdict(Level.WARN, ("row",))
    if hot:
        return Verdict(Level.HOT, hot)
    if _row_share(kind, stream, limits) >= limits.row_share_warned:
        return Verdict(Level.WARN, ("row",))
    if stream.commits >= limits.warned_min and stream.share is not None:
        floor = stream.share - stream.share_error
        if stream.share >= limits.warned_share_min and floor >= limits.warned_floor:
            return Verdict(Level.WARN, ("share",))
    return Verdict(Level.OK if enough else Level.INSUFFICIENT)


def _is_full(stream: Summary, limits: Thresholds) -> bool:
    if stream.share is None:
        return False
    return stream.share - 2 * stream.share_error >= limits.hot_share_min


def _row_share(kind: Kind, stream: Summary, limits: Thresholds) -> float:
    """The part of updates or reads that one row takes, when there are enough of them."""
    if kind not in (Kind.UPDATE, Kind.READ) or stream.top_row_count < limits.row_updates_min:
        return 0.0
    return stream.top_row_share
