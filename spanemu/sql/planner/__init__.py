"""Decides how a statement is run: `resolved` -> `plan`.

In reading order: `planning` (what is known meanwhile), `build` (the way from one to the other),
`translate` (scans to nodes, one for one), `rewrite` and `rules` (a plan made better, nothing
chosen) with `fold`, `guards`, `pushdown` and `decorrelate`. Then `physical` chooses, by `estimate`
and `cardinality`: how a table is read (`access_path`, `seeks`, `index_union`, `extreme`), how
inputs are joined (`join_order`, `spool`), which order comes for nothing (`ordering`). `equivalence`
and `nullability` say what is known of columns, `prune` and `narrow` drop those that nobody needs;
`errors`.

Modules: `min_max`, `properties`.
"""
