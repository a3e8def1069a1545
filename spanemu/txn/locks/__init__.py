"""Locks on cells: which transactions may read and write a row now, and which must wait.

In reading order: `modes` (which cells a lock covers), `holder` (a transaction as the lock table
sees it, with its lifecycle), `key_range_sets` (sets of locked keys and ranges), `waits` (lock
requests, who waits for whom, and the log of waits for the statistics), `lines` (the order of those
that wait), `idle_watch` (holders whose clients are silent), `table` (the wound-wait rules).
"""
