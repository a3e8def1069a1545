"""Plans: frozen data that the planner passes to the executor.

In reading order:

- `nodes` and `joins`: one class per operator
- `seek`: the keys of a table or index that a scan visits
- `statements`: a whole plan, of a query or a DML statement
- `traverse`: walking and rewriting plans, and computing which columns a plan refers to
- `conditions`: splitting and building predicates
- `evaluation_order`: the order in which the terms of AND and OR are evaluated
- `reads`: the stored columns that a plan may read
- `partitionable`: whether a plan can be run partition by partition
- `expression_text`, `drawing`, `operator_display`: a plan as Spanner's clients show it

Expressions are those of `resolved`; a subquery inside an expression is a `nodes.Subquery`, which
holds a plan. Columns are ids: a plan contains no names except the names of schema objects.
"""
