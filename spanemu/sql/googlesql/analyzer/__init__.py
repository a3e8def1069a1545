"""The analyzer of GoogleSQL: turns a syntax tree and a schema into a tree of `sql.resolved`.

In reading order: `analyze` (the entry point and the table of resolvers), `analysis` (the state of
one statement's analysis, with its parameters), `scope` (name lookup and the environment of an
expression), `output` (types that a result cannot have), `expressions`, `queries` and `dml` (a
module for each construct), `procedures` (CALL). Beside these: `type_names`, `stored_expression`
(defaults, generated columns, checks and views of a schema), `errors`, `name_errors` and
`write_errors`. What all dialects share is in `sql.analysis`.
"""
