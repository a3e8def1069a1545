"""The grammar of GoogleSQL: text -> tokens -> trees.

In reading order: `tokens`, `lexer`, `literals`, `position`; the trees `ast` and `ddl_ast`;
`bounds`, `cursor`, and the chapters built on it one after the other: `names`, `operand`, `call`,
`expression`, `from_clause`, `select`, `pipe`, `query`, `nested_dml`, `dml`. The doors are
`statement` for queries and DML, and `ddl.statement` for schema statements. Trees are looked into by
`inspection` (functions and columns) and `value_bounds` (how many values an expression allows).
"""
