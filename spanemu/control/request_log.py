"""The requests that an emulator served lately, for all databases, clients and transports.

    log = emulator.request_log
    page = log.requests()                                    the latest; recording begins here
    newer = log.requests(after=page.last, wait_seconds=5)    what came since, waiting for it

`telemetry.request_log` records for an emulator in this process.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from spanemu.control.operation import ControlInterface, operation

# mypy: disable-error-code="empty-body"

WAIT_SECONDS_MAX = 5.0


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request that has ended.

    number               counts all requests since the log began, from 1
    at                   the arrival by the machine's clock, which no test moves
    transport            "grpc", "rest" or "embedded"
    method               the RPC, such as "ExecuteStreamingSql"
    status, error        the code, "OK" for success, and the message of a failure
    seconds              from the arrival to the last reply; `lock_wait_seconds` of it for locks
    database, session    full names, or ""
    transaction          the id of the transaction; "" for a single-use transaction
    sql                  the SQL text on a single line, shortened; for a read, a sentence such as
                         "READ Name FROM Singers"; for a commit, its mutations by table
    rows                 the returned rows; of DML without THEN RETURN, the modified rows
    mutations            of a commit, as Spanner counts them, index entries included
    bytes                the size of the returned rows
    """

    number: int
    at: datetime
    transport: str
    method: str
    status: str
    seconds: float
    error: str = ""
    lock_wait_seconds: float = 0.0
    database: str = ""
    session: str = ""
    transaction: str = ""
    transaction_tag: str = ""
    request_tag: str = ""
    sql: str = ""
    rows: int = 0
    mutations: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class RequestPage:
    """A page of requests in the order in which they ended.

    `last` is the number of the last request of the page, for the next call; without requests it is
    the number that the call was given, or that of the last request of the log.
    """

    requests: list[LoggedRequest]
    last: int


class RequestLog(ControlInterface):
    """The latest requests of an emulator."""

    PATH = "requests"

    @operation("Requests", "GET")
    def requests(
        self, *, after: int = 0, limit: int = 100, database: str = "", wait_seconds: float = 0.0
    ) -> RequestPage:
        """Return the latest `limit` requests after the number `after`, the oldest first.

        Recording begins with the first call, unless the emulator was started with a request log,
        and ends when nobody has called for some minutes. `database` is the full name of a database,
        to see no others. Without newer requests, the call waits for `wait_seconds`, at most 5.
        Raises ValueError for a negative argument.
        """
