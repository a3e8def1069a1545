"""Resolves DML statements.

In reading order: `writing` (code shared by all statements), `insert`, `update` (UPDATE, DELETE and
SET) and its part `nested_dml`.
"""
