"""The objects of a schema as GoogleSQL prints them.

In reading order: `table_text` (tables with columns, constraints, keys and options), `objects`
(everything else but indexes), `ddl` (indexes, and the statements that create a schema, as
GetDatabaseDdl returns them) and `alterations` (the statements of a migration that alter and drop).
"""
