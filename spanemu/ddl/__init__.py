"""Schema statements: from DDL text to the next generation of a schema, and the data work it needs.

In reading order: `apply` (a batch of statements as steps), `statements` (what each one changes;
one table from syntax to function), `validators` (what may not be, judged on the schema alone),
`verifiers` (what data must satisfy), `backfill` (rows that a change writes), `errors`.
"""
