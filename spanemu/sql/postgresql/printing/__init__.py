"""SQL as PostgreSQL prints it.

In reading order: `ddl_objects` and `ddl` (the statements that create the objects of a
schema, as GetDatabaseDdl returns them).
"""
