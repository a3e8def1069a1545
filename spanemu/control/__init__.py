"""What a test does to an emulator besides using it: faults, clock, hotspots, splits, recordings.

In reading order: `where` (which RPCs a fault meets), `effects` (what it does to one), `fault` (when
it strikes), `attempts` (the first one of a transaction), `faults` (the API); `clock` and
`following` (Python's time), `hotspots`, `ignored` (their findings), `splits`, `recording` and
`recorder` (who fills it); `operations` (all of it as operations on plain data), `errors`.
"""
