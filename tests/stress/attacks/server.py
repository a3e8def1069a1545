"""`python -m tests.stress.attacks.server [CERTIFICATE KEY]`: the server that is attacked.

The first line of its output says where it is, as JSON. Each line of input is answered with the
bytes of its account.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import spanemu

SCHEMA = ["CREATE TABLE T (K INT64 NOT NULL, V BYTES(MAX)) PRIMARY KEY (K)"]


def main(*tls: str) -> None:
    """Serve until the input ends."""
    more = dict(zip(("tls_cert", "tls_key"), map(Path, tls), strict=False))
    emulator = spanemu.Emulator(
        host_port="127.0.0.1:0",
        rest_host_port="127.0.0.1:0",
        embedded_channel=False,
        gc_freeze=True,  # as `spanemu serve` has it
        **more,  # type: ignore[arg-type]
    )
    database = emulator.create_database("attacked", SCHEMA)
    print(json.dumps(_place(emulator, str(database.name))), flush=True)
    for _ in sys.stdin:
        print(emulator._running._server.account.total_bytes, flush=True)  # type: ignore[union-attr]
    emulator.close()


def _place(emulator: spanemu.Emulator, database: str) -> dict[str, object]:
    running = emulator._running
    assert running is not None
    assert running.rest_address is not None
    return {
        "port": running.address.port,
        "rest_port": running.rest_address.port,
        "database": database,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
