"""A literal in a schema has the value that it has in a query, wherever the schema goes.

Each literal of `stored_literals` stands in a default, in generated columns, in a check, in a view
and, in GoogleSQL, in a function. The schema is then printed, dumped, cloned and loaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import spanemu
from tests.conformance.stored_literals import LITERALS, VIEWS_ONLY

DIALECTS = tuple(LITERALS)
ZONES = ("America/Los_Angeles", "Asia/Kolkata")
FORMATS = ("sql", "jsonl", "csv", "avro")

Values = dict[tuple[str, str, str], str]


class Words:
    """The statements of a dialect."""

    def __init__(self, dialect: str) -> None:
        self.literals = LITERALS[dialect]
        self.is_googlesql = dialect == "googlesql"

    def zone(self, name: str) -> str:
        if self.is_googlesql:
            return f"ALTER DATABASE db SET OPTIONS (default_time_zone = '{name}')"
        return f"ALTER DATABASE db SET spanner.default_time_zone = '{name}'"

    def table(self, name: str, columns: Sequence[str], check: str = "") -> str:
        listed = ", ".join(["Id INT64" if self.is_googlesql else "id bigint", *columns])
        if self.is_googlesql:
            return f"CREATE TABLE {name} ({listed}{check}) PRIMARY KEY (Id)"
        return f"CREATE TABLE {name} ({listed}{check}, PRIMARY KEY (id))"

    def generated(self, kind: str, type_: str, literal: str) -> str:
        always = "" if self.is_googlesql else "GENERATED ALWAYS "
        return f"{type_} {always}AS ({literal}) {kind}"

    def has_check(self, type_: str) -> bool:
        """Return whether checks of the tests compare values of a type."""
        return self.is_googlesql or not ("[]" in type_ or type_ == "jsonb")

    def checked_column(self, name: str, type_: str) -> str:
        return f"{name} {'STRING(MAX)' if self.is_googlesql else type_}"

    def checked(self, literal: str, type_: str) -> str:
        """Return the value of a column whose check compares the column with a literal.

        GoogleSQL compares texts, because NaN, JSON and arrays have no equality there.
        """
        return f"FORMAT('%T', {literal})" if self.is_googlesql else f"CAST({literal} AS {type_})"

    def select(self, literals: Sequence[str]) -> str:
        return "SELECT " + ", ".join(f"{each} AS v{at}" for at, each in enumerate(literals))


def columns_of(literals: Sequence[str], declared: Callable[[str], str]) -> list[str]:
    return [f"v{at} {declared(each)}" for at, each in enumerate(literals)]


def schema_with(words: Words, zone: str) -> Iterator[str]:
    """Yield the statements of a schema with every literal in every kind of expression."""
    yield words.zone(zone)
    for number, (type_, literals) in enumerate(words.literals.items()):
        yield f"CREATE VIEW w{number} SQL SECURITY INVOKER AS {words.select(literals)}"
        if type_ in VIEWS_ONLY:
            continue
        kinds = {
            "d": lambda each, type_=type_: f"{type_} DEFAULT ({each})",
            "g": lambda each, type_=type_: words.generated("STORED", type_, each),
            "u": lambda each, type_=type_: words.generated(
                "" if words.is_googlesql else "VIRTUAL", type_, each
            ),
        }
        for kind, declared in kinds.items():
            yield words.table(f"{kind}{number}", columns_of(literals, declared))
        if words.has_check(type_):
            yield checked_table(words, number, type_, literals)
        if words.is_googlesql:
            returned = type_.replace("(MAX)", "")
            for at, literal in enumerate(literals):
                parameter = f"x {returned} DEFAULT {literal}"
                yield f"CREATE FUNCTION f{number}_{at}({parameter}) RETURNS {returned} AS (x)"
                yield f"CREATE FUNCTION b{number}_{at}() RETURNS {returned} AS ({literal})"


def checked_table(words: Words, number: int, type_: str, literals: Sequence[str]) -> str:
    columns = [words.checked_column(f"v{at}", type_) for at in range(len(literals))]
    checks = (f", CHECK (v{at} = {words.checked(each, type_)})" for at, each in enumerate(literals))
    return words.table(f"c{number}", columns, "".join(checks))


def rows(database: Any, query: str) -> list[Any]:
    with database.client().snapshot() as snapshot:
        return list(snapshot.execute_sql(query))


def write(database: Any, statement: str) -> None:
    database.client().run_in_transaction(lambda txn: txn.execute_update(statement))


def by_literal(kind: str, type_: str, literals: Sequence[str], row: Sequence[Any]) -> Values:
    return {(kind, type_, each): repr(value) for each, value in zip(literals, row, strict=True)}


def stored_values(database: Any, words: Words) -> Values:
    """Return the values of the schema's expressions by kind, type and literal."""
    values: Values = {}
    for number, (type_, literals) in enumerate(words.literals.items()):
        selected = ", ".join(f"v{at}" for at in range(len(literals)))
        sources = {"view": "w"}
        if type_ not in VIEWS_ONLY:
            sources |= {"default": "d", "stored": "g", "virtual": "u"}
            for table in "dgu":
                write(database, f"INSERT INTO {table}{number} (Id) VALUES (1)")
            if words.has_check(type_):
                checked = ", ".join(words.checked(each, type_) for each in literals)
                write(database, f"INSERT INTO c{number} (Id, {selected}) VALUES (1, {checked})")
            if words.is_googlesql:
                calls = [f"{f}{number}_{at}()" for f in "fb" for at in range(len(literals))]
                (row,) = rows(database, f"SELECT {', '.join(calls)}")
                values |= by_literal("parameter", type_, literals, row[: len(literals)])
                values |= by_literal("body", type_, literals, row[len(literals) :])
        for kind, source in sources.items():
            (row,) = rows(database, f"SELECT {selected} FROM {source}{number}")
            values |= by_literal(kind, type_, literals, row)
    return values


