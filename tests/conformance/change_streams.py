"""A change stream as tests of raw requests read it: its queries, and their records as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from spanemu.values.timestamp import format_utc
from tests.conformance.raw import Raw, Session, params, read_only

SINGLE_USE = {"single_use": read_only(strong=True)}
TYPES = {
    "start": {"code": "TIMESTAMP"},
    "end": {"code": "TIMESTAMP"},
    "token": {"code": "STRING"},
    "heartbeat": {"code": "INT64"},
}
QUERY = """SELECT ChangeRecord FROM READ_{stream}(start_timestamp => @start, end_timestamp => @end,
           partition_token => @token, heartbeat_milliseconds => @heartbeat)"""


class Record(NamedTuple):
    """A row of a query: its kind, its timestamp in text, and what it holds."""

    kind: str
    timestamp: str
    content: Any

    @property
    def keys(self) -> list[Any]:
        """The keys of the changed rows of a data change record."""
        return [json.loads(mod[0]) for mod in self.content[6]]

    @property
    def tokens(self) -> list[str]:
        """The tokens of the partitions of a child partitions record."""
        return [child[0] for child in self.content[2]]


class Stream:
    """A change stream of a database, read on a session."""

    def __init__(self, raw: Raw, name: str, session: Session | None = None) -> None:
        self.raw = raw
        self.name = name
        self.session = session or raw.session()

    def now(self) -> str:
        """Return a time that has passed."""
        return format_utc(self.database._core.store.read_timestamp())

    @property
    def database(self) -> Any:
        """The database inside the emulator."""
        return self.raw.home._database()

    def query(
        self,
        start: str | None,
        end: str | None = None,
        token: str | None = None,
        heartbeat: int | None = 300_000,
        **fields: Any,
    ) -> Iterator[Any]:
        """Return the replies of a query."""
        values = params(start=start, end=end, token=token, heartbeat=heartbeat)
        fields = {"transaction": SINGLE_USE, "params": values, "param_types": TYPES, **fields}
        sql = fields.pop("sql", QUERY.format(stream=self.name))
        return self.raw.replies(
            "execute_streaming_sql",
            "ExecuteSqlRequest",
            session=self.session.name,
            sql=sql,
            **fields,
        )

    def read(self, *arguments: Any, **fields: Any) -> list[Record]:
        """Return the records of a query, up to its end."""
        return records_in(list(self.query(*arguments, **fields)))

    def tokens(self, start: str) -> list[str]:
        """Return the tokens of the partitions at a time."""
        return [token for record in self.read(start) for token in record.tokens]


def records_in(replies: Sequence[Any]) -> list[Record]:
    """Return the records in replies of which none has a part of a value only."""
    return [_record(value) for reply in replies for value in map(plain, reply.values)]


def _record(value: Any) -> Record:
    ((data, heartbeats, children),) = value
    for kind, result in (("data", data), ("heartbeat", heartbeats), ("children", children)):
        if result:
            (content,) = result
            return Record(kind, content[0], content)
    raise AssertionError(value)


def plain(value: Any) -> Any:
    """Return a google.protobuf.Value as Python values."""
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [plain(each) for each in value.list_value.values]
    return None if kind == "null_value" else getattr(value, kind)
