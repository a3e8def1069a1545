"""Errors of reads, writes and commits.

`requests` has the errors in names, keys and columns, and the errors of a transaction's lifecycle;
`rows` those that depend on existing rows, with unique indexes, foreign keys and CHECK constraints;
`values` those of column values. Codes follow the reference's table of constraints; texts keep the
fragments that clients match.
"""
