"""Resolves queries: a module for each clause.

In reading order: `query` (whole queries), `from_clause`, `value_relation`, `joins`, `sampling`;
`select`, `select_list`, `group_by`, `aggregates`; `set_operation`, `ordering` (ORDER BY and LIMIT);
`stream_reads` (queries of change streams); `predictions` (ML.PREDICT); `null_arrays` (a restriction
of Spanner on results).
Pipe queries: `pipes`, `pipe_relation`.
"""
