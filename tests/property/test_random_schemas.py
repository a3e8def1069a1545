"""Random writes under random schemas, against a model of plain dicts.

Commits of mutations and DML in transactions: same outcome, same rows, same index
entries; and what fails, a commit or a statement, leaves everything as it was before. In both
dialects, except that PostgreSQL's foreign keys are always enforced.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import dialect_named
from spanemu.values.mutation import Delete, Mutation, RawKeySet, Write, WriteKind
from tests.dialects import postgresql_sql, schema_in
from tests.property.row_model import (
    FP,
    ForeignKey,
    Index,
    Key,
    Refused,
    RefusedByRow,
    Row,
    Rows,
    Table,
    Unit,
)
from tests.unit.ddl.world import World

SMALL = st.integers(0, 3)
CELL = st.one_of(SMALL, SMALL, SMALL, st.integers(1, 3), st.none())

# ---------------------------------------------------------------------------- schemas


@st.composite
def tables(draw: st.DrawFn, number: int, before: Sequence[Table], dialect: str) -> Table:
    name = f"T{number}"
    parents = [table for table in before if table.depth < 3]
    parent = draw(st.sampled_from([None, *parents])) if parents else None
    not_null = frozenset(c for c in ("A", "B") if draw(st.integers(0, 3)) == 0)
    indexes = tuple(
        Index(
            f"I{number}_{place}",
            columns,
            unique=draw(st.booleans()),
            null_filtered=draw(st.booleans()),
            nulls_distinct=dialect == "postgresql",
        )
        for place, columns in enumerate(
            draw(st.lists(st.sampled_from([("A",), ("B",), ("B", "A")]), max_size=2, unique=True))
        )
    )
    roots = [table.name for table in before if table.depth == 1]
    reference = None
    if roots and parent is None and draw(st.booleans()):
        enforced = dialect == "postgresql" or draw(st.integers(0, 4)) > 0
        cascade = enforced and draw(st.booleans())
        reference = ForeignKey(draw(st.sampled_from(roots)), cascade, enforced)
    return Table(
        name,
        depth=1 if parent is None else parent.depth + 1,
        parent=None if parent is None else parent.name,
        interleave="" if parent is None else draw(st.sampled_from(["cascade", "no action", "in"])),
        not_null=not_null,
        default=draw(st.sampled_from([None, 1])),
        generated=draw(st.booleans()),
        check_below=draw(st.sampled_from([None, 2])),
        indexes=indexes,
        foreign_key=reference,
    )


@st.composite
def schemas(draw: st.DrawFn, dialect: str) -> dict[str, Table]:
    found: list[Table] = []
    for number in range(draw(st.integers(1, 4))):
        found.append(draw(tables(number, found, dialect)))
    return {table.name: table for table in found}


# ---------------------------------------------------------------------------- writes


@st.composite
def row_writes(draw: st.DrawFn, schema: dict[str, Table]) -> tuple[str, str, Row | Key | None]:
    table = draw(st.sampled_from(list(schema.values())))
    key = {column: draw(SMALL) for column in table.key}
    kind = draw(st.sampled_from(["insert"] * 3 + ["insert_or_update"] * 2 + ["update", "replace"]
                                + ["delete"] * 2 + ["delete all"]))  # fmt: skip
    if kind == "delete":
        return kind, table.name, tuple(key.values())
    if kind == "delete all":
        return kind, table.name, None
    values = {column: draw(CELL) for column in ("A", "B") if draw(st.integers(0, 5))}
    return kind, table.name, {**key, **values}


def mutation_of(write: tuple[str, str, Any]) -> Mutation:
    kind, table, what = write
    if kind == "delete all":
        return Delete(table, RawKeySet(all=True))
    if kind == "delete":
        return Delete(table, RawKeySet(keys=[[str(part) for part in what]]))
    cells = [None if cell is None else str(cell) for cell in what.values()]
    return Write(WriteKind(kind), table, tuple(what), [cells])


@st.composite
def statements(draw: st.DrawFn, schema: dict[str, Table]) -> tuple[str, str, Any]:
    table = draw(st.sampled_from(list(schema.values())))
    least = draw(SMALL)
    kind = draw(st.sampled_from(["INSERT", "INSERT", "UPDATE", "DELETE", "FAIL"]))
    if kind == "INSERT":
        rows = draw(st.lists(st.tuples(*[SMALL] * table.depth, CELL, CELL), min_size=1, max_size=3))
        return kind, table.name, rows
    return kind, table.name, (least, draw(st.sampled_from(["A", "B"])), draw(CELL))


def sql_of(table: Table, statement: tuple[str, str, Any]) -> str:
    kind, name, what = statement
    if kind == "INSERT":
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in what)
        return f"INSERT INTO {name} ({', '.join(table.key)}, A, B) VALUES {rows}"
    least, column, value = what
    if kind == "DELETE":
        return f"DELETE FROM {name} WHERE K0 >= {least}"
    if kind == "FAIL":  # at the last row it comes to
        return f"UPDATE {name} SET {column} = DIV(1, K0 - {least}) WHERE TRUE"
    return f"UPDATE {name} SET {column} = {_literal(value)} WHERE K0 >= {least}"


def _literal(cell: int | None) -> str:
    return "NULL" if cell is None else str(cell)


# ---------------------------------------------------------------------------- predictions


def predict_commit(
    schema: dict[str, Table], rows: Rows, writes: Sequence[Any]
) -> tuple[set[str], Rows]:
    """Return the codes with which a commit may end, and the rows after it."""
    unit = Unit(schema, rows)
    try:
        for position, (kind, table, what) in enumerate(writes):
            unit.later = tuple(w for w in writes[position + 1 :] if not w[0].startswith("delete"))
            if kind.startswith("delete"):
                unit.delete(table, what)
            else:
                unit.write(kind, table, what)
    except RefusedByRow as refused:
        deletes = [w[1:] for w in writes[position + 1 :] if w[0].startswith("delete")]
        late = any(unit.has_written(name, key) for name, key in deletes)
        return {FP if late else refused.code}, rows
    except Refused as refused:
        return {refused.code}, rows
    codes = unit.violations()
    return (codes, rows) if codes else ({"OK"}, unit.rows)


def predict_statement(schema: dict[str, Table], rows: Rows, statement: Any) -> Rows | None:
    """Return the rows after a DML statement, None when it fails."""
    kind, name, what = statement
    table, unit = schema[name], Unit(schema, rows)
    try:
        if kind == "INSERT":
            for cells in what:
                unit.write("insert", name, dict(zip((*table.key, "A", "B"), cells, strict=True)))
        elif kind == "DELETE":
            for key in [key for key in rows[name] if key[0] >= what[0]]:
                if key in unit.rows[name]:
                    unit.remove(name, key)
        else:
            least, column, value = what
            for key, row in list(rows[name].items()):
                if kind == "FAIL":
                    if key[0] == least:
                        return None
                    value = int(1 / (key[0] - least))
                if kind == "FAIL" or key[0] >= least:
                    unit.write(
                        "update", name, {**dict(zip(table.key, key, strict=True)), column: value}
                    )
                assert row is not None
    except Refused:
        return None
    return None if unit.violations() else unit.rows


# ---------------------------------------------------------------------------- the database


class Place:
    """A database of a random schema, and the model of its rows."""

    def __init__(self, schema: dict[str, Table], dialect: str) -> None:
        self.schema = schema
        self.is_postgresql = dialect == "postgresql"
        ddl = [text for table in schema.values() for text in table.ddl()]
        self.world = World(*schema_in(dialect, ddl), dialect=dialect_named(dialect))
        self.rows: Rows = {name: {} for name in schema}

    def commit(self, writes: Sequence[Any]) -> None:
        codes, self.rows = predict_commit(self.schema, self.rows, writes)
        try:
            mutations = [mutation_of(write) for write in writes]
            self.world.session.commit(SingleUse(ReadWriteOptions()), mutations, CommitOptions())
            result = "OK"
        except SpannerError as failure:
            result = failure.code.name
        event(result)
        assert result in codes
        self.check()

    def transaction(self, steps: Sequence[Any]) -> None:
        """Run statements in one transaction, each seen by the next, and commit or be refused."""
        session, expected, poisoned = self.world.session, self.rows, False
        begun: Any = Begin(ReadWriteOptions())
        for seqno, statement in enumerate(steps, 1):
            after = predict_statement(self.schema, expected, statement)
            sql = sql_of(self.schema[statement[1]], statement)
            if self.is_postgresql:
                sql, _ = postgresql_sql(sql)
            try:
                stream = session.execute(StatementRequest(sql, seqno=seqno), begun)
                failed = False
                begun = Existing(stream.transaction.id or begun.id)
            except SpannerError:
                failed = True
            event("statement failed" if failed else "statement done")
            assert failed == (after is None)
            if failed:
                if isinstance(begun, Begin):
                    self.check()
                    return
                poisoned = self._is_poisoned(begun)
                if poisoned:
                    break
            else:
                assert after is not None
                expected = after
        if not poisoned:
            session.commit(begun, (), CommitOptions())
            self.rows = expected
        self.check()

    def _is_poisoned(self, begun: Existing) -> bool:
        """Return whether the transaction is lost, so that its commit fails without effect."""
        transaction: Any = self.world.session.transactions.get(begun.id)
        if transaction._failure is None:
            return False
        with pytest.raises(type(transaction._failure)):
            self.world.session.commit(begun, (), CommitOptions())
        return True

    def check(self) -> None:
        """Check that tables hold the model's rows, and indexes the entries of these rows."""
        self.world.database._core.store.check()
        for table in self.schema.values():
            rows = self.rows[table.name]
            result = self._read(table, table.columns)
            assert result == [tuple(row.values()) for _, row in sorted(rows.items())]
            for index in table.indexes:
                columns = (*index.columns, *table.key)
                entries = table.entries(rows, index, nulls_last=self.is_postgresql)
                assert self._read(table, columns, index.name) == entries

    def _read(self, table: Table, columns: Sequence[str], index: str = "") -> list[Any]:
        request = ReadRequest(table.name, tuple(columns), RawKeySet(all=True), index)
        return list(self.world.session.read(request, None).rows)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_writes_agree_with_the_model(data: st.DataObject) -> None:
    play(data, "googlesql")


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_writes_in_postgresql_agree_with_the_model(data: st.DataObject) -> None:
    play(data, "postgresql")


def play(data: st.DataObject, dialect: str) -> None:
    position = Place(data.draw(schemas(dialect)), dialect)
    commits = st.lists(row_writes(position.schema), min_size=1, max_size=5)
    transactions = st.lists(statements(position.schema), min_size=1, max_size=4)
    for _ in range(data.draw(st.integers(2, 10))):
        if data.draw(st.integers(0, 2)):
            position.commit(data.draw(commits))
        else:
            position.transaction(data.draw(transactions))
