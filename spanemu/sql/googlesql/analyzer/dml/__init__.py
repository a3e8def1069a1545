"""Resolves DML statements.

In reading order: `writing` (code shared by all statements), `insert`, `update` (UPDATE and
DELETE), and their parts `assignments` (SET), `nested_dml`, `defaults`, `conflict` (ON CONFLICT)
and `returning` (THEN RETURN).
"""
