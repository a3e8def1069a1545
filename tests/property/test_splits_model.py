"""A database whose splits are cut, merged and moved in every way, against one that is left alone.

Rows are the same at every step; boundaries are where the policy lets them be; partitions have every
row exactly once; a restore brings boundaries and servers back.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spanemu.base.clock import ManualClock
from spanemu.base.errors import SpannerError
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.database.statements.partitions import partition_ranges
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.storage.layout import EVERYTHING, tree_of
from spanemu.storage.split_settings import SplitPolicy
from spanemu.values.mutation import Delete, Mutation, RawKeySet, Write, WriteKind

SCHEMA = [
    "CREATE TABLE Singers (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)",
    "CREATE TABLE Albums (Id INT64, Title STRING(MAX), Size INT64) PRIMARY KEY (Id, Title DESC), "
    "INTERLEAVE IN PARENT Singers ON DELETE CASCADE",
    "CREATE TABLE Songs (Id INT64, Title STRING(MAX), Begun TIMESTAMP) "
    "PRIMARY KEY (Id, Title DESC, Begun), INTERLEAVE IN PARENT Albums ON DELETE CASCADE",
]
# What comes and goes while there are boundaries.
CHANGES = [
    ("CREATE INDEX ByName ON Singers(Name DESC)", "DROP INDEX ByName"),
    (
        "CREATE INDEX BySize ON Albums(Id, Size), INTERLEAVE IN Singers",
        "DROP INDEX BySize",
    ),
    (
        "CREATE TABLE Fans (Id INT64, Fan BOOL) PRIMARY KEY (Id, Fan), "
        "INTERLEAVE IN PARENT Singers ON DELETE CASCADE",
        "DROP TABLE Fans",
    ),
    ("CREATE TABLE Alone (K BYTES(MAX)) PRIMARY KEY (K)", "DROP TABLE Alone"),
]

IDS = st.one_of(st.none(), st.integers(-3, 6).map(str))
TITLES = st.one_of(st.none(), st.sampled_from(["", "a", "b\0", "bb", "\xe9", "z" * 40]))
TIMES = st.integers(0, 3).map(lambda n: f"2020-01-0{n + 1}T00:00:00Z")
KEYS: dict[str, st.SearchStrategy[list[Any]]] = {
    "Singers": st.tuples(IDS).map(list),
    "Albums": st.tuples(IDS, TITLES).map(list),
    "Songs": st.tuples(IDS, TITLES, TIMES).map(list),
    "Fans": st.tuples(IDS, st.booleans()).map(list),
    "Alone": st.tuples(st.sampled_from(["", "AA==", "/w==", "YWI="])).map(list),
}
COLUMNS = {
    "Singers": ("Id", "Name"),
    "Albums": ("Id", "Title", "Size"),
    "Songs": ("Id", "Title", "Begun"),
    "Fans": ("Id", "Fan"),
    "Alone": ("K",),
}
OTHERS = {"Singers": ["name"], "Albums": ["7"]}
UPWARDS = {"Albums": "Singers", "Songs": "Albums", "Fans": "Singers"}


def family(table: str, key: list[Any]) -> list[Mutation]:
    """Return a row with those that it is interleaved in."""
    above = UPWARDS.get(table)
    found = [] if above is None else family(above, key[: 2 if above == "Albums" else 1])
    row = [*key, *OTHERS.get(table, [])]
    return [*found, Write(WriteKind.INSERT_OR_UPDATE, table, COLUMNS[table], [row])]


def deletion(table: str, key: list[Any]) -> list[Mutation]:
    return [Delete(table, RawKeySet(keys=(key,)))]


class SplitsAgainstNone(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.split, self.plain = (
            Database.create(
                f"projects/p/instances/i/databases/{name}",
                Environment(ManualClock()),
                GOOGLE_STANDARD_SQL,
            )
            for name in ("split", "plain")
        )
        self.sessions = [each.sessions.create({}) for each in (self.split, self.plain)]
        self.snapshots: list[tuple[Any, Any, Any]] = []
        for statement in SCHEMA:
            self.ddl(statement)
        self.split.splitting.follow_load()

    def ddl(self, statement: str) -> None:
        for each in (self.split, self.plain):
            assert each.apply_ddl([statement]).failure is None

    def commit(self, mutations: list[Mutation]) -> None:
        outcomes = []
        for session in self.sessions:
            try:
                session.commit(SingleUse(ReadWriteOptions()), mutations, CommitOptions())
                outcomes.append("")
            except SpannerError as failure:
                outcomes.append(type(failure).__name__)
        assert outcomes[0] == outcomes[1]

    def tables(self) -> list[str]:
        return sorted(set(KEYS) & {table.name for table in self.split.schema.tables.values()})

    # ------------------------------------------------------------------ what both do

    @rule(data=st.data())
    def write(self, data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(self.tables()))
        keys = data.draw(st.lists(KEYS[table], min_size=1, max_size=4))
        self.commit([each for key in keys for each in family(table, key)])

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(self.tables()))
        self.commit(deletion(table, data.draw(KEYS[table])))

    @rule(change=st.sampled_from(CHANGES))
    def change_schema(self, change: tuple[str, str]) -> None:
        create, drop = change
        name = create.split()[2].lower()
        schema = self.split.schema
        self.ddl(drop if name in {**schema.tables, **schema.indexes} else create)

    @rule()
    def snapshot(self) -> None:
        drawn = self.split.physical_layout(servers=True)
        self.snapshots.append((self.split.snapshot(), self.plain.snapshot(), drawn))

    @precondition(lambda self: self.snapshots)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        position = data.draw(st.integers(0, len(self.snapshots) - 1))
        del self.snapshots[position + 1 :]
        first, other, drawn = self.snapshots[position]
        self.split.splitting.configure(split_bytes_max=1 << 30)
        policy = self.split.splitting.settings.policy
        self.split.restore(first)
        self.plain.restore(other)
        if policy is SplitPolicy.MODERN:
            assert self.split.physical_layout(servers=True) == drawn

    # ------------------------------------------------------------------ what only one does

    @rule(data=st.data())
    def cut(self, data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(self.tables()))
        modern = self.split.splitting.settings.policy is SplitPolicy.MODERN
        if modern or table not in UPWARDS:
            self.split.split_at(table, data.draw(KEYS[table]))

    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        boundaries = self.split._core.store.all_boundaries()
        if boundaries:
            chosen = data.draw(st.lists(st.sampled_from(boundaries), min_size=1))
            assert self.split._core.store.merge(chosen)

    @rule(data=st.data(), server=st.integers(0, 7))
    def move(self, data: st.DataObject, server: int) -> None:
        table = data.draw(st.sampled_from(self.tables()))
        place = self.split.split_of(table, data.draw(KEYS[table]))
        self.split.splitting.move(place, server)
        assert self.split.splitting.split_at(place).server == server

    @rule(policy=st.sampled_from(SplitPolicy), size=st.sampled_from([60, 200, 1 << 30]))
    def configure(self, policy: SplitPolicy, size: int) -> None:
        self.split.splitting.configure(policy=policy, split_bytes_max=size)
        self.split.splitting.fit_sizes()

    @rule(minutes=st.sampled_from([1, 2, 25]), qps=st.sampled_from([None, 4_000, 40_000]))
    def pass_minutes(self, minutes: int, qps: int | None) -> None:
        self.split.splitting.pass_minutes(minutes, qps)

    # ------------------------------------------------------------------ what holds

    @invariant()
    def rows_are_the_same(self) -> None:
        if not hasattr(self, "split"):
            return
        first, other = self.split._core.store, self.plain._core.store
        first.check()
        for item in self.split.schema.tables_and_indexes():
            mine = list(first.scan_items(tree_of(item)))
            theirs = self.plain.schema.table(item.name) or self.plain.schema.index(item.name)
            assert theirs is not None
            assert mine == list(other.scan_items(tree_of(theirs)))
            shares = partition_ranges(first, item, EVERYTHING)
            apart = [row for share in shares for row in first.scan_items(tree_of(item), share)]
            assert apart == mine
            assert all(first.get(tree_of(item), key) == row for key, row in mine)

    @invariant()
    def boundaries_are_where_they_may_be(self) -> None:
        if not hasattr(self, "split"):
            return
        splitting = self.split.splitting
        boundaries = self.split._core.store.all_boundaries()
        known = {tree_of(thing) for thing in self.split.schema.tables_and_indexes()}
        assert all(set(each.path) <= known for each in boundaries)
        if splitting.settings.policy is SplitPolicy.ROOT_ONLY:
            assert all(len(each.path) == 1 for each in boundaries)
        splits = splitting.splits()
        assert all(0 <= each.server < splitting.settings.servers for each in splits)
        assert splits[0].start == "<begin>"
        assert splits[-1].limit == "<end>"
        for item, after in pairwise(splits):
            assert item.limit == after.start


SplitsAgainstNone.TestCase.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None
)
TestSplitsAgainstNone = SplitsAgainstNone.TestCase
