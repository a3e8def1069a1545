"""SQL as PostgreSQL prints it.

In reading order: `type_names`, `ddl_objects` and `ddl` (the statements that create the objects of a
schema, as GetDatabaseDdl returns them).
"""
