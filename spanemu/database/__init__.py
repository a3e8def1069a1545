"""The facade that frontends and the public API see: instances, databases, sessions, statements.

In reading order: `instances` (the catalog of everything an emulator holds), `instance` (one
instance as data), `administration` (admin calls that leave an operation behind), `operations`
and `ddl_actions` (what became of them), `filters` (of list calls); `environment`, `core` and
`generation` (what the parts of a database share), `database`; `options` (what a caller asks, as
plain data), `sessions`, `session`, `transactions` (by id), `handle` (what any of them can do) with
its kinds `snapshot`, `read_write` and `partitioned_dml`; `timestamps`, `reads`, `query_engine`,
`dml`, `context`, `system_tables`; `pending`, `replay`, `precommit`, `partitions`; `results` (rows
on their way out), `physical` (the layout printed), `errors`.
"""
