"""The analyzer of GoogleSQL: turns a syntax tree and a schema into a tree of `sql.resolved`.

In reading order: `analyze` (the entry point), `analysis` (the state of one statement's analysis),
`scope` (name lookup and the environment of an expression), `expressions`, `queries` and `dml` (a
module for each construct), `procedures` (CALL), `resolvers` (the table of expression resolvers).
Beside these: `hints`, `parameters`, `type_names`, `stored_expression` (defaults, generated columns,
checks and views of a schema), `suggestion` (corrections of misspelt names), `errors`. What all
dialects share is in `sql.analysis`.
"""
