"""One immutable generation of a schema, inert: it never parses, locks or reads data.

In reading order: `column`, `table`, `index`, `foreign_key`, `check`, `view`, `sequence`,
`search_index`, `change_stream`, `routine` (functions, models), `graph`, `access` (roles),
`placement` (locality groups, placements), `proto_bundle`, `schema` (lookup by name; `with_...`
returns the next generation), `history` (the generation that was current at a timestamp),
`ddl_text` (a schema as canonical DDL; `table_text`, `column_text`, `search_text`, `graph_text` and
`object_text` for its parts, in `dependency_order`), `names` and `derived` (maps that generations
share).

Modules: `constraints`, `objects`.
"""
