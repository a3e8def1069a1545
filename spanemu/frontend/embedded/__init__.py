"""gRPC channels to an emulator in this same process, with no socket in between.

In reading order: `registry` (which addresses are served here, and the hook on
`grpc.insecure_channel`), `channel` (a `grpc.Channel` that calls endpoints on the caller's own
thread), `calls` (the objects that calls return and raise), `status` (how an RPC ended),
`aio_channel`, `aio_calls` and `aio_intercepted` (the same for `grpc.aio`).

Messages are copied through their serialized form, as they would be on a wire, so neither side
ever sees the other's object.
"""

from spanemu.frontend.embedded.registry import EmbeddedRegistry

__all__ = ["EmbeddedRegistry"]
