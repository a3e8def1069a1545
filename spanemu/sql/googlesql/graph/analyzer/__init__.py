"""The analyzer of graph queries: turns their syntax tree into a tree of `sql.resolved`.

In reading order:

- `catalog`: a graph as queries see it; `state`: what the analysis of a statement knows of graphs
- `rows` and `elements`: element tables, and the variables that denote their rows, column by column;
  `derived_elements`: elements after grouping and set operations
- `properties`, `labels`, `predicates`, `horizontal`: what expressions say of elements
- `table`: the working table, its variables, and the environment of a graph query
- `patterns`, `variables`, `nodes`, `fillers`: the shape of patterns, and what their parts mean
- `match` and `path_scan`: MATCH, as joins and as scans of paths
- `statements`, `returns`, `set_operation`, `shared_table`, `query`: whole queries

Beside these: `expressions` (small helpers) and `errors`.
"""
