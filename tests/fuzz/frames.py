"""`python -m tests.fuzz.frames`: connections to our gRPC server that send spoiled frames.

After each of them, a client that keeps to HTTP/2 is answered. In the end the server keeps nothing
of any, and has logged no bug. Then sequences of frames (`frame_sequences`) for an hour, whose oracle
is the time that the server takes, and the memory.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed
"""

from __future__ import annotations

import argparse
import logging
import socket
import sys
import threading
from itertools import count
from random import Random

from google.protobuf.wrappers_pb2 import StringValue
from hpack import Encoder

from spanemu.base.clock import monotonic
from spanemu.base.rand import Randomness
from spanemu.frontend.dispatch import Endpoints, Service
from spanemu.http2 import frames
from spanemu.http2.messages import PREFIX
from spanemu.http2.server import Http2Server
from tests.conformance.echo_service import METHODS, SERVICE, World
from tests.fuzz import frame_sequences
from tests.unit.http2.raw_client import RawClient

SECONDS_MAX = 60.0
ECHO = f"/{SERVICE}/Echo"
PATHS = (ECHO, f"/{SERVICE}/Count", f"/{SERVICE}/Other", "")
NUMBERS = (0, 1, 100, 16_384, 65_535, 65_536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
STREAMS = (0, 1, 1, 1, 3, 3, 5, 2, (1 << 31) - 1)


class Campaign(logging.Handler):
    """A server, and the connections that try to harm it."""

    def __init__(self, seed: int) -> None:
        super().__init__(logging.ERROR)
        self.violations: list[str] = []
        self._random = Random(seed)
        self._world = World()
        self._server = Http2Server(Endpoints((Service(SERVICE, METHODS),), self._world))

    def emit(self, record: logging.LogRecord) -> None:
        """Note a bug that the server logged."""
        self.violations.append(self.format(record))

    def run(self, connections: int) -> list[str]:
        """Open that many connections, one after the other; return what must not happen but did."""
        port = self._server.start()
        logger = logging.getLogger("spanemu")
        logger.addHandler(self)
        try:
            with RawClient(port) as witness:
                for number in range(connections):
                    self._harm(port, spoiled_connection(self._random))
                    if not _is_served(witness, 2 * number + 1):
                        self.violations.append(f"connection {number}: another is not served")
            self._check_leftovers()
        finally:
            logger.removeHandler(self)
            self._server.stop()
        return self.violations

    def _harm(self, port: int, data: bytes) -> None:
        with socket.create_connection(("127.0.0.1", port), SECONDS_MAX) as client:
            try:
                client.sendall(data)
                if self._random.random() < 0.3:
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(65_536):
                        pass
            except ConnectionError:
                return

    def _check_leftovers(self) -> None:
        end = monotonic() + SECONDS_MAX
        loop = self._server._loop
        assert loop is not None
        while self._server._clients or self._server.account.total_bytes or loop.due.count:
            if monotonic() > end:
                kept = f"{len(self._server._clients)} clients, {self._server.account.total_bytes} bytes"
                self.violations.append(f"the server keeps {kept}, {loop.due.count} tasks")
                return
            threading.Event().wait(0.01)


def _is_served(client: RawClient, stream_id: int) -> bool:
    message = StringValue(value="hello").SerializeToString()
    room = frames.window_update(0, PREFIX.size + len(message))
    client.send(room + client.request(stream_id, ECHO, message))
    fields, body = client.reply(stream_id)
    return fields["grpc-status"] == "0" and body[PREFIX.size :] == message


def spoiled_connection(random: Random) -> bytes:
    """Return what a client sends that does not keep to HTTP/2, or does so by chance."""
    if random.random() < 0.1:
        return random.randbytes(random.randrange(200))
    values = {random.randrange(8): random.choice(NUMBERS) for _ in range(random.randrange(3))}
    data = frames.PREFACE + frames.settings(values)
    data += b"".join(_frame(random) for _ in range(random.randrange(1, 9)))
    return _spoiled(random, data) if random.random() < 0.3 else data


def _frame(random: Random) -> bytes:
    stream, flags = random.choice(STREAMS), random.choice((0, 1, 4, 5, 5, random.randrange(256)))
    kind = random.random()
    if kind < 0.4:
        return frames.frame(frames.HEADERS, flags, stream, _spoiled(random, _block(random)))
    if kind < 0.6:
        body = PREFIX.pack(random.randrange(2), 7) + b"\n\x05hello"
        return frames.frame(frames.DATA, flags, stream, _spoiled(random, body))
    payload = random.choice((frames.NUMBER.pack(random.choice(NUMBERS)), random.randbytes(8), b""))
    return frames.frame(random.randrange(11), flags, stream, payload)


def _block(random: Random) -> bytes:
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", random.choice(PATHS)),
        ("content-type", random.choice(("application/grpc", "text/html"))),
        ("grpc-timeout", random.choice(("1S", "0n", "a day"))),
        ("grpc-encoding", random.choice(("gzip", "identity", "br"))),
    ]
    if random.random() < 0.3:
        random.shuffle(fields)
        del fields[random.randrange(len(fields)) :]
    return Encoder().encode(fields)


def _spoiled(random: Random, data: bytes) -> bytes:
    """Change up to two bytes, and sometimes cut off the end."""
    changed = bytearray(data)
    for _ in range(random.randrange(3) if data else 0):
        changed[random.randrange(len(data))] = random.randrange(256)
    return bytes(changed[: random.randrange(len(data) + 1)] if random.random() < 0.1 else changed)


def sequences(seed: int, seconds: float) -> list[str]:
    """Run sequences for a time, half of which goes to memory; return the violations."""
    violations = []
    for counts_memory in (False, True):
        campaign = frame_sequences.Campaign(counts_memory=counts_memory)
        end = monotonic() + seconds / 2
        run = campaign.run(count(seed), lambda end=end: monotonic() > end)  # type: ignore[misc]
        print(f"{run} sequences, {'memory' if counts_memory else 'time'}", flush=True)
        violations += campaign.violations
    return violations


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.frames", description=__doc__)
    parser.add_argument("--connections", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=60.0, help="of sequences")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"seed {seed}", flush=True)
    violations = Campaign(seed).run(options.connections)
    violations += sequences(seed, 60 * options.minutes)
    for violation in violations[:20]:
        print(violation)
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
