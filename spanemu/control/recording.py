"""What the clients of a database did while a block ran: statements, reads, commits, aborts.

    with emulator.record(database) as recorded:
        checkout(...)
    recorded.queries, recorded.commits, recorded.mutations, recorded.aborts

It is filled by `recorder`. A recording knows which line of the client's code made each request, if
the client runs in this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from spanemu.base.serialization import from_plain


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One statement or read. `kind` is "query", "dml" or "read"; `site` is the line of the client's
    code that made it, as "file.py:12", and `caller` the line that called its function; or "".

    `sql` of a read is a sentence like "READ Name FROM Singers". `full_scans` and `indexes` are
    names; `error` the status of one that failed, "" otherwise; `seconds` from request to answer,
    `lock_wait_seconds` of them for locks. `transaction` is the id of one that was begun, "" for a
    request that had one for itself. `bound` is how a read-only one chose its timestamp, as in
    "strong" or "exact_staleness"; "" in others, and where it began before the recording.
    """

    kind: str
    sql: str
    tables: tuple[str, ...]
    full_scans: tuple[str, ...]
    indexes: tuple[str, ...]
    sorts: bool
    site: str
    tag: str
    error: str
    seconds: float
    transaction: str = ""
    lock_wait_seconds: float = 0.0
    bound: str = ""
    caller: str = ""

    @property
    def is_stale(self) -> bool:
        """Return whether the read timestamp may be past, so that the read waited for no lock."""
        return self.bound not in ("", "strong")


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """One commit that was asked for; `mutations` counts as Spanner counts them, index entries too.

    `tables` are those of its mutations; DML wrote its own before. `participants` are the splits
    that took part: more than one make a two-phase commit. 0 for one that failed.
    """

    mutations: int
    tables: tuple[str, ...]
    site: str
    tag: str
    error: str
    seconds: float
    transaction: str = ""
    lock_wait_seconds: float = 0.0
    participants: int = 0
    caller: str = ""


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """The requests of one transaction, in order; `commit` is the last commit attempt, if any.

    A record without an id is a commit with a single-use transaction.
    """

    id: str
    queries: tuple[QueryRecord, ...]
    commit: CommitRecord | None

    @property
    def error(self) -> str:
        """The status that it failed with, "" when it did not."""
        if self.commit is not None:
            return self.commit.error
        return self.queries[-1].error if self.queries else ""

    @property
    def lock_wait_seconds(self) -> float:
        """The seconds that the transaction waited for locks of other transactions."""
        own = self.commit.lock_wait_seconds if self.commit is not None else 0.0
        return own + sum(query.lock_wait_seconds for query in self.queries)


@dataclass(slots=True)
class Recording:
    """The recorded requests of a database's clients, in the order in which they ended."""

    database: str
    queries: list[QueryRecord] = field(default_factory=list)
    attempts: list[CommitRecord] = field(default_factory=list)  # commits, failed ones too
    aborts: int = 0  # requests of any kind that were answered ABORTED
    rpcs: dict[str, int] = field(default_factory=dict)  # by name

    @property
    def commits(self) -> list[CommitRecord]:
        """The commits that succeeded."""
        return [commit for commit in self.attempts if not commit.error]

    @property
    def mutations(self) -> int:
        """Mutations of the commits that succeeded."""
        return sum(commit.mutations for commit in self.commits)

    @property
    def full_scans(self) -> list[QueryRecord]:
        """Statements and reads that go through a whole table or index."""
        return [query for query in self.queries if query.full_scans]

    @property
    def transactions(self) -> list[TransactionRecord]:
        """The requests grouped by transaction; a commit without an id is its own group."""
        return transactions_of(self.queries, self.attempts)

    def after(self, queries: int, attempts: int) -> Recording:
        """Return a copy without the first `queries` queries and `attempts` commit attempts."""
        return Recording(
            self.database,
            self.queries[queries:],
            self.attempts[attempts:],
            self.aborts,
            dict(self.rpcs),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recording:
        """Return the recording that `to_json` serialized. Raises ValueError."""
        return cls(
            data["database"],
            from_plain(list[QueryRecord], data["queries"]),
            from_plain(list[CommitRecord], data["commits"]),
            from_plain(int, data["aborts"]),
            from_plain(dict[str, int], data["rpcs"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole recording as plain data."""
        return {
            "database": self.database,
            "queries": [asdict(query) for query in self.queries],
            "commits": [asdict(commit) for commit in self.attempts],
            "mutations": self.mutations,
            "aborts": self.aborts,
            "rpcs": dict(self.rpcs),
        }


def transactions_of(
    queries: Iterable[QueryRecord], attempts: Iterable[CommitRecord]
) -> list[TransactionRecord]:
    """Group requests by transaction: with queries first, commits without an id last."""
    asked: dict[str, list[QueryRecord]] = {}
    for query in queries:
        if query.transaction:
            asked.setdefault(query.transaction, []).append(query)
    grouped, alone = (
        {id_: TransactionRecord(id_, tuple(each), None) for id_, each in asked.items()},
        [],
    )
    for commit in attempts:
        if not commit.transaction:
            alone.append(TransactionRecord("", (), commit))
            continue
        own = tuple(asked.get(commit.transaction, ()))
        grouped[commit.transaction] = TransactionRecord(commit.transaction, own, commit)
    return [*grouped.values(), *alone]
