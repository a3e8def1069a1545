"""Real Spanners: Omni and Cloud. What tests need of an emulator they offer through the official
client alone; instances are there already, and are never created.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

from google.cloud.spanner import Client

import spanemu

CLOUD_HOST = "spanner.googleapis.com:443"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


class _NoControl:
    """Stands where an emulator's own operations are: there are none, and nobody is dialled."""

    def __call__(self, operation: str, **arguments: Any) -> Any:
        raise spanemu.Unsupported(f"{operation} (which only spanemu has)")

    def close(self) -> None:
        """There is nothing to close."""


class RealDatabase(spanemu.RemoteDatabase):
    """A database of a real Spanner, which clients find without the word emulator."""

    def sqlalchemy_url(self) -> str:
        """A URL for `sqlalchemy.create_engine`; the credentials are those of the environment."""
        return f"spanner+spanner:///{self.name}"

    def jdbc_url(self) -> str:
        """A URL for Spanner's JDBC driver."""
        return f"jdbc:cloudspanner:/{self.name}"

    def environ(self) -> dict[str, str]:
        """The environment in which code that makes its own client finds this database."""
        found = super().environ()
        del found["SPANNER_EMULATOR_HOST"]
        return found


class RealSpanner(spanemu.RemoteEmulator):
    """What is the same for all: the client that is dialled with, and whose the instance is."""

    def __init__(self, uri: str, **names: Any) -> None:
        super().__init__(uri, **names)
        self.calls = _NoControl()  # type: ignore[assignment]

    def database(self, name: str) -> RealDatabase:
        """A handle on a database, by id or full resource name."""
        return RealDatabase(self, self.resolve(name))

    def create_database(self, name: str, schema: Any = ()) -> RealDatabase:
        """Create a database. Raises what the official client raises."""
        super().create_database(name, schema)
        return self.database(name)

    def client(self, project: str | None = None) -> Any:
        """The official client, always the same one."""
        wanted = project or self.project
        key = os.getpid(), wanted
        if key not in self._clients:
            self._clients[key] = Client(
                project=wanted, disable_builtin_metrics=True, **self._options()
            )
        return self._clients[key]

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _ensure_instance(self, target: Any) -> None:
        """It is somebody's, and costs money: it is there, or the run fails."""


class OmniSpanner(RealSpanner):
    """Spanner Omni. On this machine without TLS, as its quick start runs it; elsewhere with."""

    def _options(self) -> dict[str, Any]:
        if "instance_type" not in inspect.signature(Client).parameters:
            raise RuntimeError("target omni needs a newer google-cloud-spanner: 3.70 or later")
        return {
            "client_options": {"api_endpoint": self.uri},
            "instance_type": "omni",
            "use_plain_text": self.host in LOOPBACK,
        }


class CloudSpanner(RealSpanner):
    """Cloud Spanner, with the credentials that the environment has for it."""

    def _options(self) -> dict[str, Any]:
        return {} if self.uri == CLOUD_HOST else {"client_options": {"api_endpoint": self.uri}}
