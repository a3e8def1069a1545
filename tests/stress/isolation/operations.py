"""What a transaction does: each operation runs on a session, and on the model.

Both give what the client sees, so that they can be compared: rows, a count, or `Refused`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from spanemu.base.errors import SpannerError
from spanemu.database.options import ReadRequest, Selector, StatementRequest
from spanemu.database.statements.results import ResultStream
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.values.mutation import Delete, Mutation, RawKeySet, RawRange, Write, WriteKind
from tests.dialects import postgresql_sql
from tests.stress.isolation.model import ACCOUNT, ENTRY, KEYS, PET, Account, Refused, State
from tests.stress.isolation.stage import pause

EVERYTHING = RawKeySet(all=True)


class Operation(Protocol):
    """One step of a transaction."""

    writes: bool

    def request(self) -> ReadRequest | StatementRequest:
        """Return what to ask the session."""
        ...

    def replay(self, state: State) -> Any:
        """Return what the model answers, changed by it."""
        ...


def raw(*parts: Any) -> list[Any]:
    """Return values as clients send them."""
    return [str(part) if isinstance(part, int) else part for part in parts]


def between(low: int, high: int) -> RawKeySet:
    return RawKeySet(ranges=[RawRange(raw(low), True, raw(high), True)])


def sql(text: str, **parameters: Any) -> StatementRequest:
    """Return a statement with parameters."""
    return StatementRequest(text, {name: raw(value)[0] for name, value in parameters.items()})


# ---------------------------------------------------------------------------- reads


@dataclass(frozen=True)
class ReadAccount:
    id: int
    exclusive: bool = False
    writes = False

    def request(self) -> ReadRequest:
        keys = RawKeySet(keys=[raw(self.id)])
        return ReadRequest("Accounts", ACCOUNT, keys, lock_exclusive=self.exclusive)

    def replay(self, state: State) -> Any:
        return state.account_rows(self.id, self.id)


@dataclass(frozen=True)
class ReadAccounts:
    low: int
    high: int
    limit: int = 0
    writes = False

    def request(self) -> ReadRequest:
        return ReadRequest("Accounts", ACCOUNT, between(self.low, self.high), limit=self.limit)

    def replay(self, state: State) -> Any:
        return state.account_rows(self.low, self.high)[: self.limit or None]


@dataclass(frozen=True)
class ReadGroups:
    """By the index, whose key is descending."""

    low: int
    high: int
    writes = False

    def request(self) -> ReadRequest:
        keys = between(self.high, self.low)
        return ReadRequest("Accounts", ("Grp", "Id", "Val"), keys, "AccountsByGrp")

    def replay(self, state: State) -> Any:
        return state.group(self.low, self.high)


@dataclass(frozen=True)
class ReadTag:
    tag: str
    writes = False

    def request(self) -> ReadRequest:
        keys = RawKeySet(keys=[[self.tag]])
        return ReadRequest("Accounts", ("Tag", "Id"), keys, "AccountsByTag")

    def replay(self, state: State) -> Any:
        return [row for row in state.tagged() if row[0] == self.tag]


@dataclass(frozen=True)
class ReadEntries:
    id: int
    writes = False

    def request(self) -> ReadRequest:
        return ReadRequest("Entries", ENTRY, between(self.id, self.id))

    def replay(self, state: State) -> Any:
        return state.entry_rows(self.id)


@dataclass(frozen=True)
class QuerySum:
    low: int
    high: int
    for_update: bool = False
    writes = False

    def request(self) -> StatementRequest:
        text = "SELECT COUNT(*), SUM(Val) FROM Accounts WHERE Id BETWEEN @low AND @high"
        if self.for_update:
            text += " FOR UPDATE"
        return sql(text, low=self.low, high=self.high)

    def replay(self, state: State) -> Any:
        values = [row[2] for row in state.account_rows(self.low, self.high)]
        return [(len(values), sum(values) if values else None)]


@dataclass(frozen=True)
class QueryEntriesOfGroup:
    grp: int
    writes = False

    def request(self) -> StatementRequest:
        return sql(
            "SELECT e.Id, e.N, e.Val FROM Accounts@{FORCE_INDEX=AccountsByGrp} AS a"
            " JOIN Entries AS e ON e.Id = a.Id WHERE a.Grp = @grp ORDER BY e.Id, e.N DESC",
            grp=self.grp,
        )

    def replay(self, state: State) -> Any:
        accounts = [id_ for _, id_, _ in state.group(self.grp, self.grp)]
        return [
            row
            for id_ in accounts
            for row in sorted(state.entry_rows(id_), key=lambda row: row[1], reverse=True)
        ]


# ---------------------------------------------------------------------------- DML


@dataclass(frozen=True)
class AddTo:
    id: int
    delta: int
    writes = True

    def request(self) -> StatementRequest:
        text = "UPDATE Accounts SET Val = Val + @delta WHERE Id = @id"
        return sql(text, id=self.id, delta=self.delta)

    def replay(self, state: State) -> Any:
        if self.id not in state.accounts:
            return 0
        grp, val, tag = state.accounts[self.id]
        state.accounts[self.id] = (grp, val + self.delta, tag)
        return 1


@dataclass(frozen=True)
class MoveGroup:
    source: int
    target: int
    writes = True

    def request(self) -> StatementRequest:
        text = "UPDATE Accounts SET Grp = @target WHERE Grp = @source"
        return sql(text, source=self.source, target=self.target)

    def replay(self, state: State) -> Any:
        moved = state.group(self.source, self.source)
        for _, id_, val in moved:
            state.accounts[id_] = (self.target, val, state.accounts[id_][2])
        return len(moved)


@dataclass(frozen=True)
class InsertAccount:
    id: int
    row: Account
    writes = True

    def request(self) -> StatementRequest:
        grp, val, tag = self.row
        text = "INSERT INTO Accounts (Id, Grp, Val, Tag) VALUES (@id, @grp, @val, @tag)"
        return sql(text, id=self.id, grp=grp, val=val, tag=tag)

    def replay(self, state: State) -> Any:
        state.begin_unit()
        state.insert(self.id, self.row)
        state.verify()
        return 1


@dataclass(frozen=True)
class PutAccount:
    id: int
    row: Account
    writes = True

    def request(self) -> StatementRequest:
        grp, val, tag = self.row
        text = "INSERT OR UPDATE INTO Accounts (Id, Grp, Val, Tag) VALUES (@id, @grp, @val, @tag)"
        return sql(text, id=self.id, grp=grp, val=val, tag=tag)

    def replay(self, state: State) -> Any:
        state.begin_unit()
        state.upsert(self.id, self.row)
        state.verify()
        return 1


@dataclass(frozen=True)
class PutEntry:
    id: int
    n: int
    val: int
    writes = True

    def request(self) -> StatementRequest:
        text = "INSERT OR UPDATE INTO Entries (Id, N, Val) VALUES (@id, @n, @val)"
        return sql(text, id=self.id, n=self.n, val=self.val)

    def replay(self, state: State) -> Any:
        state.begin_unit()
        state.upsert_entry(self.id, self.n, self.val)
        return 1


@dataclass(frozen=True)
class CopyGroup:
    """An entry for each account of a group."""

    grp: int
    n: int
    writes = True

    def request(self) -> StatementRequest:
        text = "INSERT INTO Entries (Id, N, Val) SELECT Id, @n, Val FROM Accounts WHERE Grp = @grp"
        return sql(text, n=self.n, grp=self.grp)

    def replay(self, state: State) -> Any:
        state.begin_unit()
        found = state.group(self.grp, self.grp)
        for _, id_, val in found:
            state.insert_entry(id_, self.n, val)
        return len(found)


@dataclass(frozen=True)
class DeleteAccounts:
    low: int
    high: int
    writes = True

    def request(self) -> StatementRequest:
        text = "DELETE FROM Accounts WHERE Id BETWEEN @low AND @high"
        return sql(text, low=self.low, high=self.high)

    def replay(self, state: State) -> Any:
        gone = state.account_rows(self.low, self.high)
        for row in gone:
            state.deleted.add(row[0])
            state.delete(row[0])
        return len(gone)


@dataclass(frozen=True)
class TakeEntry:
    """DML that returns what it removes."""

    id: int
    n: int
    writes = True

    def request(self) -> StatementRequest:
        text = "DELETE FROM Entries WHERE Id = @id AND N = @n THEN RETURN Val"
        return sql(text, id=self.id, n=self.n)

    def replay(self, state: State) -> Any:
        val = state.entries.pop((self.id, self.n), None)
        return [] if val is None else [(val,)]


# ---------------------------------------------------------------------------- mutations


@dataclass(frozen=True)
class WriteAccount:
    kind: WriteKind
    id: int
    row: Account

    def mutation(self) -> Mutation:
        return Write(self.kind, "Accounts", ACCOUNT, [raw(self.id, *self.row)])

    def replay(self, state: State) -> None:
        _ACCOUNT_WRITES[self.kind](state, self.id, self.row)


_ACCOUNT_WRITES = {
    WriteKind.INSERT: State.insert,
    WriteKind.UPDATE: State.update,
    WriteKind.REPLACE: State.replace,
    WriteKind.INSERT_OR_UPDATE: State.upsert,
}


@dataclass(frozen=True)
class WriteEntry:
    kind: WriteKind
    id: int
    n: int
    val: int

    def mutation(self) -> Mutation:
        return Write(self.kind, "Entries", ENTRY, [raw(self.id, self.n, self.val)])

    def replay(self, state: State) -> None:
        write = State.insert_entry if self.kind is WriteKind.INSERT else State.upsert_entry
        write(state, self.id, self.n, self.val)


@dataclass(frozen=True)
class DropAccounts:
    low: int
    high: int

    def mutation(self) -> Mutation:
        return Delete("Accounts", between(self.low, self.high))

    def replay(self, state: State) -> None:
        state.deleted.update(range(self.low, self.high + 1))
        for row in state.account_rows(self.low, self.high):
            state.delete(row[0])


@dataclass(frozen=True)
class Mutations:
    """The mutations of a commit."""

    parts: Sequence[Any]
    writes = True

    def replay(self, state: State) -> Any:
        state.begin_unit()
        for position, part in enumerate(self.parts):
            try:
                part.replay(state)
            except Refused as refused:
                # What is written and deleted is judged before what the rows say.
                if str(refused) in ("ALREADY_EXISTS", "NOT_FOUND"):
                    for later in self.parts[position + 1 :]:
                        if hasattr(later, "judge"):
                            later.judge(state)
                raise
        state.verify()
        return None


# ---------------------------------------------------------------------------- running


def run(
    session: Any, operation: Operation, selector: Selector, seqno: int, dialect: DatabaseDialect
) -> tuple[Any, ResultStream]:
    """Return what the client sees, and the stream of it. Raises SpannerError."""
    request = operation.request()
    if isinstance(request, ReadRequest):
        stream = session.read(request, selector)
        return _slowly(stream), stream
    text, parameters = request.sql, request.parameters
    if dialect is POSTGRESQL:
        text, parameters = postgresql_sql(text, parameters, KEYS)
    request = StatementRequest(text, parameters, seqno=seqno if operation.writes else 0)
    stream = session.execute(request, selector)
    rows = _slowly(stream)
    return (rows if stream.columns else stream.stats.row_count), stream


def _slowly(stream: ResultStream) -> list[Any]:
    """Return the rows of a stream, while others have their turns."""
    rows = []
    for row in stream.rows:
        rows.append(row)
        pause()
    return rows


def code_of(failure: SpannerError) -> str:
    """Return the model's word for a failure."""
    return failure.code.name


INDEX_READS: Mapping[str, ReadRequest] = {
    "Accounts": ReadRequest("Accounts", ACCOUNT, EVERYTHING),
    "AccountsByGrp": ReadRequest("Accounts", ("Grp", "Id", "Val"), EVERYTHING, "AccountsByGrp"),
    "AccountsByTag": ReadRequest("Accounts", ("Tag", "Id"), EVERYTHING, "AccountsByTag"),
    "Entries": ReadRequest("Entries", ENTRY, EVERYTHING),
    "Owners": ReadRequest("Owners", ("Id",), EVERYTHING),
    "Pets": ReadRequest("Pets", PET, EVERYTHING),
}
