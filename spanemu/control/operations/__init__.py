"""What a test does to an emulator, as operations that take and give plain data.

In reading order: `table` (every operation by name), `arguments` (how theirs are read), `control`
(what they work on), `held` (what clients refer to by an id); `databases`, `clock`, `faults`,
`recordings`, `hotspots`, `splits`: the operations.
"""
