"""What ran in a database, added up as the "Introspection" pages of Spanner's documentation say.

In reading order: `ledger` (records become sums, by the minute), `cells` (what is alike), `period`
(the costliest, and the rest), `touched` (which columns a statement, a read or a mutation has to do
with), `weight` and `written` (bytes), `distribution` (histograms), `intervals`, then one module for
a family of tables: `queries`, `reads`, `transactions`, `locks`, `operations`, and `running`.

`database.activity` and `txn.locks.waits` note what happens; the ledger takes it from them. Rows are
mappings from column names; columns that are not named are NULL.

Modules: `aggregator`, `column_accesses`.
"""
