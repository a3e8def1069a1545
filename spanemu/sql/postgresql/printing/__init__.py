"""SQL as PostgreSQL prints it: expressions and queries of a schema, and the schema itself.

In reading order: `notes` (what the analysis decided about the nodes of a syntax tree), `constants`,
`expressions` and `queries` (their texts), `canonical` (the canonical text of SQL in a schema),
`ddl_objects` and `ddl` (the statements that create the objects of a schema, as GetDatabaseDdl
returns them), `alterations` (the statements of a migration that alter and drop them).
"""
