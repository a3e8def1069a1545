"""`python -m tests.stress.rest`: malformed requests to a server; exit 1 if one was served badly."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import spanemu
from spanemu.api.endpoint_file import Endpoint
from spanemu.base.clock import monotonic
from spanemu.base.rand import Randomness
from tests.stress.rest.campaign import SCHEMA, campaign
from tests.stress.rest.requests import DATABASE_ID
from tests.stress.server.memory import MEBIBYTE, resident_mebibytes


@contextmanager
def served() -> Iterator[Endpoint]:
    """Yield a server of its own, with the database of the requests."""
    with TemporaryDirectory() as folder:
        file, schema = Path(folder, "endpoint.json"), Path(folder, "schema.sql")
        schema.write_text(SCHEMA)
        command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
        command += [
            "--rest-host-port",
            "127.0.0.1:0",
            "--endpoint-file",
            str(file),
            "--database",
            DATABASE_ID,
            "--schema",
            str(schema),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                process.stdout.readline()
                yield Endpoint.read(file)
            finally:
                process.terminate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.rest", description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, help="repeat an earlier campaign")
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"spanemu {spanemu.__version__}, seed {seed}", flush=True)
    started = monotonic()
    with served() as endpoint:
        assert endpoint.rest_uri is not None
        memory = partial(_resident_bytes, endpoint.pid)
        findings = campaign(endpoint.rest_uri, options.requests, seed, memory)
    print(f"{options.requests} requests in {monotonic() - started:.0f} s: {findings}")
    return 1 if findings.problems else 0


def _resident_bytes(pid: int) -> int:
    return int(resident_mebibytes(pid) * MEBIBYTE)


if __name__ == "__main__":
    sys.exit(main())
