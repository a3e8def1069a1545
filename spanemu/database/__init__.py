"""A single database: its sessions, transactions, statements and reads.

In reading order: `core` and `generation` (shared by all parts of a database), `database`,
`schema_changes` (and what they may not drop), `instance_rules` (what the instance offers),
`options` (requests as plain data), then the packages `sessions`, `transactions` and `statements`,
which every request passes. `splits` and `physical` (groups of rows served together, and the
physical layout as text), `held_lock` (locks as text), `change_streams` (their partitions),
`system_tables`, `activity` and `statistics` (recorded and aggregated requests), `gauges` (the
present state as numbers), `content` (snapshots, and the content of backups), `database_time` (the
clock of a database, and TTL), `encryption` (names of keys), `filters` (of List calls),
`sql_failures` (PostgreSQL's codes of failures), and `errors`.

Instances, backups and the set of databases are in `spanemu.admin`.
"""
