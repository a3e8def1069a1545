"""Resolves INSERT, UPDATE and DELETE.

In reading order: `writing` (code shared by all statements), `insert` (with ON CONFLICT), `update`
(UPDATE and DELETE).
"""
