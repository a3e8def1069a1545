"""The gRPC frontend: it decodes a request, calls the database once and encodes the replies.

Of the packages that serve requests, only this one knows gRPC and the messages of Spanner's API.

In reading order: `dispatch` (an RPC as data, and ready to be called: bytes in, bytes out),
`large_requests` (messages that are parsed part by part), `services` (every service with its RPCs),
`boundary` (from a failure to a gRPC status), `listening` (sockets that listen), `server` (methods
behind a port, and the clients connected to it), `waits` (how many requests of a server may wait),
`reflection` (what tools learn of the methods), `embedded` (methods for clients of this process),
`spanner`, `admin` and `control` (the handlers, and who may control an emulator), `typed_control`
(the messages of control operations), `convert` (from messages to plain data and back), `wire` (the
message classes), `interception` (hooks between RPCs and handlers), `errors`.
"""
