"""The admin APIs: instance configs, instances, databases, schemas, long-running operations.

In reading order: `methods` (the tables of every RPC); the handlers, in `instances`,
`instance_configs`, `instance_partitions`, `databases`, `backups`, `backup_schedules`, `operations`,
`policies`; `resources` and `operation_messages` (what there is, as messages), `encryption` and
`descriptors` (what a request describes), `wire` (the message classes).
"""
