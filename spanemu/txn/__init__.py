"""Transactions: reads at a snapshot or under locks, buffered writes, constraints, and the commit.

In reading order: `locks` (the lifecycle of a read-write transaction, and wound-wait locks on
cells), `read_only` (reads at one timestamp), `buffer` (writes before the commit), `read_write`
(reads through the buffer and under locks), and `reader` (the row readers of SQL statements).

Then writing: `cells` (the checks and expressions of a column), `rules` (a table's constraints and
their effects, compiled once per schema generation), `write_plan` (how rows with the same columns
are decoded, checked and counted), `key_sets` (key sets of clients as encoded ranges),
`deferred_checks` (what is verified at the end of a statement or commit), `write` (one row with its
parents, cascades and index entries), `bulk_columns` and `bulk_insert` (many new rows at once),
`constraint_checks` (the verification), `change_capture` (the changes that change streams show),
`commit` (all phases, from mutations to rows) and `one_row` (all phases in one step, for a row that
needs none of them).
`errors` and `value_errors` hold the error types.
"""
