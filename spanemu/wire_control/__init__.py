"""The control of an emulator in another process, through the service spanemu.v1.Control.

In reading order: `calls` (one operation), `clock`, `faults`, `recording`, `hotspots`, `splits`:
the remote counterparts of the modules in `control`.
"""
