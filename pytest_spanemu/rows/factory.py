"""`spanner_factory`: rows for a test, with parents, foreign keys and everything NOT NULL filled in.

marc = spanner_factory.Singers(FirstName="Marc")
spanner_factory.Albums.many(3, parent=marc)
spanner_factory.graph({"Singers": 20, "Singers.Albums": (1, 5)})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pytest_spanemu.clean_errors import statement_errors
from pytest_spanemu.databases.catalog import Catalog, TableInfo
from pytest_spanemu.rows.making import RowMaker
from pytest_spanemu.rows.values import Provider, Values
from pytest_spanemu.rows.writing import Row, write
from pytest_spanemu.sources.source import Choices

__tracebackhide__ = True  # from pytest, whose users look for their own lines

Count = int | tuple[int, int]


class SpannerFactory:
    """Makes and writes rows. The tables are its attributes; `factory["schema.Table"]` works too."""

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
        self._aside = unrecorded  # Rows made for a test are not what the code under test wrote.
        self._choices = choices  # called by the first row: it may import the project's models
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
        """Have values made by `make(faker)`: for "Table.Column", a column name, or a type."""
        self._providers[name.lower()] = make

    def ref(self, table: str, /, **given: Any) -> Any:
        """The key of a new row of a table, for a column that refers to it."""
        row = self[table](**given)
        key = [row[part] for part in self._catalog.table(table).key]
        return key[0] if len(key) == 1 else tuple(key)

    def graph(self, shape: Mapping[str, Count]) -> dict[str, list[Row]]:
        """Rows of several tables: "Parent.Child" counts per parent row; a pair is a range.

        Gives the rows by the paths of `shape`.
        """
        made: dict[str, list[Row]] = {}
        for path in sorted(shape, key=lambda each: each.count(".")):
            above, _, name = path.rpartition(".")
            table = self[name]
            if not above:
                made[path] = table.many(self._count(shape[path]))
                continue
            if above not in made:
                raise ValueError(f"{path!r} needs {above!r} in the same graph")
            wanted = [(parent, self._count(shape[path])) for parent in made[above]]
            made[path] = table._under([parent for parent, n in wanted for _ in range(n)])
        return made

    def refresh(self) -> None:
        """Read the schema again, after a test has changed it."""
        self._known = self._maker = None

    # ------------------------------------------------------------------ for the tables

    @property
    def _catalog(self) -> Catalog:
        if self._known is None:
            with self._aside():
                self._known = Catalog.of(self._database)
        return self._known

    @property
    def _rows(self) -> RowMaker:
        if self._maker is None:
            values = Values(self._faker, self._providers)
            self._maker = RowMaker(
                self._database,
                self._catalog,
                values,
                lambda table: TableFactory(self, table)(),
                self._choices(),
            )
        return self._maker

    def _count(self, wanted: Count) -> int:
        return wanted if isinstance(wanted, int) else int(self._faker.random_int(*wanted))


class TableFactory:
    """Makes rows of one table."""

    def __init__(self, factory: SpannerFactory, table: TableInfo) -> None:
        self._factory = factory
        self._table = table

    def __call__(self, /, *, parent: Row | None = None, **given: Any) -> Row:
        """One row with the given columns; as the server has it now."""
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
        """Several rows. With several parents they are dealt in turn, or by `skew="zipf"`."""
        if parent is None or isinstance(parent, dict):
            return self._under([parent] * count, given)
        parents = list(parent)
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
        factory = self._factory
        with factory._aside():
            rows = [factory._rows.row(self._table, given or {}, parent) for parent in parents]
            with statement_errors():
                return write(factory._database, self._table, rows) if rows else []


def _faker(seed: int) -> Any:
    """Return a Faker that repeats its values by `seed`."""
    from faker import Faker

    faker = Faker()
    faker.seed_instance(seed)
    return faker
