"""The grammar of schema statements: one module per chapter, each a part of the parser.

In reading order: `parts` (what chapters share), `table`, `alter_table`, `index`, `routine`,
`stream`, `placement`, `access`, `graph`; `statement` is the door. The trees are `syntax.ddl_ast`.

Modules: `objects`.
"""
