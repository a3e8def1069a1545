"""The control operations of an emulator in this process: their names, and how they are made.

The modules of the operations (`operations`) are imported when the first of them is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from spanemu.admin.instances import Instances
from spanemu.base.deferred import Once, deferred
from spanemu.base.resource_names import DatabaseName
from spanemu.config import EmulatorConfig
from spanemu.control.emulator import LocalEmulator
from spanemu.frontend.control import control_access, control_service, typed_control_service
from spanemu.frontend.dispatch import Endpoints, Service

if TYPE_CHECKING:
    from spanemu.api import operations
    from spanemu.control import dispatch, recorder
    from spanemu.control import hotspots as hotspot_control
    from spanemu.frontend import interception
else:
    operations = deferred("spanemu.api.operations")
    dispatch = deferred("spanemu.control.dispatch")
    hotspot_control = deferred("spanemu.control.hotspots")
    recorder = deferred("spanemu.control.recorder")
    interception = deferred("spanemu.frontend.interception")

OPERATIONS = (
    "GetEmulator", "ResetEmulator",
    "Snapshot", "Restore", "Forget", "Settle", "Clone", "OpenTransactions", "AbortTransactions",
    "AbortTransaction", "Lint", "Layout", "ListSnapshots", "Dump", "Load",
    "GetClock", "SetClock", "AdvanceClock", "FreezeClock", "ThawClock", "ResetClock", "AutoClock",
    "RunTtl", "ExpireVersions", "LastCommit",
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


def dispatcher_of(
    emulator: LocalEmulator, endpoints: Endpoints, **own: Any
) -> Callable[[], dispatch.Dispatcher]:
    """Return the operations that other processes call; `own` are more fields of `EmulatorParts`."""
    recorders = partial(recorder_of, emulator.instances, endpoints)
    watched = partial(hotspots_of, emulator.instances)

    def dispatcher_of_parts() -> dispatch.Dispatcher:
        parts = operations.EmulatorParts(emulator, recorder=recorders, hotspots=watched, **own)
        return operations.dispatcher_of(parts)

    return Once(dispatcher_of_parts)


def services_for_processes(
    control: Callable[[], dispatch.Dispatcher], config: EmulatorConfig
) -> tuple[Service, Service]:
    """Return the services for other processes, with plain and with typed messages.

    They hold no emulator.
    """
    access = control_access(config.remote_control)

    def perform(name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        return control().perform(name, given)

    return (
        control_service(OPERATIONS, perform, access),
        typed_control_service(OPERATIONS, perform, access),
    )


def recorder_of(instances: Instances, endpoints: Endpoints, name: str) -> recorder.EmbeddedRecorder:
    """Return a recorder of the database `name`."""
    return recorder.EmbeddedRecorder(
        name,
        lambda method, request: interception.InterceptedRequest(method, request, instances),
        endpoints.watchers,
    )


def hotspots_of(instances: Instances, name: str) -> hotspot_control.Hotspots:
    """Return the hotspots of the database `name`."""
    parent = str(DatabaseName.parse(name).parent)
    return hotspot_control.Hotspots(instances.database(name), instances.instance(parent).node_count)
