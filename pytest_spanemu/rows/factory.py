"""`spanner_factory`: rows for a test. It fills in parents, foreign keys and NOT NULL columns.

marc = spanner_factory.Singers(FirstName="Marc")
spanner_factory.Albums.many(3, parent=marc)
spanner_factory.graph({"Singers": 20, "Singers.Albums": (1, 5)})
spanner_factory.graph("FinGraph", nodes={"Person": 20}, edges={"Knows": 40}, shape="ring")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pytest_spanemu.clean_errors import statement_errors
from pytest_spanemu.databases.catalog import Catalog, TableInfo
from pytest_spanemu.rows.property_graph import PropertyGraphRows, Shape
from pytest_spanemu.rows.row_maker import RowMaker
from pytest_spanemu.rows.values import Provider, ValueGenerator
from pytest_spanemu.rows.writing import Row, insert_and_read_back
from pytest_spanemu.sources.source import Choices

__tracebackhide__ = True  # hides these frames in pytest's tracebacks

Count = int | tuple[int, int]


class SpannerFactory:
    """A factory that creates and writes rows.

    Tables are attributes, as in `factory.Table`, or items, as in `factory["schema.Table"]`.
    """

    def __init__(
        self,
        database: Any,
        *,
        seed: int = 0,
        faker: Any = None,
        unrecorded: Callable[[], AbstractContextManager[None]] = nullcontext,
        choices: Callable[[], Choices] = dict,
    ) -> None:
        self._database = database
        self._unrecorded = unrecorded  # Recordings show the requests of the code under test only.
        self._choices = choices  # called for the first row, since it may import models
        self._faker = faker or _faker(seed)
        self._providers: dict[str, Provider] = {}
        self._known: Catalog | None = None
        self._maker: RowMaker | None = None

    def __getattr__(self, table: str) -> TableFactory:
        if table.startswith("_"):
            raise AttributeError(table)
        try:
            return self[table]
        except KeyError as missing:
            raise AttributeError(missing.args[0]) from None

    def __getitem__(self, table: str) -> TableFactory:
        return TableFactory(self, self._catalog.table(table))

    def provider(self, name: str, make: Provider) -> None:
        """Register `make(faker)` as the source of values for a name.

        The name is "Table.Column", a column or a type. Raises KeyError for an unknown table, and
        TypeError for a column that its table does not have.
        """
        table, _, column = name.rpartition(".")
        if table:
            self._catalog.table(table).column(column)
        self.register(name, make)

    def register(self, name: str, make: Provider) -> None:
        """Register a provider of a project, for whichever databases have its column."""
        self._providers[name.lower()] = make

    def ref(self, table: str, /, **given: Any) -> Any:
        """Create a row of a table and return its key, for a column that references it."""
        row = self[table](**given)
        key = [row[part] for part in self._catalog.table(table).key]
        return key[0] if len(key) == 1 else tuple(key)

    def graph(
        self,
        rows: Mapping[str, Count] | str,
        /,
        *,
        nodes: Mapping[str, int] | None = None,
        edges: Mapping[str, int] | None = None,
        shape: Shape = "random",
    ) -> dict[str, list[Row]]:
        """Create rows of several tables, or nodes and edges of a property graph.

        With counts by path, return the rows by path. The count of "Parent.Child" is for each row of
        the parent, and a pair of counts is a range. With the name of a property graph, `nodes` and
        `edges` are counts by the names of its element tables, and so are the returned rows;
        `shape` says which nodes the edges connect: random, chain, ring or hub.
        """
        if isinstance(rows, str):
            return self._property_graph(rows, nodes or {}, edges or {}, shape)
        if nodes is not None or edges is not None:
            raise TypeError("nodes= and edges= need the name of a property graph")
        return self._trees(rows)

    def _property_graph(
        self, name: str, nodes: Mapping[str, int], edges: Mapping[str, int], shape: Shape
    ) -> dict[str, list[Row]]:
        with self._unrecorded():
            graph = PropertyGraphRows(self._database, self._catalog, name)

        def write(table: TableInfo, given: Sequence[Mapping[str, Any]]) -> list[Row]:
            return TableFactory(self, table)._written([(each, None) for each in given])

        return graph.write(nodes, edges, shape, self._faker.random, write)

    def _trees(self, shape: Mapping[str, Count]) -> dict[str, list[Row]]:
        rows: dict[str, list[Row]] = {}
        for path in sorted(shape, key=lambda path: path.count(".")):
            parent_path, _, name = path.rpartition(".")
            table = self[name]
            if not parent_path:
                rows[path] = table.many(self._count(shape[path]))
                continue
            if parent_path not in rows:
                raise ValueError(f"{path!r} needs {parent_path!r} in the same graph")
            counts = [(parent, self._count(shape[path])) for parent in rows[parent_path]]
            rows[path] = table._under([parent for parent, n in counts for _ in range(n)])
        return rows

    def refresh(self) -> None:
        """Read the schema again, after a test has changed it."""
        self._known = self._maker = None

    # ------------------------------------------------------------------ for the tables

    @property
    def _catalog(self) -> Catalog:
        if self._known is None:
            with self._unrecorded():
                self._known = Catalog.of(self._database)
        return self._known

    @property
    def _rows(self) -> RowMaker:
        if self._maker is None:
            values = ValueGenerator(self._faker, self._providers)
            self._maker = RowMaker(
                self._database,
                self._catalog,
                values,
                lambda table: TableFactory(self, table)(),
                self._choices(),
            )
        return self._maker

    def _count(self, count: Count) -> int:
        return count if isinstance(count, int) else int(self._faker.random_int(*count))


class TableFactory:
    """A factory for the rows of one table."""

    def __init__(self, factory: SpannerFactory, table: TableInfo) -> None:
        self._factory = factory
        self._table = table

    def __call__(self, /, *, parent: Row | None = None, **given: Any) -> Row:
        """Create a row with the given columns; return it as the server completed it."""
        return self.many(1, parent=parent, **given)[0]

    def many(
        self,
        count: int,
        /,
        *,
        parent: Row | Sequence[Row] | None = None,
        skew: str | None = None,
        **given: Any,
    ) -> list[Row]:
        """Create `count` rows.

        The rows take several parents in turn; with `skew="zipf"` early parents get more rows.
        """
        if not isinstance(count, int) or count < 0:
            raise TypeError(f"many() takes a number of rows, not {count!r}")
        if parent is None or isinstance(parent, dict):
            return self._under([parent] * count, given)
        parents = _rows_of(parent)
        if skew is None:
            return self._under([parents[n % len(parents)] for n in range(count)], given)
        if skew != "zipf":
            raise ValueError(f"skew {skew!r} is not one of zipf")
        weights = [1 / rank for rank in range(1, len(parents) + 1)]
        chosen = self._factory._faker.random.choices(parents, weights, k=count)
        return self._under(chosen, given)

    def _under(
        self, parents: Sequence[Row | None], given: Mapping[str, Any] | None = None
    ) -> list[Row]:
        return self._written([(given or {}, parent) for parent in parents])

    def _written(self, wanted: Sequence[tuple[Mapping[str, Any], Row | None]]) -> list[Row]:
        """Write a row for each pair of given columns and parent."""
        factory = self._factory
        with factory._unrecorded():
            rows = [factory._rows.row(self._table, *each) for each in wanted]
            with statement_errors():
                return insert_and_read_back(factory._database, self._table, rows) if rows else []


def _rows_of(parent: Any) -> list[Row]:
    """Return the given parent rows. Raises TypeError unless there are some."""
    rows = list(parent) if isinstance(parent, Sequence) else [parent]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise TypeError(f"parent={parent!r} is no row, or list of rows, that the factory returned")
    return rows


def _faker(seed: int) -> Any:
    """Return a Faker whose values depend on `seed` alone."""
    from faker import Faker

    faker = Faker()
    faker.seed_instance(seed)
    return faker
