"""Random commits against a model of plain dicts: same outcome, same rows, same index entries.

The schema has a parent with a unique index and a check, a child that cascades and has an index,
and a table whose foreign key refers to the parent. The model knows two kinds of rules: those that
stop a commit at the row that breaks them, and those that its final state must satisfy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.spanner import KeySet
from hypothesis import event, given, settings
from hypothesis import strategies as st

import spanemu
from tests.dialects import DIALECTS, schema_in

SCHEMA = """
CREATE TABLE Parent (
    P INT64 NOT NULL, N INT64 NOT NULL, U INT64, A INT64, CONSTRAINT Positive CHECK (A > 0),
) PRIMARY KEY (P);
CREATE TABLE Child (P INT64 NOT NULL, C INT64 NOT NULL, V INT64) PRIMARY KEY (P, C),
    INTERLEAVE IN PARENT Parent ON DELETE CASCADE;
CREATE TABLE Ref (
    Id INT64 NOT NULL, T INT64, CONSTRAINT ToParent FOREIGN KEY (T) REFERENCES Parent (P),
) PRIMARY KEY (Id);
CREATE UNIQUE INDEX ByU ON Parent (U DESC) STORING (A);
CREATE NULL_FILTERED INDEX ByV ON Child (V);
"""


@dataclass(frozen=True)
class Shape:
    """A table of the schema, as the model sees it."""

    columns: tuple[str, ...]
    key: int  # how many of them
    not_null: frozenset[str]


SHAPES: Mapping[str, Shape] = {
    "Parent": Shape(("P", "N", "U", "A"), 1, frozenset({"P", "N"})),
    "Child": Shape(("P", "C", "V"), 2, frozenset({"P", "C"})),
    "Ref": Shape(("Id", "T"), 1, frozenset({"Id"})),
}

Rows = dict[str, dict[tuple[int, ...], dict[str, Any]]]  # by table and key


@dataclass(frozen=True)
class Write:
    """One row of an insert, update, insert_or_update or replace."""

    kind: str
    table: str
    row: Mapping[str, Any]

    def put(self, batch: Any) -> None:
        """Add it to a commit of the official client."""
        getattr(batch, self.kind)(self.table, tuple(self.row), [tuple(self.row.values())])


@dataclass(frozen=True)
class Delete:
    """Some keys of a table, or all."""

    table: str
    keys: tuple[tuple[int, ...], ...] | None

    def put(self, batch: Any) -> None:
        """Add it to a commit of the official client."""
        keys = KeySet(all_=True) if self.keys is None else KeySet(keys=self.keys)
        batch.delete(self.table, keys)

    def takes(self, key: tuple[int, ...]) -> bool:
        """Return whether the deletion covers a row with that key."""
        return self.keys is None or key in self.keys


class Refused(Exception):
    """The model's view of a failed commit, with the codes it may have."""

    def __init__(self, *codes: str) -> None:
        self.codes = set(codes)


@dataclass
class Commit:
    """A commit as the model runs it, on a copy of the rows."""

    rows: Rows
    mutations: Sequence[Write | Delete]
    nulls_distinct: bool = False  # in a unique index

    def run(self) -> Rows:
        """Return the rows afterwards. Raises Refused."""
        for position, mutation in enumerate(self.mutations):
            if isinstance(mutation, Write):
                self._write(mutation, position)
            else:
                self._delete(mutation)
        violations = set(self._violations())
        if violations:
            raise Refused(*violations)
        return self.rows

    def _write(self, write: Write, position: int) -> None:
        shape, table = SHAPES[write.table], self.rows[write.table]
        key = tuple(write.row[name] for name in shape.columns[: shape.key])
        if (
            write.kind == "update"
            and key not in table
            and self._was_deleted(write.table, key, position)
        ):
            raise Refused("INVALID_ARGUMENT")
        if any(write.row.get(name, 0) is None for name in shape.not_null):
            raise Refused("FAILED_PRECONDITION")
        if write.kind != "update" and not shape.not_null <= write.row.keys():
            raise Refused("FAILED_PRECONDITION")
        if key not in table:
            if write.kind == "update":
                raise Refused("NOT_FOUND")
            self._insert(write, key, position)
        elif write.kind == "insert":
            raise Refused("ALREADY_EXISTS")
        elif write.kind == "replace":
            self._remove(write.table, key)
            self._insert(write, key, position)
        else:
            table[key].update(write.row)

    def _was_deleted(self, table: str, key: tuple[int, ...], place: int) -> bool:
        return any(
            isinstance(each, Delete) and each.table == table and each.takes(key)
            for each in self.mutations[:place]
        )

    def _insert(self, write: Write, key: tuple[int, ...], position: int) -> None:
        if write.table == "Child" and key[:1] not in self.rows["Parent"]:
            later = any(
                isinstance(each, Write)
                and each.table == "Parent"
                and each.kind != "update"
                and each.row["P"] == key[0]
                for each in self.mutations[position + 1 :]
            )
            raise Refused("INVALID_ARGUMENT" if later else "NOT_FOUND")
        self.rows[write.table][key] = dict.fromkeys(SHAPES[write.table].columns) | dict(write.row)

    def _delete(self, delete: Delete) -> None:
        for key in [key for key in self.rows[delete.table] if delete.takes(key)]:
            self._remove(delete.table, key)

    def _remove(self, table: str, key: tuple[int, ...]) -> None:
        del self.rows[table][key]
        if table == "Parent":
            for child in [child for child in self.rows["Child"] if child[:1] == key]:
                del self.rows["Child"][child]

    def _violations(self) -> list[str]:
        parents = self.rows["Parent"]
        values = [row["U"] for row in parents.values()]
        if self.nulls_distinct:
            values = [value for value in values if value is not None]
        referred = {(row["T"],) for row in self.rows["Ref"].values() if row["T"] is not None}
        return [
            *["ALREADY_EXISTS"] * (len(set(values)) < len(values)),
            *["FAILED_PRECONDITION"] * (not referred <= parents.keys()),
            *["OUT_OF_RANGE"] * any(row["A"] == 0 for row in parents.values()),
        ]


