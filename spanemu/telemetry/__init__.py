"""What an emulator reports of the requests that it serves.

In reading order: `observer` (watches RPCs while anybody asks), `request_log` (a request as an entry
and as a line, and the latest requests), `tracing` (spans of OpenTelemetry), `metrics` (what is
counted and measured, in the text format of Prometheus), `emulator_telemetry` (all of these for an
emulator).
"""
