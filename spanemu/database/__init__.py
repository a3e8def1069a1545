"""The facade that frontends and the public API see: instances, databases, sessions, statements.

In reading order: `instances` (the catalog of everything an emulator holds), `named` (what catalogs
are made of), `instance`, `instance_config`, `instance_partition`, `autoscaling`, `backup`,
`backups`, `backup_schedule`, `cron` (what it holds, as data with its rules), `content` (what a
backup has of a database); `administration`, `instance_administration`, `backup_administration` and
`backup_runs` (admin calls, and what happens on time), `operations`, `operation_kinds` and
`ddl_actions` (what became of them), `filters` (of list calls); `environment`, `core` and
`generation` (what the parts of a database share), `database`; `options` (what a caller asks, as
plain data), `sessions`, `session`, `transactions` (by id), `handle` (what any of them can do) with
its kinds `snapshot`, `read_write` and `partitioned_dml`; `timestamps`, `reads`, `query_engine`,
`dml`, `context`, `system_tables`; `pending`, `replay`, `precommit`, `partitions`; `results` (rows
on their way out), `physical` (the layout printed), `errors` and `admin_errors`.
"""
