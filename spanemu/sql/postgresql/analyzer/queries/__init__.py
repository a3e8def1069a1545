"""Resolves queries: a module for each clause.

In reading order: `query` (whole queries), `from_clause`, `relations` (column aliases and rows of
functions), `functions` (functions in FROM), `joins`; `select`, `select_list`, `ordinals` (select
columns by number or name), `group_by`; `set_operation`, `ordering` (ORDER BY and LIMIT);
`stream_reads` (queries of change streams).
"""
