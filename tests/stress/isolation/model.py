"""The database as plain dicts: what it must look like after one transaction at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SCHEMA = (
    """CREATE TABLE Accounts (
      Id INT64 NOT NULL, Grp INT64, Val INT64, Tag STRING(10),
    ) PRIMARY KEY (Id)""",
    "CREATE INDEX AccountsByGrp ON Accounts (Grp DESC) STORING (Val)",
    "CREATE UNIQUE NULL_FILTERED INDEX AccountsByTag ON Accounts (Tag)",
    """CREATE TABLE Entries (
      Id INT64 NOT NULL, N INT64 NOT NULL, Val INT64,
    ) PRIMARY KEY (Id, N DESC), INTERLEAVE IN PARENT Accounts ON DELETE CASCADE""",
    "CREATE TABLE Owners (Id INT64 NOT NULL) PRIMARY KEY (Id)",
    """CREATE TABLE Pets (
      Id INT64 NOT NULL, Owner INT64, Friend INT64,
      FOREIGN KEY (Owner) REFERENCES Owners (Id) ON DELETE CASCADE,
      FOREIGN KEY (Friend) REFERENCES Owners (Id),
    ) PRIMARY KEY (Id)""",
)
KEYS = {"Accounts": "Id", "Entries": "Id, N", "Owners": "Id", "Pets": "Id"}
ACCOUNT = ("Id", "Grp", "Val", "Tag")
ENTRY = ("Id", "N", "Val")
PET = ("Id", "Owner", "Friend")

Account = tuple[int, int, str | None]  # Grp, Val, Tag


class Refused(Exception):
    """The model's word for a failure: the name of its code."""


@dataclass
class State:
    """All rows. A method that raises Refused leaves a state that must not be used any more."""

    entries_ascend: bool = False  # keys of the PostgreSQL dialect have no DESC
    accounts: dict[int, Account] = field(default_factory=dict)
    entries: dict[tuple[int, int], int] = field(default_factory=dict)
    owners: set[int] = field(default_factory=set)
    pets: dict[int, tuple[int | None, int | None]] = field(default_factory=dict)  # owner, friend
    # Accounts, by statements of the transaction at work and by mutations of its commit.
    deleted: set[int] = field(default_factory=set)
    written_owners: set[int] = field(default_factory=set)  # by those mutations
    deleted_owners: set[int] = field(default_factory=set)
    rehomed: set[int] = field(default_factory=set)  # pets, by mutations that gave them an owner

    def copy(self) -> State:
        return State(
            self.entries_ascend,
            dict(self.accounts),
            dict(self.entries),
            set(self.owners),
            dict(self.pets),
        )

    @property
    def rows(self) -> tuple[Any, ...]:
        """Return what two states have in common when they are equal."""
        return self.accounts, self.entries, self.owners, self.pets

    # ------------------------------------------------------------------ reading

    def account_rows(self, low: int, high: int) -> list[tuple[int, int, int, str | None]]:
        """Return rows with low <= Id <= high, in key order."""
        return [(id_, *self.accounts[id_]) for id_ in sorted(self.accounts) if low <= id_ <= high]

    def group(self, low: int, high: int) -> list[tuple[int, int, int]]:
        """Return (Grp, Id, Val) with low <= Grp <= high, in the order of the index."""
        found = [
            (grp, id_, val) for id_, (grp, val, _) in self.accounts.items() if low <= grp <= high
        ]
        return sorted(found, key=lambda row: (-row[0], row[1]))

    def tagged(self) -> list[tuple[str, int]]:
        """Return (Tag, Id), in the order of the index."""
        return sorted((tag, id_) for id_, (_, _, tag) in self.accounts.items() if tag is not None)

    def entry_rows(self, id_: int) -> list[tuple[int, int, int]]:
        """Return an account's entries, in key order."""
        found = [(id_, n, val) for (above, n), val in self.entries.items() if above == id_]
        return sorted(found, key=lambda row: row[1], reverse=not self.entries_ascend)

    # ------------------------------------------------------------------ writing

    def begin_transaction(self) -> None:
        """Begin statements and a commit, whose mutations may not update what they deleted."""
        self.deleted = set()

    def begin_unit(self) -> None:
        """Begin a statement or a commit, whose constraints are checked when all of it is applied."""
        self.written_owners, self.deleted_owners = set(), set()
        self.rehomed = set()

    def insert(self, id_: int, row: Account) -> None:
        if id_ in self.accounts:
            raise Refused("ALREADY_EXISTS")
        self.upsert(id_, row)

    def update(self, id_: int, row: Account) -> None:
        if id_ not in self.accounts:
            raise self.missing(id_)
        self.accounts[id_] = row

    def replace(self, id_: int, row: Account) -> None:
        self.delete(id_)
        self.upsert(id_, row)

    def upsert(self, id_: int, row: Account) -> None:
        self.accounts[id_] = row

    def delete(self, id_: int) -> None:
        """Remove an account, if it is there, with its entries."""
        self.accounts.pop(id_, None)
        for key in [key for key in self.entries if key[0] == id_]:
            del self.entries[key]

    def insert_entry(self, id_: int, n: int, val: int) -> None:
        if (id_, n) in self.entries:
            raise Refused("ALREADY_EXISTS")
        self.upsert_entry(id_, n, val)

    def upsert_entry(self, id_: int, n: int, val: int) -> None:
        if id_ not in self.accounts:
            raise Refused("NOT_FOUND")
        self.entries[id_, n] = val

    def insert_owner(self, id_: int) -> None:
        if id_ in self.owners:
            raise Refused("ALREADY_EXISTS")
        self.owners.add(id_)

    def delete_owner(self, id_: int) -> None:
        """Remove an owner, if it is there, with its pets."""
        if id_ in self.owners:
            self.owners.remove(id_)
            self.pets = {
                key: pet
                for key, pet in self.pets.items()
                if pet[0] != id_ or key in self.rehomed  # No cascade takes those.
            }

    def write_pet(self, id_: int, pet: tuple[int | None, int | None]) -> None:
        """Put a pet in place."""
        if id_ not in self.pets or self.pets[id_][0] != pet[0]:
            self.rehomed.add(id_)
        self.pets[id_] = pet

    def rewrite_owner(self, id_: int, *, deletes: bool) -> None:
        """Refuse mutations of one commit that write and delete rows from which pets cascade."""
        mine, other = self.written_owners, self.deleted_owners
        if deletes:
            mine, other = other, mine
        if id_ in other:
            raise Refused("FAILED_PRECONDITION")
        mine.add(id_)

    def missing(self, id_: int) -> Refused:
        """Return what the update of an account is told that is not there."""
        return Refused("INVALID_ARGUMENT" if id_ in self.deleted else "NOT_FOUND")

    def verify(self) -> None:
        """Check what must hold when a statement or a commit ends."""
        tags = [tag for _, _, tag in self.accounts.values() if tag is not None]
        if len(tags) != len(set(tags)):
            raise Refused("ALREADY_EXISTS")
        known = {*self.owners, None}
        if any(owner not in known or friend not in known for owner, friend in self.pets.values()):
            raise Refused("FAILED_PRECONDITION")
