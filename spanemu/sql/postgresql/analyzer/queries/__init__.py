"""Resolves queries: FROM, SELECT, set operations, ORDER BY, LIMIT and WITH."""
