"""Control of an emulator by a test: snapshots, clock, faults, recordings, hotspots, splits.

In reading order: `operation` (declares operations); the interfaces, each with its implementation
for an emulator in this process: `emulator`, `databases`, `clock`, `splits`, `change_streams`,
`hotspots` and `hotspot_watch`, `recording` and `recorder`, `request_log`, `explorations`, `faults`
with `effects` (the effects on an RPC), `fault` (an installed fault) and `injector` (the faults of
an emulator), `models`.
`remote` derives all interfaces for an emulator in another process, where `dispatch` serves them.
"""
