"""Operations on single columns of accounts, which go side by side with those on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanemu.database.options import StatementRequest
from spanemu.values.mutation import Mutation, Write, WriteKind
from tests.stress.isolation.model import ACCOUNT, Account, State
from tests.stress.isolation.operations import raw, sql

COLUMNS = ACCOUNT[1:]


def place(column: str) -> int:
    """Return where an account of the model holds a column."""
    return COLUMNS.index(column)


def changed(row: Account, column: str, value: Any) -> Account:
    """Return the account with another value in that column."""
    cells = list(row)
    cells[place(column)] = value
    grp, val, tag = cells
    return grp, val, tag


@dataclass(frozen=True)
class ReadColumn:
    low: int
    high: int
    column: str
    for_update: bool = False
    writes = False

    def request(self) -> StatementRequest:
        text = f"SELECT Id, {self.column} FROM Accounts WHERE Id BETWEEN @low AND @high ORDER BY Id"
        if self.low == self.high:
            text = f"SELECT Id, {self.column} FROM Accounts WHERE Id = @low AND Id = @high"
        return sql(text + " FOR UPDATE" * self.for_update, low=self.low, high=self.high)

    def replay(self, state: State) -> Any:
        rows = state.account_rows(self.low, self.high)
        return [(row[0], row[1 + place(self.column)]) for row in rows]


@dataclass(frozen=True)
class SetColumn:
    """Without reading what it overwrites."""

    low: int
    high: int
    column: str
    value: Any
    writes = True

    def request(self) -> StatementRequest:
        where = "Id BETWEEN @low AND @high"
        if self.low == self.high:
            where = "Id = @low AND Id = @high"
        value = "NULL" if self.value is None else "@value"
        text = f"UPDATE Accounts SET {self.column} = {value} WHERE {where}"
        given = {} if self.value is None else {"value": self.value}
        return sql(text, low=self.low, high=self.high, **given)

    def replay(self, state: State) -> Any:
        rows = state.account_rows(self.low, self.high)
        for id_, *_ in rows:
            state.accounts[id_] = changed(state.accounts[id_], self.column, self.value)
        state.verify()
        return len(rows)


@dataclass(frozen=True)
class TakeTag:
    """Writes one column and returns the others."""

    id: int
    writes = True

    def request(self) -> StatementRequest:
        text = "UPDATE Accounts SET Tag = NULL WHERE Id = @id THEN RETURN Grp, Val, Tag"
        return sql(text, id=self.id)

    def replay(self, state: State) -> Any:
        if self.id not in state.accounts:
            return []
        state.accounts[self.id] = changed(state.accounts[self.id], "Tag", None)
        return [state.accounts[self.id]]


@dataclass(frozen=True)
class WriteCell:
    """A mutation of one column."""

    id: int
    column: str
    value: Any

    def mutation(self) -> Mutation:
        columns = ("Id", self.column)
        return Write(WriteKind.UPDATE, "Accounts", columns, [raw(self.id, self.value)])

    def replay(self, state: State) -> None:
        if self.id not in state.accounts:
            raise state.missing(self.id)
        state.accounts[self.id] = changed(state.accounts[self.id], self.column, self.value)


@dataclass(frozen=True)
class WriteMoney:
    """A mutation of all columns but the tag, whether there is a row or not."""

    id: int
    grp: int
    val: int

    def mutation(self) -> Mutation:
        columns = ("Id", "Grp", "Val")
        values = raw(self.id, self.grp, self.val)
        return Write(WriteKind.INSERT_OR_UPDATE, "Accounts", columns, [values])

    def replay(self, state: State) -> None:
        tag = state.accounts[self.id][2] if self.id in state.accounts else None
        state.upsert(self.id, (self.grp, self.val, tag))
