"""The grammar of schema statements: each module is one base class of the parser, or several.

In reading order: `parts` (shared rules), `table`, `index`, `routine`, `objects` (placements,
sequences, change streams, access control) and `graph`; `statement` is the entry point. The
trees are `sql.ddl_ast`.
"""
