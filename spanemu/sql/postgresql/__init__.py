"""The PostgreSQL dialect: text -> `ast` -> `resolved`.

`types` has PostgreSQL's names for Spanner's types, `ast` is the syntax tree, and `analyzer` makes
the resolved tree of it. Planner and executor are the same for both dialects.
"""
