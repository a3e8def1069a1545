"""The admin APIs: instance configs, instances, databases, schemas, long-running operations.

In reading order: `methods` (the tables of every RPC); the handlers, in `instances` (configurations
and partitions included), `databases`, `backups` (schedules included), `operations` (with their
metadata) and `policies`; `resources` (resources and encryption as messages), `descriptors`
(protocol buffer types in a request), `wire` (the message classes).
"""
