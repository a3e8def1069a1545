"""The admin APIs: instance configs, instances, databases, schemas, long-running operations.

The handlers are in `instances` (configurations and partitions included), `databases`, `backups`
(schedules included), `operations` (with their metadata) and `policies`; `frontend.services` lists
them. `resources` has resources and encryption as messages.
"""
