"""The facade that frontends and the public API see: instances, databases, sessions, statements.

In reading order: `instances` (the catalog of everything an emulator holds), `instance` (one
instance as data), `administration` (admin calls that leave an operation behind), `operations`
(long-running operations), `ddl_actions`, `filters` (of list calls), `database` (one database), `sessions`, `options` (what a caller asks
of a transaction, as plain data), `transaction` (a handle on one transaction), `query_engine`
(text to rows, with the plan cache), `results` (rows on their way out), `physical` (the layout
printed), `errors`.
"""
