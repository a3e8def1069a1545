"""The options of `spanemu serve` for logs, metrics and traces of requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import click

from spanemu.config import LOG_FORMATS

TEXT, OFF = "text", "off"
_WORDS = {"1": TEXT, "true": TEXT, "yes": TEXT, "0": OFF, "false": OFF, "no": OFF}


class LogFormat(click.types.StringParamType):
    """The form of the request log; a variable may also say true or false."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one of the forms, or OFF. Raises click.BadParameter."""
        chosen = _WORDS.get(str(value).lower(), value)
        if chosen not in (*LOG_FORMATS, OFF):
            self.fail(f"{value!r} is not one of {', '.join(LOG_FORMATS)} and {OFF}.", param, ctx)
        return chosen


class TelemetryOptions(TypedDict):
    """The values of the options, by click's parameter names."""

    log_requests: str | None
    log_slow_ms: float | None
    metrics: bool
    trace_requests: bool


class TelemetryConfig(TypedDict):
    """The fields of EmulatorConfig that the options set."""

    log_requests: str | None
    log_slow_seconds: float
    metrics: bool
    tracer_provider: Any


_OPTIONS = (
    click.option(
        "--log-requests",
        type=LogFormat(),
        is_flag=False,
        flag_value=TEXT,
        metavar="[=json]",
        help="Write a line for each request to standard error, as text or as JSON.",
    ),
    click.option(
        "--log-slow-ms",
        type=click.FloatRange(min=0),
        metavar="MS",
        help="Log only the requests that take at least so many milliseconds.",
    ),
    click.option(
        "--metrics",
        is_flag=True,
        help="Count requests for /metrics from the start, not from the first scrape on.",
    ),
    click.option(
        "--trace-requests",
        is_flag=True,
        help="Send OpenTelemetry traces by OTLP, where OTEL_EXPORTER_OTLP_ENDPOINT says.",
    ),
)


def telemetry_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def telemetry_config(given: TelemetryOptions) -> TelemetryConfig:
    """Return the fields of the configuration that the options set."""
    form, slow_ms = given["log_requests"], given["log_slow_ms"]
    if form is None and slow_ms is not None:
        form = TEXT
    return TelemetryConfig(
        log_requests=None if form == OFF else form,
        log_slow_seconds=(slow_ms or 0.0) / 1000,
        metrics=given["metrics"],
        tracer_provider=_exporting_provider() if given["trace_requests"] else None,
    )


def _exporting_provider() -> Any:
    """Return the source of spans that sends them. Raises click.UsageError."""
    from spanemu.telemetry import tracing

    try:
        return tracing.exporting_provider()
    except tracing.ExporterMissing as problem:
        raise click.UsageError(str(problem)) from problem
