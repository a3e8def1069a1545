"""GoogleSQL, Spanner's first dialect: text -> `ast` -> `resolved`.

In reading order: `dialect` (the implementation of `sql.dialect.Dialect`), `ast` (the syntax tree),
`syntax` (lexer and parser), `catalog` (the functions of the dialect), `analyzer` (from the syntax
tree to the resolved tree), `graph` (queries of property graphs) and `printing` (schemas as text).
"""
