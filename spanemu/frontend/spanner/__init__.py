"""Handlers of google.spanner.v1.Spanner: each converts in, calls once, converts out.

In reading order: `methods` (the table of all RPCs), `sessions`, `transactions`, `reads`,
`queries`, `partitions`, `batch_write`.
"""
