"""The transactions of a database, by kind.

In reading order: `registry` (the transactions of a session by id, and the protocol of their
handles), the kinds `snapshot` (read-only), `read_write` and `partitioned_dml`, then the parts of a
read-write transaction: `lifecycle` (states, precommit tokens, one request at a time) and `replay`
(repeated DML), and `one_row_commit` (a commit in one step). `listing` lists open transactions.
"""
