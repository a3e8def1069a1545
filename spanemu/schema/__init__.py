"""One immutable generation of a schema, as passive data: it never parses, locks or reads rows.

In reading order: `dialect` (the SQL dialect of a database), `column`, `constraints` (foreign keys,
checks), `table`, `index` (secondary, search and vector indexes), `graph`, `access` (roles),
`objects` (all other named objects, and the fields that hold them), `names` and `derived` (maps that
generations share), `schema` (lookup by name; `with_...` returns the next generation), `history`
(the generation that was current at a timestamp), `dependency_order`, `periods` ('7d'), and
`table_text` (tables and options as DDL text).
"""
