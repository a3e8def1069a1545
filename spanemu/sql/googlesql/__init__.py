"""GoogleSQL, Spanner's first dialect: text -> `ast` -> `resolved`.

In reading order: `ast` (the syntax tree), `syntax` (lexer and parser), `catalog` (the functions
that the dialect has),
`analyzer` (from the syntax tree to the resolved tree).
"""
