"""Aggregated statistics of requests, as the "Introspection" pages of Spanner's documentation
define.

In reading order: `aggregator` (takes the records, and makes the sums on first use), `sums` (the
sums by the minute), `cells` (sums over similar records, and histograms), `period` (the costliest
cells, and the rest), `column_accesses` (the columns of statements, reads and mutations), `weight`
(bytes), then a module for each family of tables: `queries` (and reads, finished and running),
`transactions` (and their locks), and `operations`.

`database.activity` and `txn.locks.waits` record events; the aggregator takes the records from them.
Rows are mappings from column names; columns without a name in the mapping are NULL.
"""
