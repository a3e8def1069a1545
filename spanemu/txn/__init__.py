"""Transactions: what they read, what they lock, and how a commit becomes rows.

In reading order: `state` (the lifecycle), `locks` (who waits for whom), `key_sets` (keys and ranges
as clients send them) and `pieces` (ranges locked one after another), `read_only` (a snapshot),
`buffer` (writes not yet committed), `read_write` (reads through the buffer and under locks),
`reader` and `share` (what statements see of it). Then writing: `cells` and `expressions` (what a
column demands), `rules` (a table's constraints and effects, compiled once per schema generation),
`resolve` (mutations to rows), `write_plan` (how rows of one shape are taken in), `mutation_count`
(what writes count for), `write_view` (a
transaction as writes need it), `write` (one row through all rules), `constraints` (what is checked
at the end of a statement or commit), `commit` (the phases); `errors`.

Modules: `constraint_checks`, `deferred_checks`, `key_partition`.
"""
