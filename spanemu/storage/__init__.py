"""Versioned rows in one interleaved key space.

In reading order: `versions` (the history of one row), `layout` (where a row of a table or an
index lies: parent before child), `splits` (the containers that tile a hierarchy), `undo` (what a
restore takes back), `store` (reading at a timestamp, applying a commit, snapshots and clones),
`observer` (who is told of commits).
"""
