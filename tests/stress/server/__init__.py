"""Hundreds of client threads on one standalone server, for minutes, with a ledger that checks.

    python -m tests.stress.server --seconds 300 --threads 200 --databases 20

In reading order: `ledger` (what clients were promised), `actions` (what one thread does),
`worker` (a client process), `memory` (the server's), `campaign` (all of it together, and the verdict).
"""
