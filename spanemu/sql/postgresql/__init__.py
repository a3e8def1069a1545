"""The PostgreSQL dialect: text -> `ast` -> `resolved`.

`types` has PostgreSQL's names for Spanner's types, and `ast` is the syntax tree. Planner and
executor are the same for both dialects.
"""
