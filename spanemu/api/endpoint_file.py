"""The endpoint file: publishes the address of a running emulator to other processes.

The file is written atomically, and only the process that wrote the file removes it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from spanemu.base.record import dataclass

BACKEND = "spanemu"


class InvalidEndpointFile(ValueError):
    """An endpoint file that cannot be parsed or lacks a key."""


def reading_problem(problem: OSError | InvalidEndpointFile, path: Path) -> str:
    """Return why an endpoint file cannot be read, and how to write a missing file."""
    if isinstance(problem, FileNotFoundError):
        return f"{path} does not exist. A server writes it: spanemu serve --endpoint-file {path}"
    return str(problem)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The contents of an endpoint file.

    `rest_uri` is None without REST; `started_at` is in RFC 3339 format. `tls_ca` is the file with
    the certificate that clients have to trust, None for a server without TLS.
    """

    uri: str
    pid: int
    project_id: str
    instance_id: str
    started_at: str
    rest_uri: str | None = None
    tls_ca: str | None = None
    backend: str = BACKEND

    def to_json(self) -> str:
        """Return the contents as a JSON object on a single line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, path: Path) -> Endpoint:
        """Read an endpoint file, ignoring unknown keys. Raises OSError or InvalidEndpointFile."""
        try:
            # Servers of other versions write no `tls_ca`.
            contents = {"tls_ca": None, **json.loads(path.read_text(encoding="utf-8"))}
            return cls(**{key: contents[key] for key in cls.__slots__})
        except (ValueError, KeyError, TypeError) as problem:
            raise InvalidEndpointFile(f"{path} is not an endpoint file: {problem}") from problem


@contextmanager
def publish(endpoint: Endpoint, path: Path) -> Iterator[None]:
    """Write the file, and remove the file when the block ends."""
    write(endpoint, path)
    try:
        yield
    finally:
        remove(endpoint, path)


def write(endpoint: Endpoint, path: Path) -> None:
    """Write the file atomically."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(endpoint.to_json() + "\n")
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def remove(endpoint: Endpoint, path: Path) -> None:
    """Remove the file, unless another emulator has replaced it since."""
    with suppress(OSError, InvalidEndpointFile):
        if Endpoint.read(path) == endpoint:
            path.unlink()
