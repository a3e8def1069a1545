"""The analyzer of the PostgreSQL dialect: `ast` -> `resolved`.

In reading order: `analyze` (the entry point), `analysis` (the state of a statement's analysis, with
its parameters), `scope` (the column names in scope, and the environment of an expression), then
`expressions`, `queries` and `dml`, which resolve the parts of a statement (`resolvers` is the table
of them), and `stored_expression` (defaults, generated columns, checks and views of a schema).
`errors` has PostgreSQL's messages with their codes, and which of several errors a statement
reports.
"""
