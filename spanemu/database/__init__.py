"""One database: what its sessions ask of it, in transactions, statements and reads.

In reading order: `environment`, `core` and `generation` (what the parts of a database share),
`database`; `options` (what a caller asks, as plain data), `sessions`, `session`, `transactions` (by
id), `handle` (what any of them can do) with its kinds `snapshot`, `read_write` and
`partitioned_dml`; `timestamps`, `reads`, `query_engine`, `dml`, `context`, `system_tables`;
`pending`, `replay`, `precommit`, `partitions`; `results` (rows on their way out), `activity` and
`statistics` (what ran), `splitting` and its kin (which rows are served together), `content` (what a
backup has of it), `physical` (the layout printed), `filters` (of list calls), and `errors`.

What there is besides one database, its instance, its backups, other databases, is
`spanemu.admin`.
"""
