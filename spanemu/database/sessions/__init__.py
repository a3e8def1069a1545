"""The sessions of a database.

In reading order: `session` (the requests of one session), `registry` (the sessions of a database by
name), `access` (the privileges of a database role) and `access_policy` (the requests that a session
with a role permits).
"""
