"""Spanner Omni and Cloud Spanner, with the interface of an emulator's handle.

Everything goes through the official client. Instances must exist already; none is created.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

from google.cloud.spanner import Client

import spanemu
from pytest_spanemu.targets.resource_names import CLOUD_HOST
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "[::1]"})


class _NoControl:
    """The emulator's control operations on a real Spanner: each raises Unsupported."""

    def __call__(self, operation: str, **arguments: Any) -> Any:
        raise spanemu.Unsupported(f"{operation} (an operation of spanemu alone)")

    def close(self) -> None:
        """Do nothing: no connection is open."""


class RealDatabase(spanemu.RemoteDatabase):
    """A database of a real Spanner, whose URLs and environment name no emulator."""

    def sqlalchemy_url(self) -> str:
        """Return the URL for `sqlalchemy.create_engine`, with the environment's credentials."""
        return f"spanner+spanner:///{self.name}"

    def jdbc_url(self) -> str:
        """Return the URL for Spanner's JDBC driver."""
        return f"jdbc:cloudspanner:/{self.name}"

    def environ(self) -> dict[str, str]:
        """Return the environment variables by which clients find this database."""
        variables = super().environ()
        del variables["SPANNER_EMULATOR_HOST"]
        return variables


class RealSpanner(spanemu.RemoteEmulator):
    """The base of `OmniSpanner` and `CloudSpanner`: client, databases, existing instance."""

    def __init__(self, uri: str, **names: Any) -> None:
        super().__init__(uri, **names)
        self.calls = _NoControl()  # type: ignore[assignment]

    def database(self, name: str) -> RealDatabase:
        """Return the handle of a database, by id or full resource name."""
        return RealDatabase(self, self.resolve(name))

    def create_database(
        self, name: str, schema: Any = (), *, dialect: str = GOOGLE_STANDARD_SQL.option
    ) -> RealDatabase:
        """Create a database. Raises the exceptions of the official client."""
        super().create_database(name, schema, dialect=dialect)
        return self.database(name)

    def client(self, project: str | None = None) -> Any:
        """Return the official client of a project, the same object on each call in a process."""
        project = project or self.project
        key = os.getpid(), project
        if key not in self._clients:
            self._clients[key] = Client(
                project=project, disable_builtin_metrics=True, **self._options()
            )
        return self._clients[key]

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError

    def _ensure_instance(self, target: Any) -> None:
        """Do nothing: an instance costs money, so the run never creates an instance."""


class OmniSpanner(RealSpanner):
    """Spanner Omni: without TLS on this machine, as in its quickstart, with TLS elsewhere."""

    def _options(self) -> dict[str, Any]:
        if "instance_type" not in inspect.signature(Client).parameters:
            raise RuntimeError("target omni needs google-cloud-spanner 3.70 or later")
        return {
            "client_options": {"api_endpoint": self.uri},
            "instance_type": "omni",
            "use_plain_text": self.host in LOOPBACK,
        }


class CloudSpanner(RealSpanner):
    """Cloud Spanner, with the credentials of the environment."""

    def _options(self) -> dict[str, Any]:
        return {} if self.uri == CLOUD_HOST else {"client_options": {"api_endpoint": self.uri}}
