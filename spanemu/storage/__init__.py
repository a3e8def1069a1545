"""Versioned rows in an interleaved key space.

In reading order: `versions` (the history of one row), `layout` (the trees of tables and indexes,
parent before child, and where a split may begin), `layers` (dictionaries that copies of a tree
share), `leaf` (neighbouring keys of a tree), `locality` (rows near each other in memory), `tree`
(the rows of a tree in one split), `splits` (the splits that tile a hierarchy), `split_map` (all
hierarchies and servers, dropped trees, and estimated sizes), `split_settings` (sizes, loads and
servers of splits), `change_log` (the changes that change streams show), `garbage_collection` (old
versions, snapshots and their undo log), `observer` (the observers of commits and reads), `reads`
(rows at a timestamp), `vector_rows` (rows gathered for searches by vectors), `postings` (from
tokens to documents of search indexes) and `store` (commits, snapshots and clones).
"""
