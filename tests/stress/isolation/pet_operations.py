"""Operations on owners and pets, which foreign keys tie: a pet goes with its owner, who cannot go
as long as another pet has it as a friend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.values.mutation import Delete, Mutation, RawKeySet, Write, WriteKind
from tests.stress.isolation.model import PET, State
from tests.stress.isolation.operations import raw, sql

Person = int | None


@dataclass(frozen=True)
class ReadOwner:
    id: int
    writes = False

    def request(self) -> ReadRequest:
        return ReadRequest("Owners", ("Id",), RawKeySet(keys=[raw(self.id)]))

    def replay(self, state: State) -> Any:
        return [(self.id,)] if self.id in state.owners else []


@dataclass(frozen=True)
class QueryPets:
    """By the index that the foreign key keeps."""

    owner: int
    writes = False

    def request(self) -> StatementRequest:
        text = "SELECT Id, Friend FROM Pets WHERE Owner = @owner ORDER BY Id"
        return sql(text, owner=self.owner)

    def replay(self, state: State) -> Any:
        return [
            (id_, friend)
            for id_, (owner, friend) in sorted(state.pets.items())
            if owner == self.owner
        ]


@dataclass(frozen=True)
class QueryFirstPet:
    """A scan that stops."""

    descending: bool
    writes = False

    def request(self) -> StatementRequest:
        order = "DESC" if self.descending else "ASC"
        return sql(f"SELECT Id, Owner FROM Pets ORDER BY Id {order} LIMIT 1")

    def replay(self, state: State) -> Any:
        ids = sorted(state.pets, reverse=self.descending)
        return [(id_, state.pets[id_][0]) for id_ in ids[:1]]


@dataclass(frozen=True)
class AddOwner:
    id: int
    writes = True

    def request(self) -> StatementRequest:
        return sql("INSERT OR IGNORE INTO Owners (Id) VALUES (@id)", id=self.id)

    def replay(self, state: State) -> Any:
        if self.id in state.owners:
            return 0
        state.owners.add(self.id)
        return 1


@dataclass(frozen=True)
class RemoveOwner:
    id: int
    writes = True

    def request(self) -> StatementRequest:
        return sql("DELETE FROM Owners WHERE Id = @id", id=self.id)

    def replay(self, state: State) -> Any:
        count = int(self.id in state.owners)
        state.delete_owner(self.id)
        state.verify()
        return count


@dataclass(frozen=True)
class PutPet:
    id: int
    owner: Person
    friend: Person
    writes = True

    def request(self) -> StatementRequest:
        text = "INSERT OR UPDATE INTO Pets (Id, Owner, Friend) VALUES (@id, @owner, @friend)"
        return sql(text, id=self.id, owner=self.owner, friend=self.friend)

    def replay(self, state: State) -> Any:
        state.pets[self.id] = (self.owner, self.friend)
        state.verify()
        return 1


@dataclass(frozen=True)
class GivePets:
    """To another owner."""

    source: int
    target: Person
    writes = True

    def request(self) -> StatementRequest:
        text = "UPDATE Pets SET Owner = @target WHERE Owner = @source"
        return sql(text, source=self.source, target=self.target)

    def replay(self, state: State) -> Any:
        given = [id_ for id_, (owner, _) in state.pets.items() if owner == self.source]
        for id_ in given:
            state.pets[id_] = (self.target, state.pets[id_][1])
        state.verify()
        return len(given)


# ---------------------------------------------------------------------------- mutations


@dataclass(frozen=True)
class WritePet:
    id: int
    owner: Person
    friend: Person

    def mutation(self) -> Mutation:
        values = raw(self.id, self.owner, self.friend)
        return Write(WriteKind.INSERT_OR_UPDATE, "Pets", PET, [values])

    def replay(self, state: State) -> None:
        state.write_pet(self.id, (self.owner, self.friend))


@dataclass(frozen=True)
class WriteOwner:
    id: int

    def mutation(self) -> Mutation:
        return Write(WriteKind.INSERT, "Owners", ("Id",), [raw(self.id)])

    def replay(self, state: State) -> None:
        state.rewrite_owner(self.id, deletes=False)
        state.insert_owner(self.id)


@dataclass(frozen=True)
class DropOwner:
    id: int

    def mutation(self) -> Mutation:
        return Delete("Owners", RawKeySet(keys=[raw(self.id)]))

    def replay(self, state: State) -> None:
        self.judge(state)
        state.delete_owner(self.id)

    def judge(self, state: State) -> None:
        """Refuse it whatever rows there are."""
        state.rewrite_owner(self.id, deletes=True)
