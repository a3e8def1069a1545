"""Random requests to every RPC: none may end in UNKNOWN or INTERNAL, hang, or touch other data.

    python -m tests.fuzz --calls 20000 --seed 7

In reading order: `corpus` (strings, statements, literals), `calls` (of every function),
`statements` (SQL and DDL text), `mutation` (messages by reflection), `world` (the emulator under
test), `valid` and `administration` (requests that succeed), `campaign` (the loop and its
invariants), `__main__` (the command).
"""
