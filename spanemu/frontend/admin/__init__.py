"""The admin APIs: instance configs, instances, databases, schemas, long-running operations.

In reading order: `methods` (the tables of every RPC), `instances`, `databases`, `operations`,
`policies` (the handlers), `resources` (instances and databases as messages), `descriptors` (types
that a request describes), `wire` (the message classes).
"""
