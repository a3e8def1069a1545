"""The same random queries on spanemu and on Google's emulator, answers compared.

`postgresql` compares with a real PostgreSQL what `postgresql_queries` makes.

In reading order: `tree` (a query that can be made smaller), `literals`, `world` (the tables and
their rows), `parameters`, `templates` (what an expression may look like), `calls` (every function
there is), `expressions`, `aggregates`, `sources`, `queries`, `writes`, `mistakes`, `outcome` (what
an answer is), `statements` (which seed is what), `targets` (the engines), `oracle` (ZetaSQL),
`pipes` (queries in both syntaxes), `documented` (differences that a document settles), `campaign`,
`corpus` and `wrong` (answers kept).
"""
