"""Every constant of the detector, in one place; the page docs/hotspots.md has where they come from.

Spanner publishes no rule by which it splits. What is here is a model, and what it says is about
structure: that a stream of writes cannot be spread, whatever the rate.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Units are commits. Shares are parts of one."""

    buckets: int = 8  # K: servers that the writes could use
    windows: tuple[int, ...] = (16, 32, 64, 128)  # commits; each divides the last
    windows_min: int = 6  # of a length, before its mean counts for something
    doubted_share_min: float = 0.35  # of windows: above it the halves are asked as well,
    undoubted_share_min: float = 0.65  # of halves: they agree then
    apart_min: int = 12  # commits between neighbours in the key, of one in ten
    samples_max: int = 256  # keys kept for the order of arrival
    rows_max: int = 128  # rows followed for being hot
    trace_commits_max: int = 200_000  # kept for simulations and heatmaps
    trace_touches_max: int = 100_000  # reads by key, and conflicts, kept for heatmaps

    judged_min: int = 100  # A: below it about one in a hundred verdicts would be false
    hot_share_min: float = 0.50  # A: no more than two servers are ever of use
    ordered_min: int = 30  # B
    ordered_rho_min: float = 0.90  # B: the order of arrival is the order of keys
    identified_min: int = 5  # V: values that decode
    identified_part_min: float = 0.80  # V: of them near the time of their commit
    trend_errors_min: float = 2.33  # V, of times: rho in its standard errors
    warned_min: int = 200
    warned_share_min: float = 0.35
    warned_floor: float = 0.30  # of the mean less its standard error

    row_updates_min: int = 20
    row_share_warned: float = 0.30
    row_share_hot: float = 0.50
    row_of_bucket_min: float = 0.90  # a hot bucket that is one row

    bulk_rows_min: int = 20  # rows of a commit that is part of a load
    bulk_part_min: float = 0.50  # of the commits
    tenants_few_max: int = 2
    in_turn_share_max: float = 0.25  # of the commits for one of those who write in turn,
    in_turn_min: float = 2.0  # times as often as by chance the next commit is of the same one
    parent_share_warned: float = 0.30
    prefix_share_warned: float = 0.50
    skew_min: float = 2.0  # times its even part that a parent or prefix must take

    scans_min: int = 20  # large ones
    scan_rows_min: int = 100  # of a large scan
    contained_part_min: float = 0.50  # of a tree's rows in one scan, and of its scans
    scanned_writes_min: int = 20  # commits to what is scanned: else nothing would be split

    conflicts_min: int = 5
    conflict_row_share_min: float = 0.50

    trace_judged_max: int = 2_000  # commits that participants are counted in
    participants_min: float = 5.0  # mean
    commit_rows_max: int = 40_000  # rows of one commit, index entries too: half of the limit
    reads_min: int = 20  # of a table, before an index counts as never read; of a query's shape
    tree_bytes_warned: int = 3 << 30  # of a root row with all below it
    tree_bytes_max: int = 8 << 30
    null_part_min: float = 0.50

    server_writes_max: int = 3500  # a second, 1 KB rows (Spanner's page on games)


THRESHOLDS = Thresholds()
