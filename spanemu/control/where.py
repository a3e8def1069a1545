"""Matches RPCs for faults: by method, database, table, SQL text, tags and client."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol, TypedDict


class FaultyRpc(Protocol):
    """The properties of an arrived request that faults match on."""

    @property
    def method(self) -> str:
        """The RPC's name, such as "Commit"."""
        ...

    @property
    def database(self) -> str:
        """The full name of the request's database, or ""."""
        ...

    @property
    def session(self) -> str:
        """The full name of the request's session, or ""."""
        ...

    @property
    def transaction_id(self) -> bytes:
        """The id of the transaction that the request names, or b""."""
        ...

    @property
    def begins(self) -> str:
        """The mode of the transaction that the request begins, such as "read_write"."""
        ...

    @property
    def request_tag(self) -> str: ...

    @property
    def transaction_tag(self) -> str: ...

    @property
    def client(self) -> str:
        """The user agent of the client library."""
        ...

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL texts of the request."""
        ...

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the request reads or writes, in lower case."""
        ...

    @property
    def fingerprint(self) -> bytes:
        """A hash, equal for equal requests."""
        ...


class Selection(TypedDict, total=False):
    """The arguments by which a fault selects RPCs. An omitted argument matches every RPC.

    database           the id, the full name or a handle of the database
    table              the name of a table, in any case
    sql                a regular expression, searched for in the statements
    tag                the request tag, exactly
    transaction_tag    the transaction tag, exactly
    client             a part of the client library's user agent
    nth, times         of the RPCs selected so, strike number `nth` (default 1) and the ones after
                       it, `times` in all (default 1)
    every              strike only each `every`-th RPC from `nth` on
    """

    database: object
    table: str
    sql: str
    tag: str
    transaction_tag: str
    client: str
    nth: int
    times: int
    every: int


@dataclass(frozen=True, slots=True)
class RpcMatcher:
    """A test for RPCs; a field that is None matches every RPC."""

    method: str | None = None
    database: str | None = None
    table: str | None = None
    sql: re.Pattern[str] | None = None
    tag: str | None = None
    transaction_tag: str | None = None
    client: str | None = None

    @classmethod
    def of(cls, method: str | None, chosen: Selection) -> RpcMatcher:
        """Return the matcher that the arguments of a verb describe.

        Raises ValueError for an unknown argument and for a bad pattern.
        """
        for name in chosen.keys() - Selection.__annotations__.keys():
            known = ", ".join(Selection.__annotations__)
            raise ValueError(f"there is no selector {name!r}; there are: {known}")
        database, table, sql = chosen.get("database"), chosen.get("table"), chosen.get("sql")
        return cls(
            method=method,
            database=None if database is None else str(getattr(database, "name", database)),
            table=None if table is None else table.lower(),
            sql=None if sql is None else _pattern(sql),
            tag=chosen.get("tag"),
            transaction_tag=chosen.get("transaction_tag"),
            client=chosen.get("client"),
        )

    def matches(self, rpc: FaultyRpc) -> bool:
        """Return whether `rpc` matches; cheap tests run first."""
        return (
            self.method in (None, rpc.method)
            and self.tag in (None, rpc.request_tag)
            and self.transaction_tag in (None, rpc.transaction_tag)
            and (self.database is None or self._is_in(rpc.database))
            and (self.client is None or self.client in rpc.client)
            and (self.sql is None or any(map(self.sql.search, rpc.statements)))
            and (self.table is None or self.table in rpc.tables)
        )

    def _is_in(self, database: str) -> bool:
        assert self.database is not None
        if "/" in self.database:
            return database == self.database
        return database.endswith(f"/databases/{self.database}")

    def __str__(self) -> str:
        chosen = {
            "database": self.database,
            "table": self.table,
            "sql": None if self.sql is None else self.sql.pattern,
            "tag": self.tag,
            "transaction_tag": self.transaction_tag,
            "client": self.client,
        }
        parts = [f"{name}={value!r}" for name, value in chosen.items() if value is not None]
        return ", ".join([self.method or "any RPC", *parts])


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE | re.DOTALL)
    except re.error as problem:
        raise ValueError(f"sql={text!r} is not a regular expression: {problem}") from None
