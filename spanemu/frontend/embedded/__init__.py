"""gRPC channels to an emulator in the same process, without a socket.

In reading order: `registry` (the addresses served here, and the hook on `grpc.insecure_channel`),
`channel` (a `grpc.Channel` that calls endpoints on the caller's own thread), `calls` (the objects
that calls return and raise), `status` (the final status of an RPC), `turns` (which of several
threads runs), `aio_channel`, `aio_calls` and `aio_intercepted` (the same for `grpc.aio`).

Messages are copied through their serialized form, as on a network, so neither side ever sees the
other's object.
"""

from spanemu.frontend.embedded.registry import EmbeddedRegistry

__all__ = ["EmbeddedRegistry"]
