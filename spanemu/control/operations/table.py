"""Every operation by its name on the wire, which is that of an RPC of spanemu.v1.Control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.serialization import to_plain
from spanemu.control.errors import BadArgument
from spanemu.control.operations import clock, databases, faults, hotspots, recordings, splits
from spanemu.control.operations.arguments import read_arguments
from spanemu.control.operations.control import Control

Operation = Callable[..., dict[str, Any] | None]  # (control, its arguments by name)

OPERATIONS: Mapping[str, Operation] = {
    "Snapshot": databases.snapshot,
    "Restore": databases.restore,
    "Forget": databases.forget,
    "Settle": databases.settle,
    "Clone": databases.clone,
    "Layout": databases.layout,
    "ListSplits": splits.list_splits,
    "SplitSettings": splits.split_settings,
    "SplitAt": splits.split_at,
    "MergeAt": splits.merge_at,
    "FindSplit": splits.find_split,
    "MoveSplit": splits.move_split,
    "FollowLoad": splits.follow_load,
    "PassMinutes": splits.pass_minutes,
    "LastCommit": splits.last_commit,
    "OpenTransactions": databases.open_transactions,
    "AbortTransactions": databases.abort_transactions,
    "GetClock": clock.get_clock,
    "FreezeClock": clock.freeze_clock,
    "ResetClock": clock.reset_clock,
    "ThawClock": clock.thaw_clock,
    "AdvanceClock": clock.advance_clock,
    "AutoClock": clock.auto_clock,
    "RunTtl": clock.run_ttl,
    "ExpireVersions": clock.expire_versions,
    "AddFault": faults.add_fault,
    "ListFaults": faults.list_faults,
    "GetFault": faults.get_fault,
    "ExpectFault": faults.expect_fault,
    "RemoveFault": faults.remove_fault,
    "ClearFaults": faults.clear_faults,
    "StartRecording": recordings.start_recording,
    "PollRecording": recordings.poll_recording,
    "StopRecording": recordings.stop_recording,
    "StartHotspots": hotspots.start_hotspots,
    "ReportHotspots": hotspots.report_hotspots,
    "ResetHotspots": hotspots.reset_hotspots,
    "StopHotspots": hotspots.stop_hotspots,
    "PauseHotspots": hotspots.pause_hotspots,
    "WatchHotspots": hotspots.watch_hotspots,
    "ReportWatch": hotspots.report_watch,
    "StopWatch": hotspots.stop_watch,
    "SplitStats": hotspots.split_stats,
    "Simulate": hotspots.simulate,
    "Heatmap": hotspots.heatmap,
}


def perform(control: Control, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Perform an operation and return its reply as plain data.

    Raises BadArgument where the Python API raises ValueError, and any `SpannerError`.
    """
    operation = OPERATIONS[name]
    try:
        reply = operation(control, **read_arguments(operation, given))
    except (ValueError, OverflowError) as refusal:
        raise BadArgument(str(refusal)) from refusal
    plain: dict[str, Any] = to_plain(reply or {})
    return plain
