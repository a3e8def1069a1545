"""Who talks to a database: `registry` holds its sessions, `session` answers for one of them.

`role_session` is one that carries a database role, and `access` says what that role may do;
`errors`.
"""
