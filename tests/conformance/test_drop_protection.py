"""Schema object drop protection (page of that name), through the official client."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from google.api_core.exceptions import FailedPrecondition

import spanemu
from tests.dialects import DIALECTS, schema_in

SCHEMA = (
    "CREATE TABLE Busy (Id INT64, Name STRING(9), Spare INT64) PRIMARY KEY (Id)",
    "CREATE TABLE Idle (Id INT64) PRIMARY KEY (Id)",
    "CREATE INDEX ByName ON Busy(Name)",
    "CREATE INDEX BySpare ON Busy(Spare)",
)
PERIOD, READS = "inactivity_period", "usage_lowerbound"


class Shop:
    """A database whose schema is two days old."""

    def __init__(self, emulator: spanemu.Emulator, dialect: str) -> None:
        emulator.clock.freeze(datetime(2030, 1, 1, 12, 30, tzinfo=UTC))
        self.clock, self.dialect = emulator.clock, dialect
        schema = schema_in(dialect, SCHEMA)
        self.database = emulator.create_database("shop", schema=schema, dialect=dialect)
        self.client = self.database.client()
        self.clock.advance(timedelta(days=2))

    def ddl(self, *statements: str) -> None:
        self.client.update_ddl(schema_in(self.dialect, statements)).result(60)

    def protect(self, period: str = "'24h'", option: str = PERIOD) -> None:
        name = f"schema_drop_protection_{option}"
        if self.dialect == "googlesql":
            self.ddl(f"ALTER DATABASE shop SET OPTIONS ({name} = {period})")
        else:
            self.ddl(f"ALTER DATABASE shop SET spanner.{name} = {period}")

    def query(self, sql: str, times: int = 1) -> None:
        for _ in range(times):
            with self.client.snapshot() as snapshot:
                list(snapshot.execute_sql(sql))


@pytest.fixture(params=DIALECTS)
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    with spanemu.Emulator() as emulator:
        yield Shop(emulator, request.param)


def test_written_objects_are_in_use(shop: Shop) -> None:
    with shop.client.batch() as batch:
        batch.insert("Busy", ("Id", "Name"), [(1, "a")])
    shop.protect()
    for index in ("ByName", "BySpare"):
        with pytest.raises(FailedPrecondition, match=f"(?i){index}"):
            shop.ddl(f"DROP INDEX {index}", "DROP TABLE Idle")
    shop.ddl("DROP TABLE Idle", "CREATE TABLE Idle (Id INT64) PRIMARY KEY (Id)")
    shop.clock.advance(timedelta(hours=26))
    shop.ddl("DROP INDEX ByName", "ALTER TABLE Busy DROP COLUMN Name")


def test_objects_that_are_read_often_are_in_use(shop: Shop) -> None:
    shop.protect()
    shop.query("SELECT Id FROM Idle", 9)
    shop.ddl("DROP TABLE Idle")
    shop.query("SELECT Name FROM Busy WHERE Id > 0", 10)
    shop.ddl("DROP INDEX ByName", "DROP INDEX BySpare", "ALTER TABLE Busy DROP COLUMN Spare")
    for statement in ("ALTER TABLE Busy DROP COLUMN Name", "DROP TABLE Busy"):
        with pytest.raises(FailedPrecondition, match=r"(?i)busy"):
            shop.ddl(statement)
    shop.protect("11", READS)
    shop.ddl("DROP TABLE Busy")


def test_objects_created_within_the_period_are_not_protected(shop: Shop) -> None:
    shop.protect()
    shop.ddl("CREATE TABLE Anew (Id INT64) PRIMARY KEY (Id)", "ALTER TABLE Busy ADD COLUMN c INT64")
    shop.query("SELECT Id FROM Anew", 20)
    shop.query("SELECT c FROM Busy", 20)
    shop.ddl("ALTER TABLE Busy DROP COLUMN c", "DROP TABLE Anew")


@pytest.mark.parametrize("period", ["'0s'", "NULL"])
def test_protection_is_switched_off(shop: Shop, period: str) -> None:
    shop.query("SELECT Id FROM Idle", 20)
    shop.protect()
    with pytest.raises(FailedPrecondition):
        shop.ddl("DROP TABLE Idle")
    shop.protect(period)
    shop.ddl("DROP TABLE Idle")


def test_the_options_are_printed_until_they_are_reset(shop: Shop) -> None:
    shop.protect()
    shop.protect("11", READS)
    first, second, *_ = shop.database.ddl()
    assert (PERIOD in first, "'24h'" in first) == (True, True)
    assert (READS in second, "11" in second) == (True, True)
    for option in (PERIOD, READS):
        shop.protect("null", option)
    assert not any("drop_protection" in statement for statement in shop.database.ddl())


@pytest.mark.parametrize(
    "reset", ["SET spanner.{0} = DEFAULT", "SET spanner.{0} TO NULL", "RESET spanner.{0}"]
)
@pytest.mark.parametrize("shop", ["postgresql"], indirect=True)
def test_every_form_resets_an_option_in_postgresql(shop: Shop, reset: str) -> None:
    shop.query("SELECT Id FROM Idle", 9)
    shop.protect()
    shop.protect("9", READS)
    with pytest.raises(FailedPrecondition):
        shop.ddl("DROP TABLE Idle")
    shop.ddl(f"ALTER DATABASE shop {reset.format(f'schema_drop_protection_{READS}')}")
    shop.ddl("DROP TABLE Idle", "CREATE TABLE Idle (Id INT64) PRIMARY KEY (Id)")
    shop.ddl(f"ALTER DATABASE shop {reset.format(f'schema_drop_protection_{PERIOD}')}")
    assert not any("drop_protection" in statement for statement in shop.database.ddl())
