"""What a test does to an emulator besides using it: faults, and the clock (DESIGN D11).

In reading order: `where` (which RPCs a fault meets), `effects` (what it does to one), `fault`
(when it strikes), `faults` (the API), `clock`, `hotspots`.
"""
