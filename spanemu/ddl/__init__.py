"""Schema statements: from DDL text to the next generation of a schema, and the data work it needs.

In reading order: `apply` (a batch of statements as steps), `change` (what a statement does, and
how its work on rows is run), `statements` (what each one changes; one table from syntax to
function), `lookup` (what a statement refers to), `edit` (steps from schema to schema), `naming`
(names that nobody chose), `expressions` (what SQL inside a schema refers to), `dependents` (views
over what changes), `validators` (what may not be, judged on the schema alone), `verifiers` (what
rows must satisfy), `backfill` and `conversion` (rows that a change writes), `errors`.
"""
