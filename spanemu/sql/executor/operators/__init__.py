"""The operators of a plan: each module compiles nodes into relations.

- No input: `scan` (with `nearest`, for searches by distance), `search_scan` (with
  `best_scores`), `unnest` (also single rows and VALUES)
- Several inputs: `apply_join` (with `seek_key` and `switching_join`, for many rows), `hash_join`
  (with `hash_tables`), `loop_join`, `set_operations`
- One input: `project` (also filters), `sort` (also limits and ranks), `top_n`, `sample`,
  `aggregate` (with `aggregate_call` and `group_loop`), `remote_call`
- Paths of a graph: `path_scan` (with `path_trace`, `path_parts`, `path_result`, `path_pattern`,
  `path_search`, `path_meeting` and `path_cheapest`)
- Rows that are kept and read again: `spools`

`executor.build.OPERATORS` maps each class of nodes to the function that compiles it.
"""
