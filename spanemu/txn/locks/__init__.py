"""Locks on cells: which transactions may read and write a row now, and which must wait.

In reading order: `modes` (which cells a lock covers), `holder` (a transaction as the lock table
sees it, with its lifecycle), `key_range_sets` (sets of locked keys and ranges), `waits` (lock
requests, and the log of waits for the statistics), `table` (the wound-wait rules).
"""
