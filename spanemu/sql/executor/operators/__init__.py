"""One module per operator of a plan, each a function that compiles a node into a relation.

Leaves: `scan`, `values`, `common_tables`, `keyed_spool`. One input: `filter`, `project`, `unnest`,
`sort`, `limit`, `sample`, `aggregate` (with `aggregate_call`, `folded_groups`, `grouping`). Several
inputs: `apply_join`, `hash_join` (with `buckets`), `loop_join`, `set_operations`.

Which node each compiles is a table: `executor.build.OPERATORS`.

Modules: `hash_tables`, `spools`.
"""
