"""Resolves queries: one module per clause.

In reading order: `relation` (what stands in FROM), `table_relation`, `join_relation`,
`from_clause`, `joins`, `sampling`; `select`, `select_list`, `group_by`, `aggregates`, `grouping`;
`set_operation`, `ordering`, `output_order`, `limits`; `query` puts them together; `null_arrays`
refuses what Spanner does. Pipe queries: `pipes`, `pipe_relation`, `pipe_aggregate`.
"""
