"""Versioned rows in one interleaved key space.

In reading order: `versions` (the history of one row), `layout` (where a row of a table or an index
lies: parent before child), `boundary` (where a split may begin), `splits` (the containers that tile
a hierarchy), `split_map` (all hierarchies, and servers), `ranges` (of encoded keys), `sizes`,
`undo` (what a restore takes back), `aging` (what will be forgotten), `pins` and `dropped` (what is
kept until then), `store` (reading at a timestamp, applying a commit, snapshots and clones),
`observer` (who is told of commits and of load).

Modules: `garbage_collection`, `split_map`.
"""
