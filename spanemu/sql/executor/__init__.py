"""Runs plans: each plan is compiled once into Python closures, then run any number of times.

In reading order: `reader` (all that is asked of the world below), `run` (what belongs to one
execution), `relation` (an operator compiled: rows, and where columns are in them), `memory` (the
account of the rows that operators hold), `compiler` (what compiling passes around), `source` and
`writers` (expressions as generated functions) with `subquery` and `scoped`, `compiling` (what those
ask back), `batches` (rows taken many at a time), `ranges` (seeks as encoded key ranges),
`operators` (one module each), `dml` with `insert_keys`, `conflict` and `returning`, `build` (the
table of operators and the entry points), and `errors`.

Nothing compiled holds state of a run: a compiled plan may run on many threads at once.

Modules: `codegen`, `codegen_protocols`, `codegen_templates`.
"""
