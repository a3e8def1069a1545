"""Traces of OpenTelemetry: a span for each request, below the span of the client if it is known.

A client sends its span in the header `traceparent`, as Google's clients do with end-to-end tracing.
A client of the embedded channel calls on its own thread, where its span is the current span.
Attributes have the names of OpenTelemetry's conventions, and those of Google's clients beside them.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.errors import Code
from spanemu.frontend.dispatch import ServedCall
from spanemu.telemetry.observer import FinishedRequest
from spanemu.telemetry.request_log import SQL_CHARACTERS_MAX, one_line, sql_of

_TRACE_HEADERS = ("traceparent", "tracestate")
_PROPAGATOR = TraceContextTextMapPropagator()


class SpanSink:
    """A sink that makes a span of each request, with a `TracerProvider`."""

    def __init__(self, provider: Any) -> None:
        self._tracer = trace.get_tracer("spanemu", version("spanemu"), tracer_provider=provider)

    def __call__(self, finished: FinishedRequest, call: ServedCall) -> None:
        """Record the span of a request."""
        span = self._tracer.start_span(
            finished.path.removeprefix("/"),
            context=_parent(call),
            kind=SpanKind.SERVER,
            attributes=attributes_of(finished),
            start_time=finished.at,
        )
        if finished.code is not Code.OK:
            span.set_status(Status(StatusCode.ERROR, finished.message))
        span.end(finished.at + round(finished.seconds * NANOS_PER_SECOND))


def _parent(call: ServedCall) -> Any:
    """Return the context with the client's span; None for the current context of the thread."""
    sent = {key: str(value) for key, value in call.metadata if key in _TRACE_HEADERS}
    return _PROPAGATOR.extract(sent) if sent else None


def attributes_of(finished: FinishedRequest) -> dict[str, str | int | float]:
    """Return the attributes of the span of a request."""
    service, _, method = finished.path.removeprefix("/").rpartition("/")
    attributes: dict[str, str | int | float] = {
        "rpc.system": "grpc",
        "rpc.service": service,
        "rpc.method": method,
        "rpc.grpc.status_code": int(finished.code),
        "gcp.client.service": "spanner",
        "spanemu.transport": finished.transport,
    }
    rpc = finished.rpc
    if rpc is None:
        return attributes
    sql = one_line(sql_of(rpc), SQL_CHARACTERS_MAX)
    optional: dict[str, str | int | float] = {
        "db.namespace": rpc.database,
        "db.instance": rpc.database,
        "gcp.resource.name": rpc.database and f"//spanner.googleapis.com/{rpc.database}",
        "db.query.text": sql,
        "db.statement": sql,
        "request.tag": rpc.request_tag,
        "transaction.tag": rpc.transaction_tag,
        "db.response.returned_rows": finished.rows,
        "spanemu.mutations": finished.mutations,
        "spanemu.lock_wait_seconds": finished.lock_wait_seconds,
    }
    attributes |= {"db.system.name": "gcp.spanner", "db.type": "spanner"}
    return attributes | {name: each for name, each in optional.items() if each}


class ExporterMissing(Exception):
    """The package that sends traces is not installed."""


def exporting_provider() -> Any:
    """Return a `TracerProvider` that sends spans by OTLP, as the variables OTEL_... say.

    Raises ExporterMissing.
    """
    # Imported here, because users with a provider of their own need neither.
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as problem:
        raise ExporterMissing("traces need a package: pip install 'spanemu[otel]'") from problem
    about = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "spanemu"}
    about["service.version"] = version("spanemu")
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
