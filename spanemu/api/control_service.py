"""The control service of an emulator in this process; its operations are imported on first use."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spanemu.admin.instances import Instances
from spanemu.base.deferred import Once, deferred
from spanemu.base.resource_names import DatabaseName
from spanemu.control.recorder import EmbeddedRecorder
from spanemu.frontend.control import control_service
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.interception import InterceptedRequest
from spanemu.frontend.method import Service

if TYPE_CHECKING:
    from spanemu.api import operations
    from spanemu.control.hotspots import Hotspots
else:
    operations = deferred("spanemu.api.operations")

# The operations of `spanemu.api.operations`, which is imported when the first of them is requested.
OPERATIONS = (
    "Snapshot", "Restore", "Forget", "Settle", "Clone", "OpenTransactions", "AbortTransactions",
    "Layout",
    "GetClock", "AdvanceClock", "FreezeClock", "ThawClock", "ResetClock", "AutoClock", "RunTtl",
    "ExpireVersions", "LastCommit",
    "AddFault", "ExpectFault", "GetFault", "ListFaults", "RemoveFault", "ClearFaults",
    "ListSplits", "FindSplit", "SplitAt", "MergeAt", "MoveSplit", "SplitSettings", "FollowLoad",
    "PassMinutes",
    "ListChangeStreams", "ReadChangeStream", "ChangeStreamPosition", "ChurnChangeStream",
    "SplitChangeStream", "MergeChangeStream",
    "StartRecording", "PollRecording", "StopRecording",
    "StartHotspots", "ReportHotspots", "ResetHotspots", "StopHotspots", "PauseHotspots",
    "WatchHotspots", "ReportWatch", "StopWatch", "SplitStats", "Simulate", "Heatmap",
    "Requests", "Save",
)  # fmt: skip


def service_for_processes(instances: Instances, endpoints: Endpoints, **own: Any) -> Service:
    """Return the service for other processes; `own` are further fields of its `EmulatorParts`."""

    def dispatcher_of_parts() -> Any:
        recorder, hotspots = (
            partial(recorder_of, instances, endpoints),
            partial(hotspots_of, instances),
        )
        parts = operations.EmulatorParts(recorder=recorder, hotspots=hotspots, **own)
        return operations.dispatcher_of(instances, parts)

    dispatcher = Once(dispatcher_of_parts)
    return control_service(OPERATIONS, lambda name, given: dispatcher().perform(name, given))


def recorder_of(instances: Instances, endpoints: Endpoints, name: str) -> EmbeddedRecorder:
    """Return the recorder of a database, given by its full name."""
    return EmbeddedRecorder(
        name,
        lambda method, request: InterceptedRequest(method, request, instances),
        endpoints.watchers,
    )


def hotspots_of(instances: Instances, name: str) -> Hotspots:
    """Return the hotspots of a database, given by its full name."""
    from spanemu.control.hotspots import Hotspots

    parent = str(DatabaseName.parse(name).parent)
    return Hotspots(instances.database(name), instances.instance(parent).node_count)
