"""An RPC as data: the rows of the method tables of every service.

    Method("GetSession", GetSessionRequest, Session, get_session)
    Method("StreamingRead", ReadRequest, PartialResultSet, streaming_read, streams=True)

A handler takes the emulator's catalog (`admin.instances.Instances`) and the request. It returns the
response; the handler of a streaming method returns an iterator of responses, or a tuple when all
responses exist. Handlers raise `SpannerError`s, which `boundary` turns into statuses. The same
tables serve the real port (`server`) and clients in this process (`embedded`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.base.record import dataclass

# Messages are dynamic classes of the protobuf runtime, which type checkers cannot see into.
Message = Any
Handler = Callable[..., Any]  # (catalog, request), and an interceptor's function for rows


@dataclass(frozen=True, slots=True)
class Method:
    """An RPC: its name in the service, its message classes, and its handler.

    `request` and `response` are raw protobuf classes (`X.pb()` of a proto-plus class).
    `implemented` is False where the handler only refuses. Requests of a method that takes
    `mutations` have no size limit here, because the commit itself checks its limits. Requests of
    `administrative` methods are small.
    """

    name: str
    request: type[Any]
    response: type[Any]
    handler: Handler
    streams: bool = False
    implemented: bool = True
    mutations: bool = False
    administrative: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """A gRPC service: its full protobuf name and all its RPCs.

    `file` returns the FileDescriptorProto of a service whose message classes describe no RPC.
    """

    name: str
    methods: tuple[Method, ...]
    file: Callable[[], Message] | None = None

    def paths(self) -> Iterator[tuple[str, Method]]:
        """Yield each method with its path."""
        for method in self.methods:
            yield f"/{self.name}/{method.name}", method


def unimplemented(features: Mapping[str, str], empty: type[Any]) -> list[Method]:
    """Return the methods of RPCs that spanemu does not implement, given the features by RPC name.

    Each method answers UNIMPLEMENTED and names the feature. Any message parses as the unknown
    fields of an empty message, so `empty` (`google.protobuf.Empty`) serves for every request.
    """
    return [
        Method(name, empty, empty, _refuse(feature), implemented=False)
        for name, feature in features.items()
    ]


def _refuse(feature: str) -> Handler:
    def refuse(_instances: object, _request: Message) -> Message:
        raise Unsupported(feature)

    return refuse
