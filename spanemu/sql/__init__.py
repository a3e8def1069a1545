"""The SQL engine: text -> `syntax.ast` -> `resolved` -> `plan.nodes` -> operators.

In reading order: `syntax`, `functions` (one module per chapter of the reference), `analyzer`,
`plan`, `planner`, `executor`, and `errors`. The engine sees types, values and schema; it reads
rows through `executor.reader.RowReader` and yields writes as plain data. It knows nothing of
transactions or storage.

Modules: `ddl_ast`, `googlesql`.
"""
