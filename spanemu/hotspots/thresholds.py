"""Every constant of the detector; the page docs/hotspots.md describes the origin of each constant.

Spanner publishes no rule by which it splits. The constants belong to a model of the structure of a
load: the model says that a stream of writes cannot spread, at any rate.
"""

from __future__ import annotations

from spanemu.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The constants. Units are commits; shares are parts of 1."""

    buckets: int = 8  # K: servers that the writes could use
    windows: tuple[int, ...] = (16, 32, 64, 128)  # commits; each divides the last
    windows_min: int = 6  # windows of one length, below which their mean does not count
    recheck_share_min: float = 0.35  # mean of the windows, above which halves are measured as well
    confirmed_share_min: float = 0.65  # mean of the halves, above which they confirm the windows
    neighbour_distance_min: int = 12  # commits between neighbours in key order, ninth decile
    samples_max: int = 256  # keys kept for their order of arrival
    rows_max: int = 128  # rows observed as possibly hot
    trace_commits_max: int = 200_000  # kept for simulations and heatmaps
    trace_events_max: int = 100_000  # reads by key, and conflicts, kept for heatmaps

    verdict_commits_min: int = 100  # A: below it about one in a hundred verdicts would be false
    hot_share_min: float = 0.50  # A: the load never occupies more than two servers
    ordered_commits_min: int = 30  # B
    ordered_rho_min: float = 0.90  # B: the order of arrival is the order of keys
    id_values_min: int = 5  # V: values that decode
    id_values_part_min: float = 0.80  # V: part of them near the time of their commit
    trend_errors_min: float = 2.33  # V, for timestamps: rho in units of its standard error
    warning_commits_min: int = 200
    warning_share_min: float = 0.35
    warning_share_floor: float = 0.30  # mean less its standard error

    row_updates_min: int = 20
    row_share_warning: float = 0.30
    row_share_hot: float = 0.50
    row_of_bucket_min: float = 0.90  # part of a hot bucket on one row

    bulk_rows_min: int = 20  # rows of a commit that belongs to a bulk load
    bulk_part_min: float = 0.50  # part of the commits that belong to a bulk load
    few_tenants_max: int = 2
    alternating_share_max: float = 0.25  # part of the commits of one of several alternating writers
    alternating_repeat_min: float = 2.0  # commits of the same writer in a row, relative to chance
    parent_share_warning: float = 0.30
    prefix_share_warning: float = 0.50
    skew_min: float = 2.0  # multiple of an even part that a parent or prefix must take

    scans_min: int = 20  # large scans
    scan_rows_min: int = 100  # of a large scan
    scanned_part_min: float = 0.50  # part of a tree's rows in one scan, and of its scans
    scanned_writes_min: int = 20  # commits to the scanned tree: without writes nothing is split

    conflicts_min: int = 5
    conflict_row_share_min: float = 0.50

    participants_commits_max: int = 2_000  # commits whose participants are counted
    participants_min: float = 5.0  # mean
    commit_rows_max: int = 40_000  # rows and index entries of one commit: half of the limit
    reads_min: int = 20  # of a table, before an index counts as never read; of one query
    tree_bytes_warning: int = 3 << 30  # of a root row with its descendants
    tree_bytes_max: int = 8 << 30
    null_part_min: float = 0.50

    server_writes_max: int = 3500  # a second, of 1 KB rows (Spanner's page on games)


THRESHOLDS = Thresholds()