def queried_values(database: Any, words: Words) -> Values:
    """Return the values that queries and DML give to the same texts."""
    values: Values = {}
    for number, (type_, literals) in enumerate(words.literals.items()):
        (row,) = rows(database, words.select(literals))
        values |= by_literal("view", type_, literals, row)
        if type_ in VIEWS_ONLY:
            continue
        columns = columns_of(literals, lambda _, type_=type_: type_)
        database.apply_schema(words.table(f"q{number}", columns))
        names = ", ".join(f"v{at}" for at in range(len(literals)))
        write(database, f"INSERT INTO q{number} (Id, {names}) VALUES (1, {', '.join(literals)})")
        (row,) = rows(database, f"SELECT {names} FROM q{number}")
        kinds = ("default", "stored", "virtual") + ("parameter", "body") * words.is_googlesql
        for kind in kinds:
            values |= by_literal(kind, type_, literals, row)
    return values


class World:
    """A database of a dialect with every literal, in a time zone, and the values of queries."""

    def __init__(self, emulator: Any, dialect: str, zone: str) -> None:
        self.emulator, self.dialect, self.words = emulator, dialect, Words(dialect)
        self.name = f"{dialect}-{zone[:2].lower()}"
        self.database = emulator.create_database(self.name, dialect=dialect)
        self.database.apply_schema(list(schema_with(self.words, zone)))
        scratch = emulator.create_database(
            f"{self.name}-q", [self.words.zone(zone)], dialect=dialect
        )
        self.expected = queried_values(scratch, self.words)

    def new(self, name: str, schema: Sequence[str] = ()) -> Any:
        return self.emulator.create_database(f"{self.name}-{name}", schema, dialect=self.dialect)

    def without_name(self, database: Any) -> list[str]:
        """Return the printed schema without the name of the database."""
        return [each.replace(database.database_id, "db") for each in database.ddl()]


@pytest.fixture(
    scope="module",
    params=[(dialect, zone) for dialect in DIALECTS for zone in ZONES],
    ids=lambda param: "-".join(param),
)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    with spanemu.Emulator() as emulator:
        yield World(emulator, *request.param)


def test_the_printed_schema_has_the_same_values_and_prints_the_same(world: World) -> None:
    rebuilt = world.new("printed", world.database.ddl())
    assert world.without_name(rebuilt) == world.without_name(world.database)
    assert stored_values(rebuilt, world.words) == world.expected


def test_a_schema_file_makes_the_same_schema(world: World, tmp_path: Path) -> None:
    file = tmp_path / "schema.sql"
    file.write_text("".join(f"{each};\n" for each in world.database.ddl()), "utf-8", newline="")
    rebuilt = world.new("file")
    rebuilt.apply_schema(file)
    assert world.without_name(rebuilt) == world.without_name(world.database)


def test_dumps_in_all_formats_have_the_same_values(world: World, tmp_path: Path) -> None:
    # Each format dumps what the one before it loaded.
    database = world.database
    for form in FORMATS:
        if form == "avro" and find_spec("fastavro") is None:
            continue
        database.dump(tmp_path / form, format=form)
        database = world.new(form)
        database.load(tmp_path / form, format=form)
        assert world.without_name(database) == world.without_name(world.database)
    assert stored_values(database, world.words) == world.expected


def test_a_stored_literal_has_the_value_of_a_query(world: World) -> None:
    # The values are those of a clone's clone; the database itself stays without rows.
    clone = world.database.clone(f"{world.name}-c1").clone(f"{world.name}-c2")
    assert world.without_name(clone) == world.without_name(world.database)
    assert stored_values(clone, world.words) == world.expected


def test_values_stay_when_the_default_zone_changes_in_postgresql() -> None:
    # A view may be older than the zone; its constants are printed with their offset.
    words = Words("postgresql")
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("zones", [words.zone(ZONES[0])], dialect="postgresql")
        literals = ["'2024-01-05'::timestamptz", "'{2024-01-05,NULL}'::timestamptz[]"]
        database.apply_schema(f"CREATE VIEW w SQL SECURITY INVOKER AS {words.select(literals)}")
        before = rows(database, "SELECT * FROM w")
        database.apply_schema(words.zone(ZONES[1]))
        assert rows(database, "SELECT * FROM w") == before


def test_a_restart_keeps_the_values(world: World, tmp_path: Path) -> None:
    for _ in range(2):  # what was loaded is saved again
        with spanemu.Emulator(data_dir=tmp_path / "data") as emulator:
            if not emulator.has_loaded:
                schema = world.database.ddl()
                emulator.create_database(world.name, schema, dialect=world.dialect)
    with spanemu.Emulator(data_dir=tmp_path / "data") as emulator:
        database = emulator.database(world.name)
        assert world.without_name(database) == world.without_name(world.database)
        assert stored_values(database, world.words) == world.expected
