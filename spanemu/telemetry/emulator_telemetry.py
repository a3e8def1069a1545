"""The telemetry of an emulator in this process. Each part starts when it is first used."""

from __future__ import annotations

from typing import Any, TextIO

from spanemu.admin.instances import Instances
from spanemu.frontend.dispatch import Endpoints
from spanemu.telemetry import tracing
from spanemu.telemetry.metrics import Metrics
from spanemu.telemetry.observer import RequestObserver
from spanemu.telemetry.request_log import LineWriter, RequestRing


class EmulatorTelemetry:
    """The request log, the metrics and the traces of an emulator."""

    def __init__(self, endpoints: Endpoints, instances: Instances) -> None:
        self._observer = RequestObserver(endpoints.watchers, instances)
        self.request_log = RequestRing(self._observer)
        self.metrics = Metrics(self._observer, instances)

    def log_to(self, stream: TextIO, format_: str, slow_seconds: float) -> None:
        """Write a line for each request that takes at least `slow_seconds`, and keep the latest."""
        self._observer.add(LineWriter(stream, format_, slow_seconds))
        self.request_log.start()

    def trace_with(self, provider: Any) -> None:
        """Make a span for each request with a `TracerProvider` of OpenTelemetry."""
        self._observer.add(tracing.SpanSink(provider))
