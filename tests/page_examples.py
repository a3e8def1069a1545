"""The schemas of Spanner's page on schema design that stand there in both dialects, as printed.

An ellipsis in the page stands for further columns and is left out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

INSTANTS = ("2016-01-25T15:10:10.555555Z", "2016-01-25T15:10:10.556Z", "2016-01-25T15:10:12Z")
UUIDS = (
    "4192bff0-e1e0-43ce-a4db-912808c32493",
    "d03f9d3f-4ef8-4a2b-a6d3-3f1a6f2d7a11",
    "0a7f63a6-75b1-4a52-8a53-3b8b2f1f9c55",
)


@dataclass(frozen=True)
class Twins:
    """An example of the page in both dialects, and rows of its table."""

    name: str
    googlesql: str
    postgresql: str
    table: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


_USERS = (
    """\
CREATE TABLE Users (
UserId     INT64 NOT NULL,
LastAccess TIMESTAMP,
) PRIMARY KEY (UserId);
""",
    """\
CREATE TABLE Users (
userid     bigint NOT NULL,
lastaccess TIMESTAMPTZ,
PRIMARY KEY (userid)
);
""",
)
_ACCESSES = tuple((user, INSTANTS[2 - user]) for user in range(3))
_USER_ROWS = (*_ACCESSES, (9, None))

TWINS = (
    Twins(
        "a timestamp first",
        """\
CREATE TABLE UserAccessLogs (
  LastAccess TIMESTAMP NOT NULL,
  UserId STRING(1024),
) PRIMARY KEY (LastAccess, UserId);
""",
        """\
CREATE TABLE useraccesslogs (
  lastaccess timestamptz NOT NULL,
  userid text,
PRIMARY KEY (lastaccess, userid)
);
""",
        "UserAccessLogs",
        ("LastAccess", "UserId"),
        tuple((instant, f"user {number}") for number, instant in enumerate(INSTANTS)),
    ),
    Twins(
        "a UUID with a default",
        """\
  CREATE TABLE UserAccessLogs (
    LogEntryId UUID DEFAULT (NEW_UUID()),
    LastAccess TIMESTAMP NOT NULL,
    UserId STRING(1024)
  ) PRIMARY KEY (LogEntryId);
""",
        """\
  CREATE TABLE useraccesslogs (
    logentryid uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    lastaccess timestamptz NOT NULL,
    userid text);
""",
        "UserAccessLogs",
        ("LogEntryId", "LastAccess", "UserId"),
        tuple((uuid, INSTANTS[number], "TomSmith") for number, uuid in enumerate(UUIDS)),
    ),
    Twins(
        "a UUID that the application gives",
        """\
CREATE TABLE UserAccessLogs (
  LogEntryId UUID NOT NULL,
  LastAccess TIMESTAMP NOT NULL,
  UserId STRING(1024),
) PRIMARY KEY (LogEntryId);
""",
        """\
CREATE TABLE useraccesslogs (
  logentryid uuid PRIMARY KEY NOT NULL,
  lastaccess timestamptz NOT NULL,
  userid text);
""",
        "UserAccessLogs",
        ("LogEntryId", "LastAccess", "UserId"),
        tuple((uuid, INSTANTS[number], "TomSmith") for number, uuid in enumerate(UUIDS)),
    ),
    Twins(
        "keys swapped",
        """\
CREATE TABLE UserAccessLogs (
UserId     INT64 NOT NULL,
LastAccess TIMESTAMP NOT NULL,
) PRIMARY KEY (UserId, LastAccess);
""",
        """\
CREATE TABLE useraccesslogs (
userid bigint NOT NULL,
lastaccess TIMESTAMPTZ NOT NULL,
PRIMARY KEY (UserId, LastAccess)
);
""",
        "UserAccessLogs",
        ("UserId", "LastAccess"),
        _ACCESSES,
    ),
    Twins(
        "logical shards",
        """\
CREATE TABLE UserAccessLogs (
ShardId     INT64 NOT NULL,
LastAccess  TIMESTAMP NOT NULL,
UserId      INT64 NOT NULL,
) PRIMARY KEY (ShardId, LastAccess, UserId);
""",
        """\
CREATE TABLE useraccesslogs (
shardid bigint NOT NULL,
lastaccess TIMESTAMPTZ NOT NULL,
userid bigint NOT NULL,
PRIMARY KEY (shardid, lastaccess, userid)
);
""",
        "UserAccessLogs",
        ("ShardId", "LastAccess", "UserId"),
        tuple((number % 2, instant, number) for number, instant in enumerate(INSTANTS)),
    ),
    Twins("a table of users", *_USERS, "Users", ("UserId", "LastAccess"), _USER_ROWS),
    Twins(
        "an index on a timestamp",
        f"""\
{_USERS[0]}
CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(LastAccess);
""",
        f"""\
{_USERS[1]}
CREATE INDEX usersbylastaccess ON users(lastaccess)
WHERE lastaccess IS NOT NULL;
""",
        "Users",
        ("UserId", "LastAccess"),
        _USER_ROWS,
    ),
    Twins(
        "an interleaved index",
        f"""\
{_USERS[0]}
CREATE NULL_FILTERED INDEX UsersByLastAccess
ON Users(UserId, LastAccess),
INTERLEAVE IN Users;
""",
        f"""\
{_USERS[1]}
CREATE INDEX usersbylastaccess ON users(userid, lastaccess)
WHERE lastaccess IS NOT NULL,
INTERLEAVE IN Users;
""",
        "Users",
        ("UserId", "LastAccess"),
        _USER_ROWS,
    ),
)
