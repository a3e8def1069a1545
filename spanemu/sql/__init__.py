"""The SQL engine: text -> `googlesql.ast` -> `resolved` -> `plan.nodes` -> operators.

In reading order: `googlesql` (the dialect: syntax tree, parser, catalog and analyzer), `ddl_ast`
(the syntax tree of schema statements), `resolved` (the typed tree that the analyzer makes),
`functions` (one module per chapter of the reference), `plan`, `planner`, `executor`, and `errors`.
The engine sees types, values and schema; it reads rows through `executor.reader.RowReader` and
yields writes as plain data. It knows nothing of transactions or storage.
"""
