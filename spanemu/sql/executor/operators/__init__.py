"""The operators of a plan: each module compiles nodes into relations.

- No input: `scan`, `search_scan`, `unnest` (also single rows and VALUES)
- Several inputs: `apply_join`, `hash_join` (with `hash_tables`), `loop_join`, `set_operations`
- One input: `project` (also filters), `sort` (also limits), `sample`, `aggregate` (with
  `aggregate_call`)
- Rows that are kept and read again: `spools`

`executor.build.OPERATORS` maps each class of nodes to the function that compiles it.
"""
