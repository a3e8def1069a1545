"""What a client may do in a transaction, by kind, and what it is told.

In reading order: `registry` (the transactions of a session, by id), `handle` (what any of them can
be asked), and the kinds `snapshot` (read-only), `read_write` and `partitioned_dml`. `timestamps`
and `isolation` say what options mean; `lifecycle`, `turn`, `pending`, `read_ahead`, `replay` and
`precommit` are parts of a read-write transaction. `listing` tells which are open, and `conflict`
is one of the emulator's own, which gets its way; `errors`.
"""
