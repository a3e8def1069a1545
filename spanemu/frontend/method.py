"""One RPC as data: what the tables of every service are made of.

    Method("GetSession", GetSessionRequest, Session, get_session)
    Method("StreamingRead", ReadRequest, PartialResultSet, streaming_read, streams=True)

A handler takes the catalog of everything the emulator holds (`admin.instances.Instances`) and
the request, and returns the response, or for a streaming method the responses: an iterator, or a
tuple when all of them are there. It raises `SpannerError`s; `boundary` turns them into statuses.
The same tables serve the real port (`server`) and clients in this process (`embedded`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.base.errors import Unsupported

# Messages are dynamic classes of the protobuf runtime, which no type checker can see into.
Message = Any
Handler = Callable[..., Any]  # (catalog, request), and what an interceptor adds


@dataclass(frozen=True, slots=True)
class Method:
    """An RPC: its name inside the service, its message classes, and who answers it.

    `request` and `response` are raw protobuf classes (`X.pb()` of a proto-plus class).
    `implemented` is False where the handler only refuses. Requests of a method that takes
    `mutations` may be larger than any other: what a commit may hold is judged when it commits.
    Requests of `administrative` ones are small.
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
    """A gRPC service: its full protobuf name and every RPC it has."""

    name: str
    methods: tuple[Method, ...]

    def paths(self) -> Iterator[tuple[str, Method]]:
        """Each method with the path that it is called by."""
        for method in self.methods:
            yield f"/{self.name}/{method.name}", method


def unimplemented(features: Mapping[str, str], empty: type[Any]) -> list[Method]:
    """Rows for RPCs that exist in Spanner and not here yet, by name, with what they would do.

    Each answers UNIMPLEMENTED and names the feature. The message classes do not matter, since
    every message parses as an empty one's unknown fields: pass `google.protobuf.Empty`.
    """
    return [
        Method(name, empty, empty, _refuse(feature), implemented=False)
        for name, feature in features.items()
    ]


def _refuse(feature: str) -> Handler:
    def refuse(_instances: object, _request: Message) -> Message:
        raise Unsupported(feature)

    return refuse
