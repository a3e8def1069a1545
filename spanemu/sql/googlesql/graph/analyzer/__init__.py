"""The analyzer of graph queries: turns their syntax tree into a tree of `sql.resolved`.

In reading order:

- `catalog`: a graph as queries see it; `state`: what the analysis of a statement knows of graphs
- `rows`, `identity` and `elements`: element tables, and the variables that denote rows, column
  by column; `value_element`, `derived_elements`, `group_variables`: elements from elsewhere
- `properties`, `labels`, `predicates` and `horizontal`: what expressions say of elements
- `table`: the working table, its variables, and the surroundings of a graph query
- `patterns`, `variables`, `nodes`, `anchors` and `fillers`: the shape of patterns, and what their
  parts mean
- `match`, `match_rows`, `path_scan` and `path_parts`: MATCH, as joins and as scans of paths
- `statements`, `returns`, `set_operation`, `shared_table` and `query`: whole queries

Beside these: `errors`.
"""
