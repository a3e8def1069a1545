"""Random graph patterns over small random graphs, against a plain enumeration of all matches.

    python -m tests.differential.graphs --statements 10000 --seed N

In reading order: `world` (tables, graph and rows), `patterns` (a query as data, and as text),
`generator` (random queries), `enumeration` (the meaning of a query, written from the reference and
not from the engine), `campaign` (both answers, compared).
"""
