"""The servers of an emulator in this process, and the control operations that they offer.

The servers outlive a garbage-collected handle. The modules of the operations (`operations`) are
imported when the first of them is requested.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from spanemu.admin.instances import Instances
from spanemu.api import operations, tls
from spanemu.api.saving import keeper as keeping
from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.collector import Hold
from spanemu.base.deferred import Once
from spanemu.base.record import NamedTuple
from spanemu.base.resource_names import DatabaseName
from spanemu.config import GRPCIO, EmulatorConfig, HostPort
from spanemu.console import site as console
from spanemu.control import dispatch, recorder
from spanemu.control import hotspots as hotspot_control
from spanemu.control.emulator import LocalEmulator
from spanemu.database import change_streams as streams
from spanemu.frontend import interception
from spanemu.frontend import server as grpcio
from spanemu.frontend.control import control_access, control_service, typed_control_service
from spanemu.frontend.dispatch import Endpoints, Service
from spanemu.frontend.embedded import EmbeddedRegistry
from spanemu.http2 import server as http2
from spanemu.models import registry as model_registry
from spanemu.rest import control as rest_control
from spanemu.rest import exchange
from spanemu.rest import server as rest

if TYPE_CHECKING:
    from spanemu.telemetry.emulator_telemetry import EmulatorTelemetry

METRICS_PATH = "/metrics"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# The registry is shared by all emulators of this process, which may end in any order.
_EMBEDDED = EmbeddedRegistry()


class Served(NamedTuple):
    """The parts that servers call, or that end with them."""

    endpoints: Endpoints
    control: Callable[[], dispatch.Dispatcher]
    telemetry: Callable[[], EmulatorTelemetry]
    models: Once[model_registry.ModelRegistry]
    hold: Hold | None = None


class Running:
    """The servers and the catalog of an emulator, from the constructor until `stop`.

    Raises CannotListen. `rest_address` is None without REST, `keeper` without a state on disk.
    """

    rest_address: HostPort | None = None
    _rest: rest.RestServer | None = None
    _churn: streams.PartitionChurn | None = None

    def __init__(
        self,
        config: EmulatorConfig,
        served: Served,
        instances: Instances,
        keeper: keeping.StateKeeper | None = None,
    ) -> None:
        self._served = served
        self._keeper = keeper
        self._instances = instances
        self._process = os.getpid()
        self._mutex = threading.Lock()  # Guards the field below.
        self._stopped = False
        secure = None
        if config.tls_cert is not None and config.tls_key is not None:
            secure = tls.load_tls(config.tls_cert, config.tls_key)
        port = self._start_grpc(config, secure)
        self.address = replace(HostPort.parse(config.host_port), port=port)
        if config.rest_host_port is not None:
            try:
                self._start_rest(config.rest_host_port, config, secure)
            except BaseException:
                self._server.stop()
                raise
        self._uri = str(self.address.reachable)
        if config.embedded_channel:
            _EMBEDDED.register(self._uri, served.endpoints)
        if (seconds := config.partition_churn_seconds) is not None:
            interval = round(seconds * NANOS_PER_SECOND)
            self._churn = streams.PartitionChurn(instances.all_databases, instances.clock, interval)

    def _start_grpc(self, config: EmulatorConfig, secure: tls.ServerTls | None) -> int:
        """Listen for gRPC, and return the port. Raises CannotListen."""
        self._server: grpcio.Server | http2.Http2Server
        if config.grpc_server == GRPCIO:
            self._server = grpcio.Server(self._served.endpoints)
            credentials = None if secure is None else secure.credentials
            return self._server.start(config.host_port, credentials)
        self._server = http2.Http2Server(self._served.endpoints)
        context = None if secure is None else secure.http2_context
        return self._server.start(config.host_port, context)

    def _start_rest(
        self, host_port: str, config: EmulatorConfig, secure: tls.ServerTls | None
    ) -> None:
        """Listen for REST as well. Raises CannotListen."""
        address = HostPort.parse(host_port)
        names = () if address.host in ("0.0.0.0", "::") else (address.host,)
        self._rest = rest.RestServer(
            self._served.endpoints,
            (*config.allowed_hosts, *names),
            in_network=not address.is_loopback,
            tls=None if secure is None else secure.context,
        )
        if config.console:
            console.add_to(self._rest)
        self._rest.site.add(METRICS_PATH, self._metrics)
        check_peer = control_access(config.remote_control)
        rest_control.add_to(self._rest.site, self._served.control, check_peer)
        self.rest_address = replace(address, port=self._rest.start(address.host, address.port))

    def _metrics(self, request: object) -> exchange.Response:
        """Return the metrics to a Prometheus server."""
        text = self._served.telemetry().metrics.text()
        return exchange.Response(200, METRICS_TYPE, text.encode())

    @property
    def needs_stop(self) -> bool:
        """Return whether the emulator still runs, and in this process."""
        return not self._stopped and self._process == os.getpid()

    def stop(self, *, save: bool = False) -> None:
        """Stop listening, fail the running requests and drop all databases; with `save`, save them.

        Does nothing in a forked child, where stopping the copied gRPC server never returns.
        """
        if self._process != os.getpid():
            return
        with self._mutex:
            if self._stopped:
                return
            self._stopped = True
        _EMBEDDED.unregister(self._uri)
        if self._served.hold is not None:
            self._served.hold.release()
        if self._churn is not None:
            self._churn.stop()
        if self._rest is not None:
            self._rest.stop()
        self._server.stop()
        if self._served.models.made is not None:
            self._served.models.made.close()
        try:
            if save and self._keeper is not None:
                self._keeper.save_all()
        finally:
            # Last, so that no waiting commit succeeds as locks are released.
            self._instances.clear()
            if self._keeper is not None:
                self._keeper.close()


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
    "SetModel", "RemoveModel", "ListModels", "FailModel", "ModelCalls",
    "CountPredictions", "ClearModels",
    "Requests", "Save",
    "StartExploration", "NextRun", "EndActor", "StopExploration",
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
