"""Resolves DML statements.

In reading order: `writing` (code shared by all statements), `insert`, `update` (UPDATE, DELETE and
SET), and their parts `nested_dml`, `defaults` and `conflict` (ON CONFLICT).
"""
