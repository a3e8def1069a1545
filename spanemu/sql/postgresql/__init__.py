"""The PostgreSQL dialect: text -> `ast` -> `resolved`.

`types` has PostgreSQL's names for Spanner's types and for those that Spanner lacks. `ast` is the
syntax tree, `catalog` has the functions and the operators, and `analyzer` makes the resolved tree.
`printing` makes canonical text of SQL and of a schema. Planner and executor are the same for both
dialects.
"""
