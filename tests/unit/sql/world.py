"""A small schema with rows in memory, and short names for building resolved trees by hand."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import count
from operator import itemgetter
from typing import Any

from spanemu.base.rand import Randomness
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.indexes import SortedIndex, TableOrIndex
from spanemu.schema.objects import Model, ModelColumn
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Interleave, KeyPart, Table
from spanemu.sql import resolved as r
from spanemu.sql.executor.build import Executable, compile_plan
from spanemu.sql.executor.run import ByteRange, Row, Run
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.planner.build import plan_statement
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import key_encoder
from spanemu.values.order import ASCENDING, DESCENDING
from spanemu.values.types import BOOL, DATE, FLOAT64, INT64, STRING, Type

_ids = count(1)


def _columns(*declared: tuple[str, Type, bool]) -> tuple[Column, ...]:
    return tuple(
        Column(name, type_, id=next(_ids), position=position, not_null=not_null)
        for position, (name, type_, not_null) in enumerate(declared)
    )


def _table(name: str, columns: tuple[Column, ...], key: str, parent: str | None = None) -> Table:
    by_name = {column.name: column for column in columns}
    parts = []
    for word in key.split(","):
        column, *direction = word.split()
        parts.append(KeyPart(by_name[column], DESCENDING if direction else ASCENDING))
    return Table(
        name,
        next(_ids),
        columns,
        tuple(parts),
        parent=parent,
        interleave=Interleave.IN_PARENT if parent else None,
    )


SINGERS = _table(
    "Singers",
    _columns(
        ("SingerId", INT64, True),
        ("FirstName", STRING, False),
        ("LastName", STRING, False),
        ("BirthDate", DATE, False),
        ("Rating", FLOAT64, False),
    ),
    "SingerId",
)
ALBUMS = _table(
    "Albums",
    _columns(
        ("SingerId", INT64, True),
        ("AlbumId", INT64, True),
        ("Title", STRING, False),
        ("Budget", INT64, False),
    ),
    "SingerId,AlbumId",
    "Singers",
)
SONGS = _table(
    "Songs",
    _columns(
        ("SingerId", INT64, True),
        ("AlbumId", INT64, True),
        ("TrackId", INT64, True),
        ("Name", STRING, False),
        ("Duration", INT64, False),
        ("Genre", STRING, False),
    ),
    "SingerId,AlbumId,TrackId",
    "Albums",
)
VISITS = _table(
    "Visits",
    _columns(("Page", STRING, False), ("Moment", INT64, False), ("Note", STRING, False)),
    "Page,Moment desc",
)


def _index(name: str, table: Table, key: str, stored: str = "", **options: Any) -> SortedIndex:
    by_name = {column.name: column for column in table.columns}
    parts = []
    for word in key.split(","):
        column, *direction = word.split()
        parts.append(KeyPart(by_name[column], DESCENDING if direction else ASCENDING))
    names = {part.column.name for part in parts}
    suffix = tuple(part for part in table.key if part.column.name not in names)
    kept = tuple(by_name[one] for one in stored.split(",") if one)
    return SortedIndex(
        name=name,
        id=next(_ids),
        table=table.name,
        key=tuple(parts),
        suffix=suffix,
        stored=kept,
        **options,
    )


INDEXES = (
    _index("SingersByLastName", SINGERS, "LastName"),
    _index("AlbumsByTitle", ALBUMS, "Title", "Budget"),
    _index("AlbumsByBudget", ALBUMS, "Budget desc", null_filtered=True),
    _index("SongsByName", SONGS, "Name", unique=True),
    _index("SongsByGenre", SONGS, "Genre,Duration desc"),
)

TABLES = (SINGERS, ALBUMS, SONGS, VISITS)

RATER = Model(
    "Rater",
    (ModelColumn("content", STRING),),
    (ModelColumn("Score", FLOAT64),),
    {"endpoint": "projects/p/locations/l/endpoints/e"},
)

SCHEMA = Schema(
    dialect=GOOGLE_STANDARD_SQL,
    tables={table.name.lower(): table for table in TABLES},
    indexes={index.name.lower(): index for index in INDEXES},
    models={"rater": RATER},
    next_id=1000,
)


class MemoryReader:
    """Rows in sorted lists. A reader records the scans and look-ups that it served in `asked`."""

    def __init__(self, rows: dict[str, Sequence[Row]], schema: Schema = SCHEMA) -> None:
        self.asked: list[str] = []
        self.visited = 0
        self._sorted: dict[str, list[tuple[bytes, Row]]] = {}
        for table in schema.tables.values():
            result = rows.get(table.name, ())
            self._put(table.name, table.key, result, table.key_positions)
            by_name = {column.name: column.position for column in table.columns}
            for index in schema.indexes_of(table):
                places = [by_name[column.name] for column in index.columns]
                filtered = [by_name[column.name] for column in index.filtered]
                kept = [row for row in result if all(row[place] is not None for place in filtered)]
                entries = [tuple(row[place] for place in places) for row in kept]
                self._put(index.name, index.full_key, entries, range(len(index.full_key)))

    def _put(self, name: str, key: Any, rows: Sequence[Row], places: Any) -> None:
        encode = key_encoder([(part.column.type, part.order) for part in key])
        self._sorted[name] = sorted(
            ((encode([row[place] for place in places]), row) for row in rows), key=itemgetter(0)
        )

    def stopping_early(self):
        return self

    def scan(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        self.asked.append(f"scan {source.name}")
        return self._rows(source.name, ranges, descending)

    def _rows(
        self, name: str, ranges: Sequence[ByteRange] | None, descending: bool
    ) -> Iterator[Row]:
        everything = self._sorted[name]
        for _, row in reversed(everything) if descending else everything:
            key = _
            if ranges is None or any(start <= key < end for start, end in ranges):
                self.visited += 1
                yield row

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        self.asked.append(f"get {table.name}")
        self.visited += 1
        return next((row for at, row in self._sorted[table.name] if at == key), None)

    reads_freely = True

    def count(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> int | None:
        return None

    def row_count_estimate(self, table: Table) -> int:
        return len(self._sorted[table.name])


# ---------------------------------------------------------------------------- resolved trees

_column_ids = count(0)


def column(name: str, type_: Type = INT64) -> r.ResolvedColumn:
    return r.ResolvedColumn(next(_column_ids), name, type_)


def ref(of: r.ResolvedColumn) -> r.Expr:
    return r.ColumnRef(of.type, of)


def lit(value: Any, type_: Type | None = None) -> r.Expr:
    found = type_ or {bool: BOOL, int: INT64, str: STRING, float: FLOAT64}[type(value)]
    return r.Literal(found, value)


def param(name: str, type_: Type = INT64) -> r.Expr:
    return r.ParameterRef(type_, name)


_OPERATORS = {
    "$equal": operator.eq,
    "$not_equal": operator.ne,
    "$less": operator.lt,
    "$less_or_equal": operator.le,
    "$greater": operator.gt,
    "$greater_or_equal": operator.ge,
    "$add": operator.add,
    "$not": operator.not_,
    "STARTS_WITH": str.startswith,
}
_CALLED = {"$is_null": lambda value: value is None}


def call(name: str, *arguments: r.Expr, type_: Type = BOOL) -> r.Expr:
    types = tuple(argument.type for argument in arguments)
    known = CATALOG.scalars[name]
    signature = Signature(
        name,
        types,
        type_,
        _CALLED.get(name) or _OPERATORS[name],
        Nulls.CALLED if name in _CALLED else Nulls.STRICT,
        operation=known.operation,
        cannot_fail=known.cannot_fail,
        is_slow=known.is_slow,
    )
    return r.FunctionCall(type_, signature, arguments)


def equal(left: r.Expr, right: r.Expr) -> r.Expr:
    return call("$equal", left, right)


def both(*operands: r.Expr) -> r.Expr:
    return r.And(BOOL, operands)


def either(*operands: r.Expr) -> r.Expr:
    return r.Or(BOOL, operands)


class TableRefs:
    """A table scan and its columns by name."""

    def __init__(self, table: Table, hints: r.Hints = ()) -> None:
        pairs = tuple((column(one.name, one.type), one) for one in table.columns)
        self.scan = r.TableScan(table, pairs, hints)
        self._columns = {stored.name: made for made, stored in pairs}

    def __getitem__(self, name: str) -> r.ResolvedColumn:
        return self._columns[name]

    def __getattr__(self, name: str) -> r.Expr:
        return ref(self._columns[name])


def query(
    scan: r.Scan, *outputs: r.ResolvedColumn, parameters: dict[str, Type] | None = None
) -> r.QueryStatement:
    return r.QueryStatement(
        parameters=parameters or {},
        undeclared=frozenset(),
        hints=(),
        scan=scan,
        output=tuple(r.OutputColumn(one.name, one) for one in outputs),
    )


def compiled(statement: r.Statement, reader: MemoryReader) -> Executable:
    return compile_plan(plan_statement(statement, SCHEMA, reader))


def rows_of(statement: r.Statement, reader: MemoryReader, *parameters: Any) -> list[Row]:
    return list(compiled(statement, reader).run(Run(reader, parameters)))


# ---------------------------------------------------------------------------- SQL text

ROWS: dict[str, Sequence[Row]] = {
    "Singers": [
        (1, "Marc", "Richards", None, 4.5),
        (2, "Catalina", "Smith", None, None),
        (3, "Alice", "Trentor", None, float("nan")),
        (4, "Lea", None, None, -1.0),
    ],
    "Albums": [
        (1, 1, "Go", 100),
        (1, 2, "Green", None),
        (2, 1, "Total", 50),
        (2, 2, "Blue", 75),
        (4, 1, None, 10),
    ],
    "Songs": [
        (1, 1, 1, "a", 10, "pop"),
        (1, 1, 2, "b", 20, "rock"),
        (2, 1, 1, "c", 30, "pop"),
        (2, 2, 7, None, 5, None),
    ],
    "Visits": [
        ("home", 3, "x"),
        ("home", 1, None),
        ("home", None, "y"),
        ("about", 2, "z"),
        (None, 9, "w"),
    ],
}


class StatementContext:
    """The context of a statement that functions may read."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000_000_000
        self.time_zone = "America/Los_Angeles"
        self.randomness = Randomness(1)

    def waited(self) -> float:
        return 0.0


def analyzed(sql: str, types: dict[str, Type] | None = None) -> Any:
    return GOOGLESQL.resolve(sql, SCHEMA, types or {})


def planned(
    sql: str, types: dict[str, Type] | None = None, reader: MemoryReader | None = None
) -> Any:
    return plan_statement(analyzed(sql, types), SCHEMA, reader or MemoryReader({}))


def prepared(sql: str, reader: MemoryReader, types: dict[str, Type] | None = None) -> Executable:
    return compile_plan(planned(sql, types, reader))


def run_for(executable: Executable, reader: MemoryReader, **parameters: Any) -> Run:
    values = [parameters.get(name) for name, _ in executable.parameters]
    return Run(reader, values, StatementContext())  # type: ignore[arg-type]


def ask(
    sql: str,
    reader: MemoryReader | None = None,
    types: dict[str, Type] | None = None,
    **parameters: Any,
) -> list[Any]:
    """Return the rows of a query, or the writes of DML, over `ROWS` by default."""
    reader = reader or MemoryReader(ROWS)
    executable = prepared(sql, reader, types)
    return list(executable.run(run_for(executable, reader, **parameters)))
