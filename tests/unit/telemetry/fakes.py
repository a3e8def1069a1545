"""Requests without an emulator behind them."""

from __future__ import annotations

from typing import Any, cast

from spanemu.admin.instances import Instances
from spanemu.base.call import Metadata
from spanemu.frontend import wire
from spanemu.frontend.dispatch import ServedCall

DATABASE = "projects/p/instances/i/databases/d"
SESSION = f"{DATABASE}/sessions/s"
NO_INSTANCES = cast("Instances", None)


class FakeCall(ServedCall):
    """A call with some metadata."""

    transport = "grpc"

    def __init__(self, method: str = "ExecuteSql", **metadata: str) -> None:
        super().__init__(f"/google.spanner.v1.Spanner/{method}", None)
        self._metadata = tuple(metadata.items())

    @property
    def metadata(self) -> Metadata:
        return self._metadata


def statement(sql: str = "SELECT 1", tag: str = "") -> Any:
    """Return the request of a statement."""
    return wire.ExecuteSqlRequest(session=SESSION, sql=sql, request_options={"request_tag": tag})
