"""The grammar of schema statements: text -> `sql.ddl_ast`.

In reading order: `parts` (names, options and other parts of several statements), `sequence`
(clauses of sequences and identity columns), `constraint`, `column` (with the types of columns),
`table`, `alter_table`, `queue`, `index`, `objects` (views, schemas, change streams and the rest),
`access` (roles and privileges), `database`, `statement` (the entry point).
"""
