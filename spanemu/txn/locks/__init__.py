"""Locks of cells: who may read and write what now, and who waits for whom.

In reading order: `modes` (what a lock covers), `update_lock` (which cells an update reads and
writes), `owner` (a transaction as the table sees it), `key_range_sets`, `table` (the rules of
wound-wait), `waits` (how long until another look), `log` (who waited, for the statistics).

Modules: `holder`.
"""
