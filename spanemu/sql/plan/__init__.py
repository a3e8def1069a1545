"""The plan: what will be done, as frozen data between the planner and the executor.

In reading order: `nodes` and `joins` (one class per operator), `seek` (which keys of a table or
index a scan visits), `statements` (a whole plan: a query or a DML statement), `traverse` (walking,
rewriting, and asking which columns a plan needs), `conditions` (taking predicates apart),
`evaluation_order` (which term of AND and OR comes first),
`operators` (the names of the operators that planning must recognise), `reads` (what a plan may
read), `repeatable` and `partitionable`; `expression_text`, `plan_tree`, `drawing`,
`operator_display`, `scalar_display` and `explain` (a plan as Spanner's clients show it).

Expressions are those of `resolved`; a subquery inside one is a `nodes.Subquery`, whose
query is planned too. Columns are ids: a plan knows no names but those of stored things.
"""
