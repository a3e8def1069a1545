"""The same random queries on spanemu and on Google's emulator, answers compared.

In reading order: `tree` (a query that can be made smaller), `literals`, `world` (the tables and
their rows), `templates` (what an expression may look like), `calls` (every function there is),
`expressions`, `sources`, `queries`, `outcome` (what an answer is), `targets` (the two engines),
`documented` (differences that a document settles), `campaign` and `corpus` (answers kept).
"""
