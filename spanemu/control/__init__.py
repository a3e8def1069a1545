"""Control of an emulator by a test: faults, clock, hotspots, splits, recordings.

In reading order: `where` (which RPCs a fault matches), `effects` (what a fault does to an RPC),
`fault` (when a fault strikes), `faults` (the API); `clock` and `following` (Python's time),
`hotspots`, `ignored` (findings that a test excludes), `splits`, `recording` and `recorder` (which
fills a recording); `operations` (all of this as operations on plain data), `errors`.
"""
