"""Transactions: what they read, what they lock, and how a commit becomes rows.

In reading order: `state` (the lifecycle), `locks` (who waits for whom), `lock_waits`, `pieces`
(ranges locked one after another), `read_only` (a snapshot), `buffer` (writes not yet committed),
`read_write` (reads through the buffer and under locks), `rules` (a table's constraints and
effects, compiled once per schema generation), `resolve` (mutations to rows), `write_view` (a
transaction as writes need it), `write` (one row
through all rules), `constraints` (what is checked at the end of a statement or commit), `commit`
(the phases), `key_sets`, `values`, `errors`.
"""
