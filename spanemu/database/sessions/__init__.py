"""The sessions of a database.

In reading order: `session` (the requests of one session), `registry` (the sessions of a database by
name), and `access_policy` (the requests that a session with a role permits, and the privileges that
they need).
"""
