"""The grammar of GoogleSQL: text -> tokens -> trees.

In reading order: `lexer` (tokens and literal values); then the grammar, one class derived from the
other: `names` (with the parser's position), `operand`, `call`, `expression`, `from_clause`,
`select`, `query` and `statement` (DML). The entry points are in `statement` for queries and DML,
and in `ddl.statement` for schema statements. The trees are `sql.googlesql.ast`,
with the shared nodes of `sql.syntax_tree`, and `sql.ddl_ast`.
"""
