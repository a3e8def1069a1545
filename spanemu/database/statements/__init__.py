"""Rows in and out of one transaction: `query_engine` and `dml` for SQL, `reads` for keys.

`context` is what functions see of the database; `results` are rows on their way out. `partitions`
and `shares` divide a read or query among clients, and `footprint` says what a plan does that
people watch for; `errors`.
"""
