"""The endpoint file: how a process that started an emulator tells others where it is.

It appears whole or not at all, and only its writer removes it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

BACKEND = "spanemu"


class InvalidEndpointFile(ValueError):
    """An endpoint file that does not say what it should."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What the file says; `rest` is None without a REST gateway, `started_at` is RFC 3339."""

    uri: str
    pid: int
    project_id: str
    instance_id: str
    started_at: str
    rest: str | None = None
    backend: str = BACKEND

    def to_json(self) -> str:
        """One JSON object on one line."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, path: Path) -> Endpoint:
        """What the file says. Raises OSError or InvalidEndpointFile; unknown keys are ignored."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            return cls(**{key: found[key] for key in cls.__slots__})
        except (ValueError, KeyError, TypeError) as problem:
            raise InvalidEndpointFile(f"{path} is not an endpoint file: {problem}") from problem


@contextmanager
def published(endpoint: Endpoint, path: Path) -> Iterator[None]:
    """Have the file there while the block runs."""
    write(endpoint, path)
    try:
        yield
    finally:
        remove(endpoint, path)


def write(endpoint: Endpoint, path: Path) -> None:
    """Write the file so that no reader sees half of it."""
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(endpoint.to_json() + "\n")
        os.replace(draft, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def remove(endpoint: Endpoint, path: Path) -> None:
    """Remove the file, unless another emulator has put its own there meanwhile."""
    with suppress(OSError, InvalidEndpointFile):
        if Endpoint.read(path) == endpoint:
            path.unlink()
