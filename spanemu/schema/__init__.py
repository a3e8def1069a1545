"""One immutable generation of a schema, as passive data: it never parses, locks or reads rows.

In reading order: `dialect` (the SQL dialect of a database), `column`, `constraints` (foreign keys,
checks), `table`, `index` (secondary, search and vector indexes), `objects` (functions, models,
sequences, views, locality groups, placements, change streams, the proto bundle), `graph`, `access`
(roles), `names` and `derived` (maps that generations share), `schema` (lookup by name; `with_...`
returns the next generation), `history` (the generation that was current at a timestamp),
`dependency_order`, and `ddl_text` (a schema as canonical DDL, with `table_text` and `object_text`
for its parts).
"""
