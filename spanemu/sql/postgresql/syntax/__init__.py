"""The grammar of PostgreSQL: text -> tokens -> trees.

In reading order: `keywords` (classes of words), `lexer` (tokens), `literals` (literal values) and
`cursor` (the parser's position); then the grammar, one class derived from the other: `names` (of
objects and types), `operand`, `call`, `primary`, `expression`, `from_clause`, `query` and `dml`.
The entry points are `statement` for queries and DML, and `ddl.statement` for schema statements. The
trees are `sql.postgresql.ast`, with the shared nodes of `sql.syntax_tree`, and `sql.ddl_ast`.
"""
