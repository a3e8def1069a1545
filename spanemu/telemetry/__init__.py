"""What an emulator reports of the requests that it serves.

In reading order: `observer` (watches RPCs while anybody asks), `entries` (a request as an entry of
the log), `lines` (an entry as a line), `request_ring` (the latest requests), `exposition` (the text
format of Prometheus), `tracing` (spans of OpenTelemetry), `metrics` (what is counted and measured),
`emulator_telemetry` (all of these for an emulator).
"""
