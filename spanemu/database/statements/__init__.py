"""The execution of statements and reads in a transaction.

In reading order: `query_engine` and `dml` (SQL), `stream_queries` (change streams), `reads` (rows
by key), `optimizer_options` and `index_advice` (what query statistics and plans report of both),
`context` (what SQL functions see of the database), `results` (rows and what accompanies them),
`partitions` (parts of reads and queries for parallel clients), `placed_tables` (rules for tables
with a placement key) and `table_functions` (the functions of queues).
"""
