"""The planner decides how a statement is run: it turns the `resolved` tree into a `plan`.

In reading order:

- `planning`: the context of one run of the planner, and the errors of a plan
- `build`: the steps from a statement to its plan
- `translate`: scans to plan nodes, one for one
- `approximate`, with `approximate_errors`: where a query may use an approximate distance
- `rules`, with `fold`, `pushdown` and `decorrelate`: rewrites of a plan that choose no algorithm
- `remote_calls`: calls of models and remote functions, taken out of expressions
- `prune`: removal of unneeded columns
- `physical`: the choice of algorithms, by `estimate`
- `access_path` and `seeks`: how a table is read
- `search_access`, `acceleration`, `token_conditions`, `search_scores`, `search_rules` and
  `search_errors`: how a table is searched, asked to or not, how what is found is scored, and what
  is refused
- `join_order` and `spool`: how inputs are joined
- `path_scan`, `edge_lookup` and `pattern_ends`: how paths of a graph are followed, their steps, and
  nodes that need no lookup
- `ordering`: required and delivered orders, and MIN and MAX by them
- `properties`: columns that are never NULL, plans of at most one row, and implied conditions
"""