SEED = (
    *(Write("insert", "Parent", {"P": p, "N": p, "U": p, "A": 1}) for p in range(3)),
    *(Write("insert", "Child", {"P": p, "C": p, "V": p}) for p in range(3)),
    Write("insert", "Ref", {"Id": 0, "T": 0}),
)

SMALL = st.integers(0, 3)
VALUE = st.one_of(st.none(), SMALL)
# NULLs collide in a unique index of GoogleSQL, and most rows should get in.
CELLS = {"P": SMALL, "C": SMALL, "Id": SMALL, "N": st.one_of(*[SMALL] * 8, VALUE),
         "U": st.one_of(*[st.integers(0, 9)] * 3, st.none()), "A": st.one_of(st.integers(1, 5), VALUE),
         "V": VALUE, "T": VALUE}  # fmt: skip


@st.composite
def writes(draw: st.DrawFn) -> Write:
    kind = draw(st.sampled_from(("insert", "update", "insert_or_update", "replace")))
    table = draw(st.sampled_from(("Parent", "Parent", "Child", "Ref")))
    shape = SHAPES[table]
    listed = [
        name
        for place, name in enumerate(shape.columns)
        if place < shape.key or draw(st.integers(0, 19)) > 0
    ]
    return Write(kind, table, {name: draw(CELLS[name]) for name in draw(st.permutations(listed))})


@st.composite
def deletes(draw: st.DrawFn) -> Delete:
    table = draw(st.sampled_from(tuple(SHAPES)))
    key = st.tuples(*[SMALL] * SHAPES[table].key)
    keys = st.lists(key, min_size=1, max_size=3).map(tuple)
    return Delete(table, draw(st.one_of(keys, keys, keys, st.none())))


COMMITS = st.lists(
    st.lists(st.one_of(writes(), writes(), writes(), deletes()), min_size=1, max_size=5),
    min_size=1,
    max_size=12,
)
CODES = {
    exceptions.AlreadyExists: "ALREADY_EXISTS",
    exceptions.FailedPrecondition: "FAILED_PRECONDITION",
    exceptions.InvalidArgument: "INVALID_ARGUMENT",
    exceptions.NotFound: "NOT_FOUND",
    exceptions.OutOfRange: "OUT_OF_RANGE",
}


@pytest.fixture(scope="module", params=DIALECTS)
def populated(request):
    """Yield a database with some rows, a snapshot of it, and those rows in the model."""
    with spanemu.Emulator() as emulator:
        schema = schema_in(request.param, filter(str.strip, SCHEMA.split(";")))
        handle = emulator.create_database("model", schema=schema, dialect=request.param)
        assert outcome(handle.client(), SEED) == "OK"
        yield handle, handle.snapshot(), Commit({table: {} for table in SHAPES}, SEED).run()


def outcome(database: Any, mutations: Sequence[Write | Delete]) -> str:
    """Return the code with which a commit ends."""
    try:
        with database.batch() as batch:
            for mutation in mutations:
                mutation.put(batch)
    except tuple(CODES) as failure:
        return CODES[type(failure)]
    return "OK"


def predicted(
    rows: Rows, mutations: Sequence[Write | Delete], *, nulls_distinct: bool
) -> tuple[set[str], Rows]:
    """Return the codes with which a commit may end, and the rows after it."""
    try:
        return {"OK"}, Commit(deepcopy(rows), mutations, nulls_distinct).run()
    except Refused as refused:
        return refused.codes, rows


def assert_same(database: Any, rows: Rows, *, nulls_distinct: bool) -> None:
    """Check that tables hold the model's rows, and indexes what these rows say.

    A unique index in which NULLs are distinct does not hold them. The other one has them at the
    end, because its key is descending.
    """
    everything = KeySet(all_=True)
    parents, children = rows["Parent"].values(), rows["Child"].values()
    by_u = sorted(
        (
            [row["U"], row["P"], row["A"]]
            for row in parents
            if row["U"] is not None or not nulls_distinct
        ),
        key=lambda entry: (entry[0] is None, -(entry[0] or 0)),
    )
    by_v = sorted([row["V"], row["P"], row["C"]] for row in children if row["V"] is not None)
    with database.snapshot(multi_use=True) as snapshot:
        for table, shape in SHAPES.items():
            result = list(snapshot.read(table, shape.columns, everything))
            assert result == [list(row.values()) for _, row in sorted(rows[table].items())]
        assert list(snapshot.read("Parent", ("U", "P", "A"), everything, index="ByU")) == by_u
        assert list(snapshot.read("Child", ("V", "P", "C"), everything, index="ByV")) == by_v


@settings(max_examples=60)
@given(commits=COMMITS)
def test_commits_agree_with_the_model(populated, commits) -> None:
    handle, start, rows = populated
    handle.restore(start)
    database = handle.client()
    nulls_distinct = handle.dialect == "postgresql"
    for mutations in commits:
        codes, rows = predicted(rows, mutations, nulls_distinct=nulls_distinct)
        result = outcome(database, mutations)
        event(result)
        assert result in codes
        assert_same(database, rows, nulls_distinct=nulls_distinct)
