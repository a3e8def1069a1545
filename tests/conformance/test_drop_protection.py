"""Schema object drop protection (page of that name), through the official client."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from google.api_core.exceptions import FailedPrecondition

import spanemu

SCHEMA = """
CREATE TABLE Busy (Id INT64, Name STRING(9), Spare INT64) PRIMARY KEY (Id);
CREATE TABLE Idle (Id INT64) PRIMARY KEY (Id);
CREATE INDEX ByName ON Busy(Name);
CREATE INDEX BySpare ON Busy(Spare);
"""


class Shop:
    """A database whose schema is two days old."""

    def __init__(self, emulator: spanemu.Emulator) -> None:
        emulator.clock.freeze(datetime(2030, 1, 1, 12, 30, tzinfo=UTC))
        self.clock = emulator.clock
        self.client = emulator.create_database("shop", schema=SCHEMA).client()
        self.clock.advance(timedelta(days=2))

    def ddl(self, *statements: str) -> None:
        self.client.update_ddl(list(statements)).result(60)

    def protect(self, period: str = "'24h'", option: str = "inactivity_period") -> None:
        self.ddl(f"ALTER DATABASE shop SET OPTIONS (schema_drop_protection_{option} = {period})")

    def query(self, sql: str, times: int = 1) -> None:
        for _ in range(times):
            with self.client.snapshot() as snapshot:
                list(snapshot.execute_sql(sql))


@pytest.fixture
def shop() -> Iterator[Shop]:
    with spanemu.Emulator() as emulator:
        yield Shop(emulator)


def test_what_is_written_to_is_in_use(shop: Shop) -> None:
    with shop.client.batch() as batch:
        batch.insert("Busy", ("Id", "Name"), [(1, "a")])
    shop.protect()
    for index in ("ByName", "BySpare"):
        with pytest.raises(FailedPrecondition, match=index):
            shop.ddl("DROP TABLE Idle", f"DROP INDEX {index}")
    shop.ddl("DROP TABLE Idle", "CREATE TABLE Idle (Id INT64) PRIMARY KEY (Id)")
    shop.clock.advance(timedelta(hours=26))
    shop.ddl("DROP INDEX ByName", "ALTER TABLE Busy DROP COLUMN Name")


def test_what_is_read_often_enough_is_in_use(shop: Shop) -> None:
    shop.protect()
    shop.query("SELECT Id FROM Idle", 9)
    shop.ddl("DROP TABLE Idle")
    shop.query("SELECT Name FROM Busy WHERE Id > 0", 10)
    shop.ddl("DROP INDEX ByName", "DROP INDEX BySpare", "ALTER TABLE Busy DROP COLUMN Spare")
    for statement in ("ALTER TABLE Busy DROP COLUMN Name", "DROP TABLE Busy"):
        with pytest.raises(FailedPrecondition, match="Busy"):
            shop.ddl(statement)
    shop.protect("11", "usage_lowerbound")
    shop.ddl("DROP TABLE Busy")


def test_what_was_made_within_the_period_is_not_protected(shop: Shop) -> None:
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
