"""The grammar of GoogleSQL: text -> tokens -> trees.

In reading order: `lexer` (tokens), `literals` (literal values), `bounds` (size limits) and `cursor`
(the parser's position); then the grammar, one class derived from the other: `names`, `operand`,
`call`, `expression`, `from_clause`, `select`, `query` and `dml`. The entry points are `statement`
for queries and DML, and `ddl.statement` for schema statements. `inspection` answers questions about
an expression: its functions, its columns, and the number of values that it allows. The trees are
`sql.googlesql.ast` and `sql.ddl_ast`.
"""
