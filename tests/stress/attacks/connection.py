"""Sockets that send frames and requests without regard for what the server answers."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import grpc
from google.cloud.spanner_v1 import ExecuteSqlRequest

from spanemu.http2 import frames
from spanemu.http2.header_block import literal
from spanemu.http2.messages import PREFIX

SPANNER = "/google.spanner.v1.Spanner/"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
SECONDS = 20.0
WINDOW_MAX = (1 << 31) - 1


@dataclass(frozen=True)
class Target:
    """A server under attack, with a session of a database."""

    port: int
    rest_port: int
    session: str
    is_secure: bool = False

    def sql(self, statement: str) -> bytes:
        """Return the message of a query."""
        message = ExecuteSqlRequest.pb()(session=self.session, sql=statement)
        data: bytes = message.SerializeToString()
        return data


Until = Callable[[], bool]  # whether an attack is to go on
Attack = Callable[[Target, Until], None]


def connected(port: int, is_secure: bool) -> socket.socket:
    """Return a socket, which gives up after some time."""
    plain = socket.create_connection(("127.0.0.1", port), SECONDS)
    if not is_secure:
        return plain
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(plain)


class Harmful:
    """A connection of HTTP/2 that never reads, unless asked to."""

    def __init__(self, target: Target, **settings: int) -> None:
        self.socket = connected(target.port, target.is_secure)
        values = {getattr(frames, name.upper()): value for name, value in settings.items()}
        self.socket.sendall(frames.PREFACE + frames.settings(values))

    def send(self, data: bytes) -> None:
        """Send bytes. Raises OSError where the server has closed the connection."""
        self.socket.sendall(data)

    def send_some(self, data: bytes, seconds: float = 0.2) -> None:
        """Send what the server takes in a while."""
        self.socket.settimeout(seconds)
        with suppress(TimeoutError, ssl.SSLError):
            self.socket.sendall(data)
        self.socket.settimeout(SECONDS)

    def drain(self) -> None:
        """Read what there is."""
        self.socket.settimeout(0.0)
        with suppress(BlockingIOError, ssl.SSLWantReadError):
            while self.socket.recv(1 << 20):
                pass
        self.socket.settimeout(SECONDS)


@contextmanager
def harmful(target: Target, **settings: int) -> Iterator[Harmful]:
    """Open a connection; that the server closes it is no failure of the attack."""
    with suppress(OSError):
        client = Harmful(target, **settings)
        try:
            yield client
        finally:
            client.socket.close()


def patient_channel(target: Target) -> grpc.Channel:
    """Return a channel of gRPC's library, which keeps to the server's windows."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_send_message_length", -1)]
    if not target.is_secure:
        return grpc.insecure_channel(f"localhost:{target.port}", options)
    certificate = ssl.get_server_certificate(("localhost", target.port))
    credentials = grpc.ssl_channel_credentials(certificate.encode())
    return grpc.secure_channel(f"localhost:{target.port}", credentials, options)


def headers(stream_id: int, path: str, *more: tuple[bytes, bytes], last: bool = False) -> bytes:
    """Return the HEADERS of a request, whose fields enter no table."""
    fields = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path.encode()),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
        *more,
    ]
    block = b"".join(literal(*field) for field in fields)
    kind, flags, whole = frames.HEADERS, frames.END_STREAM if last else 0, b""
    while len(block) > frames.FRAME_BYTES_DEFAULT:
        part, block = block[: frames.FRAME_BYTES_DEFAULT], block[frames.FRAME_BYTES_DEFAULT :]
        whole += frames.frame(kind, flags, stream_id, part)
        kind, flags = frames.CONTINUATION, 0
    return whole + frames.frame(kind, flags | frames.END_HEADERS, stream_id, block)


def data(stream_id: int, content: bytes, *, last: bool = False) -> bytes:
    """Return frames with a part of a body."""
    size = frames.FRAME_BYTES_DEFAULT
    parts = [content[start : start + size] for start in range(0, len(content), size)] or [b""]
    whole = [frames.frame(frames.DATA, 0, stream_id, part) for part in parts[:-1]]
    whole.append(frames.frame(frames.DATA, int(last), stream_id, parts[-1]))
    return b"".join(whole)


def request(
    stream_id: int, path: str, message: bytes, *more: tuple[bytes, bytes], flag: int = 0
) -> bytes:
    """Return a whole request."""
    body = PREFIX.pack(flag, len(message)) + message
    return headers(stream_id, path, *more) + data(stream_id, body, last=True)
