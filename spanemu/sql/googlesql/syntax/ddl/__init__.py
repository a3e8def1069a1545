"""The grammar of schema statements: each module is one base class of the parser, or several.

In reading order: `parts` (shared rules), `table`, `index`, `views` (also property graphs,
functions and models) and `objects` (placements, sequences, change streams, access control);
`statement` is the entry point. The trees are `sql.ddl_ast`.
"""
