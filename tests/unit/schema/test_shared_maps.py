"""Maps that share what did not change equal those that would be made from scratch."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random

import pytest

from spanemu.ddl.apply import plan_batch
from spanemu.schema import shared_maps
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.schema import _DERIVATIONS, EMPTY, Schema
from spanemu.schema.shared_maps import Grouping, Layered, with_name, with_names, without_name
from spanemu.schema.table import ForeignKey, Table

STATEMENTS = (
    "CREATE TABLE Aa (a INT64 NOT NULL, x INT64, CHECK (x > 0), SYNONYM (Other)) PRIMARY KEY (a)",
    "CREATE TABLE B (a INT64 NOT NULL, b INT64, CONSTRAINT toA FOREIGN KEY (b) REFERENCES Aa (x))"
    " PRIMARY KEY (a, b), INTERLEAVE IN PARENT Aa",
    "CREATE INDEX I ON Aa (x)",
    "CREATE TABLE C (a INT64 NOT NULL, c INT64) PRIMARY KEY (a, c), INTERLEAVE IN PARENT Aa",
    "ALTER TABLE Aa ADD COLUMN y INT64",
    "ALTER TABLE Aa ADD FOREIGN KEY (y) REFERENCES B (b)",
    "ALTER TABLE B RENAME TO D",
    "ALTER TABLE Aa DROP SYNONYM Other",
    "ALTER TABLE C SET INTERLEAVE IN Aa",
    "CREATE INDEX J ON D (b)",
    "DROP INDEX I",
    "ALTER TABLE D DROP CONSTRAINT toA",
    "DROP TABLE C",
    "RENAME TABLE Aa TO Tmp, D TO Aa, Tmp TO D",
)
MAPS = ("_synonyms", "_constraints", "_children", "_indexes_by_table", "_referencing")


def warm(schema: Schema) -> None:
    for name in MAPS:
        getattr(schema, name)


def test_shared_maps_agree_with_a_fresh_schema_after_each_statement() -> None:
    schema = EMPTY
    for statement in STATEMENTS:
        warm(schema)
        schema = plan_batch([statement], schema)[0].schema
        carried = {name: vars(schema)[name] for name in MAPS}
        fresh = Schema(dialect=GOOGLE_STANDARD_SQL, tables=schema.tables, indexes=schema.indexes)
        assert carried == {name: getattr(fresh, name) for name in MAPS}, statement


def test_a_change_of_a_large_group_visits_few_of_its_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = ";".join(
        f"CREATE TABLE T{n} (A INT64, FOREIGN KEY (A) REFERENCES T0 (A)) PRIMARY KEY (A)"
        for n in range(400)
    ).split(";")
    schema = plan_batch(tables, EMPTY)[-1].schema
    warm(schema)
    grouping, visits = _DERIVATIONS["_referencing"], count()
    assert isinstance(grouping, Grouping)

    def owner(pair: tuple[Table, ForeignKey]) -> Table:
        next(visits)
        return pair[0]

    monkeypatch.setitem(_DERIVATIONS, "_referencing", replace(grouping, owner=owner))
    for statement in ("ALTER TABLE T200 ADD COLUMN B INT64", "DROP TABLE T7", tables[7]):
        schema = plan_batch([statement], schema)[0].schema
        assert len(schema.referencing(schema.tables["t0"])) >= 399
    assert 0 < next(visits) < 100


def test_created_since_lists_new_tables_and_indexes() -> None:
    schema = EMPTY
    for statement in STATEMENTS:
        later = plan_batch([statement], schema)[0].schema
        before = {thing.id for thing in schema.tables_and_indexes()}
        after = {thing.id for thing in later.tables_and_indexes()}
        assert {thing.id for thing in later.created_since(schema)} == after - before
        assert {thing.id for thing in schema.dropped_in(later)} == before - after
        schema = later


@pytest.mark.parametrize("seed", range(40))
def test_a_layered_map_agrees_with_a_dictionary(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_maps, "COPIED_MAX", 4)
    monkeypatch.setattr(shared_maps, "LAID_OVER_MAX", 5)
    random = Random(seed)
    names, model = {}, {}
    earlier = []
    for step in range(200):
        name = f"n{random.randrange(30)}"
        match random.randrange(4):
            case 0:
                names = without_name(names, name)
                model = {key: value for key, value in model.items() if key != name}
            case 1:
                more = {f"n{random.randrange(30)}": step for _ in range(random.randrange(9))}
                names, model = with_names(names, more), {**model, **more}
            case _:
                names, model = with_name(names, name, step), {**model, name: step}
        earlier.append((names, model))
    for had, expected in earlier:
        assert list(had.items()) == list(expected.items())
        assert list(reversed(had)) == list(reversed(expected))
        assert len(had) == len(expected)
        for number in range(30):
            name = f"n{number}"
            assert (name in had, had.get(name)) == (name in expected, expected.get(name))
        assert had == expected


def test_a_removed_name_is_missing() -> None:
    many = with_name({str(number): number for number in range(1_000)}, "x", 1)
    assert isinstance(many, Layered)
    for gone in (without_name(many, "x"), without_name(many, "7")):
        assert len(gone) == 1_000
    with pytest.raises(KeyError):
        without_name(many, "7")["7"]
    assert many.get("y", 5) == 5
    assert without_name(many, "y") is many


def test_a_change_copies_the_upper_layer_only() -> None:
    below = {str(number): number for number in range(10_000)}
    shared = set()
    names = below
    for number in range(1_000):
        names = with_name(names, str(number), -number)
        shared.add(id(names._below))
    assert len(shared) <= 1_000 // shared_maps.LAID_OVER_MAX + 1
