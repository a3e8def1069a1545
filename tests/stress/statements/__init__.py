"""Statements that try to take a server down: by size, by product, by nesting, by repetition.

In reading order: `bombs` (the statements, as data), `session` (one bomb after another against a
server), `witness` (another client, in its own process, that measures how long it waits),
`campaign` (all of it, and the verdict).
"""
