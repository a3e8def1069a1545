"""A client of HTTP/2 that sends whatever frames a test wants."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

from hpack import Decoder, Encoder

from spanemu.http2 import frames
from spanemu.http2.messages import PREFIX

SECONDS = 60.0


class RawClient:
    """A connection whose frames a test writes and reads one by one."""

    def __init__(self, port: int, settings: dict[int, int] | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self._encoder, self._decoder = Encoder(), Decoder()
        self._input = self.socket.makefile("rb")
        self.socket.sendall(frames.PREFACE + frames.settings(settings or {}))

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._input.close()
        self.socket.close()

    def headers(self, stream_id: int, path: str, *, last: bool = False, **more: str) -> bytes:
        """Return the HEADERS of a request; `more` are further fields, "_" for "-"."""
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":path": path,
            ":authority": "localhost",
            "te": "trailers",
            "content-type": "application/grpc",
        } | {name.replace("_", "-"): value for name, value in more.items()}
        flags = frames.END_HEADERS | (frames.END_STREAM if last else 0)
        block = self._encoder.encode(fields.items())
        return frames.frame(frames.HEADERS, flags, stream_id, block)

    def request(
        self, stream_id: int, path: str, message: bytes, flag: int = 0, **more: str
    ) -> bytes:
        """Return a whole request with one message."""
        data = PREFIX.pack(flag, len(message)) + message
        return self.headers(stream_id, path, **more) + frames.frame(frames.DATA, 1, stream_id, data)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def frame(self) -> tuple[int, int, int, bytes]:
        """Return the next frame: type, flags, stream, payload. Raises EOFError."""
        head = self._input.read(9)
        if len(head) < 9:
            raise EOFError
        high, low, kind, flags, stream_id = frames.HEAD.unpack(head)
        return kind, flags, stream_id, self._input.read(high << 8 | low)

    def frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Yield all frames until the server closes the connection."""
        while True:
            try:
                yield self.frame()
            except (EOFError, ConnectionError):
                return

    def reply(self, stream_id: int) -> tuple[dict[str, str], bytearray]:
        """Return the header fields and trailers of a reply, and its body."""
        fields: dict[str, str] = {}
        body = bytearray()
        for kind, flags, stream, payload in self.frames():
            if kind == frames.HEADERS:  # The decoder needs those of all streams.
                decoded: Any = self._decoder.decode(payload)
                fields |= dict(decoded) if stream == stream_id else {}
            elif kind == frames.DATA and stream == stream_id:
                body += payload
            elif kind == frames.RST_STREAM and stream == stream_id:
                return fields | {"reset": str(frames.NUMBER.unpack(payload)[0])}, body
            if stream == stream_id and flags & frames.END_STREAM and kind != frames.PING:
                return fields, body
        raise EOFError

    def goodbye(self) -> int:
        """Return the error code of the GOAWAY frame that ends the connection."""
        codes = [
            frames.NUMBER.unpack_from(payload, 4)[0]
            for kind, _, _, payload in self.frames()
            if kind == frames.GOAWAY
        ]
        return int(codes[-1])
