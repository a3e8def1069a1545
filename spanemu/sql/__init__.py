"""The SQL engine: text -> `googlesql.ast` -> `resolved` -> `plan.nodes` -> operators.

In reading order: `dialect` (the interface of a dialect: parser, analyzer, catalog, printer) and
`dialects` (the table of dialects); `syntax_tree` (the nodes that dialects share), `token_cursor`
(the reader of tokens below each dialect's parser, with the size limits of a statement), `ddl_ast`
and `graph_ast` (the syntax trees of schema statements), `ddl_format` (their layout in files) and
`inspection` (questions about an expression); the dialects `googlesql` and `postgresql`; `resolved`
(the typed tree that an analyzer makes), `usage` (the objects that a resolved statement uses) and
`remote_calls` (what is called outside of the database);
`analysis` (what the analyzers of all dialects share); `functions` (one module per chapter of the
reference), `plan`, `planner`, `executor`, and `errors`. The engine sees types, values and schema;
it reads rows through `executor.run.RowReader` and yields writes as plain data. It knows nothing of
transactions or storage.
"""
