"""gRPC: requests in, one call of the database, replies out.

Of what serves a request only this package knows gRPC and the messages of Spanner's API.

In reading order: `method` (an RPC as data), `services` (every service with all its RPCs),
`endpoint` (a method ready to be called: bytes in, bytes out), `boundary` (a failure becomes a
status), `server` (endpoints behind a port), `embedded` (endpoints for clients of this process),
`registry` (sessions by name), `spanner`, `admin` and `control` (the handlers), `convert` (messages
to plain data and back), `wire` (the message classes), `interception` (somebody between RPCs and
handlers, who sees each as an `rpc`), `connections` (which clients are there), `errors`.

Modules: `dispatch`.
"""
