"""One database: what its sessions ask of it, in transactions, statements and reads.

In reading order: `environment`, `core` and `generation` (what the parts of a database share),
`database`, `options` (what a caller asks, as plain data), then the packages `sessions`,
`transactions` and `statements`, the way of every request. `splits` and `physical` (which rows are
served together, and the layout printed), `system_tables`, `activity` and `statistics` (what ran),
`restore_point` (what a test goes back to), `own_time` (the clock it goes by), `content` (what a
backup has of it), `row_deletion` (TTL), `drop_protection`, `encryption` (names of keys),
`named_rows` and `lock_text` (rows and locks in words), `filters` (of list calls), and `errors`.

What there is besides one database, its instance, its backups, other databases, is
`spanemu.admin`.
"""
