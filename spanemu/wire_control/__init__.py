"""What a test does to an emulator in another process, by the service spanemu.v1.Control.

In reading order: `calls` (one operation), `clock`, `faults`, `recording`, `hotspots`, `splits`: the
same things as in `control`, asked for over the wire.
"""
