"""Plans: frozen data that the planner passes to the executor.

In reading order:

- `nodes` (with seeks, the keys that a scan visits), `joins` and `paths`: one class per operator
- `statements`: a whole plan, of a query or a DML statement, and the stored columns it may read
- `traverse`: walking and rewriting plans, and computing which columns a plan refers to
- `conditions`: splitting and building predicates, and the order of their terms
- `partitionable`: whether a plan can be run partition by partition
- `expression_text`, `drawing`, `operator_display`: a plan as Spanner's clients show it

Expressions are those of `resolved`; a subquery inside an expression is a `nodes.Subquery`, which
holds a plan. Columns are ids: a plan contains no names except the names of schema objects.
"""
