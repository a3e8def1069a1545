"""What ran in a database, added up as the "Introspection" pages of Spanner's documentation say.

In reading order: `intervals` (which records belong to which row), `distribution` (histograms),
`touched` (which columns a statement, a read or a mutation has to do with), `weight` and `written`
(bytes), then one module for a family of tables: `queries`, `reads`, `transactions`, `locks`,
`operations`, and `running`.

Everything here is done when somebody looks, over what `database.activity` and `txn.lock_log`
noted. Rows are mappings from column names; columns that are not named are NULL.
"""
