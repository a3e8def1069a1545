"""Resolves queries: a module for each clause.

In reading order: `query` (whole queries, with ORDER BY of their output and LIMIT), `from_clause`,
`functions` (functions in FROM), `joins`; `select`, `select_list`, `group_by`; `set_operation`;
`stream_reads` (queries of change streams).
"""
