"""Gives a syntax tree its meaning: `syntax.ast` and a schema -> `resolved`.

In reading order: `resolved` (the tree that is made), `analysis` and `setting` (what one statement
carries along), `scope` and `env` (which names mean what, at one place), `expressions`, `queries`
and `dml` (a module per construct), `procedures`, `machinery` (the table of resolvers), `analyze`
(the door). Beside them: `hints`, `parameters`, `type_names`, `system`, `stored_expression` and
`view` (SQL that a schema holds), `tree` and `usage` (walking a resolved statement), `suggestion`,
`errors`.

Modules: `options`.
"""
