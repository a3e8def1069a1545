"""The admin APIs: instance configs, instances, databases, schemas, long-running operations.

In reading order: `methods` (the tables of every RPC), `instances`, `databases`, `operations` (the
handlers), `resources` (instances and databases as messages), `wire` (the message classes).
"""
