"""gRPC over HTTP/2 without gRPC's own server: fewer steps for each call, and no change of thread.

The package serves the endpoints of `frontend` as `frontend.server` does. A quick call is read,
served and answered by a single thread, of which grpcio's server needs two and a queue between them.

In reading order: `frames` (the frames that are sent), `huffman` and `header_block` (compressed
header fields), `request_fields` (where those of a request stand), `sending` and `connection` (the
protocol of a connection, without input or output), `account` (what is kept for clients), `call` and
`messages` (gRPC's headers and messages), `reply_frames` (what all replies have in common),
`request_body` (a message as it arrives), `exchange` (a request and its reply), `conversation` (an
exchange of several requests), `tasks` (the steps of requests that are due), `sockets` (those that
are ready), `lingering` (a look before sleep), `loop` (the threads), `client` (a client's socket),
`server`, `errors`.
"""
