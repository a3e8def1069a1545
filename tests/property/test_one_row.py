"""A commit of one row does the same in one step (`txn.one_row`) as in general.

Two databases of the same random schema take the same random commits: one as it likes, the other
never in one step. After each commit, both have given the same answer or error, have the same
versions, records of commits and reports to observers, and hold no locks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any
from unittest.mock import patch

from hypothesis import event, given, settings
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.database.options import (
    CommitOptions,
    Existing,
    Isolation,
    ReadLockMode,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.statistics.column_accesses import touched_by_mutations
from spanemu.storage.store import Store
from spanemu.txn import one_row
from spanemu.values.mutation import Delete, Mutation, RawKeySet, Write, WriteKind
from tests.unit.ddl.world import World

PENDING = "TIMESTAMP OPTIONS (allow_commit_timestamp = true)"
WHEN = st.sampled_from(["1969-01-01T00:00:00Z"] * 6 + ["2999-01-01T00:00:00Z", "noon"])
COMMIT_TIME = st.just("spanner.commit_timestamp()")
CELLS: Mapping[str, st.SearchStrategy[Any]] = {
    "INT64": st.sampled_from(["0", "1", "2"] * 4 + ["many"]),
    "STRING(3)": st.sampled_from(["", "a", "abc"] * 4 + ["abcd"]),
    "STRING(MAX)": st.sampled_from(["", "a", "b"] * 4 + ["k" * 8_190, "k" * 9_000]),
    "BOOL": st.sampled_from([True, False] * 4 + ["yes"]),
    "FLOAT64": st.sampled_from([0.0, 1.5, "NaN"] * 4 + ["much"]),
    "BYTES(2)": st.sampled_from(["", "YQ=="] * 4 + ["YWJj", "%"]),
    "ARRAY<INT64>": st.sampled_from([[], ["1", None]] * 4 + [["x"], "1"]),
    "TIMESTAMP": st.one_of(*[WHEN] * 6, COMMIT_TIME),
    PENDING: st.one_of(WHEN, COMMIT_TIME),
}
KEY_TYPES = ("INT64", "INT64", "INT64", "STRING(3)", "STRING(MAX)", "TIMESTAMP", PENDING)
VALUE_TYPES = tuple(CELLS)
EXTRAS = (
    *[""] * 16,
    ", D INT64 DEFAULT (7)",
    ", D INT64 NOT NULL DEFAULT (NULL)",
    ", G INT64 AS (IF(K IS NULL, 0, 1)) STORED",
    ", G INT64 AS (IF(K IS NULL, 0, 1))",
    ", CONSTRAINT NoNull CHECK (K IS NOT NULL)",
    ", Changed TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP())"
    " ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)",
)


@dataclass(frozen=True)
class Table:
    """A random table. `columns` are the types of all columns, those of the key first."""

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]


@dataclass
class Shape:
    """A random schema."""

    statements: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def declared(draw: st.DrawFn, name: str, type_: str) -> str:
    base, _, options = type_.partition(" ")
    null = draw(st.sampled_from(["", "", "", " NOT NULL"]))
    return f"{name} {base}{null} {options}".rstrip()


@st.composite
def schemas(draw: st.DrawFn) -> Shape:
    shape = Shape()
    above: dict[str, str] = {"K": draw(st.sampled_from(KEY_TYPES))}
    parents: list[str] = [declared(draw, "K", above["K"])]
    parent = ""
    for name in ("Plain", "Child")[: draw(st.integers(1, 2))]:
        if name == "Child":
            above["L"] = draw(st.sampled_from(KEY_TYPES))
            parents.append(declared(draw, "L", above["L"]))
        columns = "ABC"[: draw(st.integers(0, 3))]
        values = {column: draw(st.sampled_from(VALUE_TYPES)) for column in columns}
        parts = [*parents, *(declared(draw, column, type_) for column, type_ in values.items())]
        order = draw(st.sampled_from(["", "", " DESC"])) if name == "Child" else ""
        text = f"CREATE TABLE {name} ({', '.join(parts)}{draw(st.sampled_from(EXTRAS))})"
        text += f" PRIMARY KEY ({', '.join(above)}{order}){parent}"
        shape.statements.append(text)
        shape.tables.append(Table(name, {**above, **values}, tuple(above)))
        shape.statements += draw(indexes(shape.tables[-1]))
        action = draw(st.sampled_from(["", " ON DELETE CASCADE"]))
        parent = f", INTERLEAVE IN{draw(st.sampled_from([' PARENT', ' PARENT', '']))} Plain"
        parent += action if "PARENT" in parent else ""
    return shape


@st.composite
def indexes(draw: st.DrawFn, table: Table) -> list[str]:
    sorted_columns = [
        column
        for column, type_ in table.columns.items()
        if not type_.startswith("ARRAY") and column not in table.key
    ]
    result = []
    for number in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        if not sorted_columns:
            break
        kind = draw(st.sampled_from(["", "", "", "UNIQUE ", "NULL_FILTERED "]))
        key = draw(st.sampled_from(sorted_columns))
        stored = [each for each in table.columns if each not in (key, *table.key)]
        storing = f" STORING ({stored[0]})" if stored and draw(st.booleans()) else ""
        order = draw(st.sampled_from(["", " DESC"]))
        result.append(
            f"CREATE {kind}INDEX {table.name}{number} ON {table.name} ({key}{order}){storing}"
        )
    return result


# ---------------------------------------------------------------------------- commits


@st.composite
def rows(draw: st.DrawFn, table: Table, columns: Sequence[str]) -> list[Any]:
    return [draw(st.one_of(*[CELLS[table.columns[column]]] * 7, st.none())) for column in columns]


@st.composite
def mutations(draw: st.DrawFn, shape: Shape) -> Mutation:
    table = draw(st.sampled_from(shape.tables))
    if draw(st.integers(0, 14)) == 0:
        return Delete(table.name, RawKeySet(keys=[draw(rows(table, table.key))]))
    values = [column for column in table.columns if column not in table.key]
    listed = [column for column in values if draw(st.integers(0, 3))]
    key = table.key if draw(st.integers(0, 19)) else table.key[1:]
    columns = tuple(draw(st.permutations([*key, *listed])))
    kind = draw(st.sampled_from([WriteKind.INSERT, *WriteKind]))
    count = draw(st.sampled_from([1] * 16 + [0, 2]))
    written = [draw(rows(table, columns)) for _ in range(count)]
    name = draw(st.sampled_from([*[table.name] * 9, table.name.lower(), "Missing"]))
    return Write(kind, name, columns, written)


OPTIONS = st.one_of(
    *[st.just(ReadWriteOptions())] * 6,
    st.builds(
        ReadWriteOptions, st.sampled_from(tuple(Isolation)), st.sampled_from(tuple(ReadLockMode))
    ),
)


@dataclass(frozen=True)
class Commit:
    """A commit, by itself or after the reads of a transaction."""

    options: ReadWriteOptions
    mutations: tuple[Mutation, ...]
    returns_stats: bool
    tag: str
    reads: tuple[ReadRequest | StatementRequest, ...] | None  # None for a commit by itself


@st.composite
def reads(draw: st.DrawFn, shape: Shape, seqno: int) -> ReadRequest | StatementRequest:
    table = draw(st.sampled_from(shape.tables))
    kind = draw(st.sampled_from(["key", "all", "query", "dml"]))
    if kind == "dml":
        return StatementRequest(f"DELETE FROM {table.name} WHERE FALSE", seqno=seqno)
    if kind == "query":
        return StatementRequest(f"SELECT COUNT(*) FROM {table.name}")
    keys = RawKeySet(all=True)
    if kind == "key":
        keys = RawKeySet(keys=[draw(rows(table, table.key))])
    return ReadRequest(table.name, tuple(table.columns), keys)


@st.composite
def commits(draw: st.DrawFn, shape: Shape) -> Commit:
    count = draw(st.sampled_from([1] * 16 + [0, 2]))
    before = None
    if draw(st.booleans()):
        before = tuple(draw(reads(shape, seqno)) for seqno in range(1, 1 + draw(st.integers(0, 2))))
    return Commit(
        draw(OPTIONS),
        tuple(draw(mutations(shape)) for _ in range(count)),
        draw(st.booleans()),
        draw(st.sampled_from(["", "tag"])),
        before,
    )


# ---------------------------------------------------------------------------- two databases


class Observed:
    """An observer that keeps the reports of the store."""

    def __init__(self) -> None:
        self.journal: list[Any] = []

    def on_writes(self, journal: Sequence[Any]) -> None:
        self.journal += journal

    def on_get(self, tree: int, key: bytes) -> None:
        """Keep nothing."""

    def on_scan(self, tree: int, scanned: Any, reading: Any, request: object) -> Any:
        return scanned


class Place(World):
    """One of the two databases."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(*shape.statements)
        self.core = self.database.core
        self.observed = Observed()
        self.core.store.observe(self.observed)

    def run(self, commit: Commit) -> Any:
        """Return the outcome of a commit, or its error as (type, text)."""
        selector: Any = SingleUse(commit.options)
        try:
            if commit.reads is not None:
                selector = Existing(self.session.begin(commit.options).id)
                for request in commit.reads:
                    call = (
                        self.session.read
                        if isinstance(request, ReadRequest)
                        else self.session.execute
                    )
                    list(call(request, selector).rows)  # type: ignore[operator]
            options = CommitOptions(commit.returns_stats, transaction_tag=commit.tag)
            return self.session.commit(selector, commit.mutations, options)
        except SpannerError as failure:
            if isinstance(selector, Existing):
                self.session.rollback(selector.id)
            return type(failure), str(failure)

    def state(self) -> str:
        """Return everything that a commit leaves behind, as text: NaN equals nothing.

        A commit in one step is recorded with the names of the schema, not with those of the
        request, and alone without an age of its own. So the record is returned as statistics take
        it: the columns that were written, and whether the transaction was tried again.
        """
        store, schema = self.core.store, self.core.generation.schema
        store.flush_observers()
        versions = {
            tree: list(rows.items())
            for tree, hierarchy in store.split_map.trees.items()
            for split in hierarchy.splits
            if (rows := split.trees.get(tree)) is not None and len(rows)
        }
        records = [
            (each.at, each.tag, each.options, written, was_again, each.code, by_tree)
            for each in self.core.activity.commits
            for touched in [touched_by_mutations(each.mutations, schema)]
            for written in [(sorted(touched.writes), sorted(touched.deletes))]
            for was_again in [each.age[0] != each.age[1]]
            for by_tree in [sorted(each.rows, key=itemgetter(0))]
        ]
        assert not list(self.core.locks.holders())
        return repr((versions, records, self.observed.journal, store.last_commit))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_commit_in_one_step_agrees_with_a_general_commit(data: st.DataObject) -> None:
    shape = data.draw(schemas())
    try:
        quick, general = Place(shape), Place(shape)
    except SpannerError as refused:  # Some combinations of options are no schema.
        event(f"refused: {type(refused).__name__}")
        return
    in_one_step = 0

    def counted(*given: Any) -> Any:
        nonlocal in_one_step
        committed = commit_row(*given)
        in_one_step += committed is not None
        return committed

    commit_row = one_row.commit
    # A transaction that was refused validates until Python collects it, at some time or other.
    validators_are_known = patch.object(Store, "has_other_validators", lambda *_: True)
    for _ in range(data.draw(st.integers(3, 12))):
        commit = data.draw(commits(shape))
        with validators_are_known:
            with patch.object(one_row, "commit", counted):
                outcome = quick.run(commit)
            with patch.object(one_row, "prepared", lambda *_: None):
                assert outcome == general.run(commit)
        assert quick.state() == general.state()
    event(f"{min(in_one_step, 3)} in one step, or more")
    quick.core.store.check()
