"""One immutable generation of a schema, as passive data: it never parses, locks or reads rows.

In reading order: `dialect` (the SQL dialect of a database), `table` (tables with their columns and
constraints), `indexes` (sorted, search and vector indexes), `objects` (all other named objects,
roles among them, and the fields that hold them), `shared_maps` (maps by name that generations
share), `schema` (lookup by name; `with_...` returns the next generation), `dependency_order`,
`editions` (features that not every instance has), and `option_text` (the values of options as
literals).
"""
