"""Seeded interleavings of many clients on one database, checked against a serial model.

stage        clients on threads of their own, of which one runs at a time
model        the database as plain dicts, one transaction after another
operations   what a transaction does: on a session, and on the model
program      what a client does: transactions drawn from a seed, retried when aborted
history      what happened, and what must be true of it
campaign     one seed from start to verdict
"""
