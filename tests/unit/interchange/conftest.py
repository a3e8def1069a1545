"""An emulator with a database of each dialect that has every type, for dumps and loads."""

from __future__ import annotations

from itertools import count

import pytest

import spanemu
from spanemu.api.data_connection import data_connection
from tests.unit.interchange.all_types import ROWS, SCHEMAS


class Databases:
    """An emulator with a filled database of each dialect, and new databases to load into."""

    def __init__(self, emulator):
        self.emulator = emulator
        self._numbers = count(1)
        self._filled = {}

    def filled(self, dialect):
        """Return the database with rows; it is the same for all tests, which only read it."""
        if dialect not in self._filled:
            database = self.emulator.create_database(
                f"filled-{dialect}", SCHEMAS[dialect], dialect=dialect
            )
            database.client().run_in_transaction(_insert, ROWS[dialect])
            self._filled[dialect] = database
        return self._filled[dialect]

    def new(self, dialect="googlesql", schema=()):
        return self.emulator.create_database(f"new-{next(self._numbers)}", schema, dialect=dialect)

    def connection(self, database):
        return data_connection(self.emulator.uri, database.name)


def _insert(transaction, statements):
    for statement in statements:
        transaction.execute_update(statement)


@pytest.fixture(scope="session")
def databases():
    with spanemu.Emulator() as emulator:
        yield Databases(emulator)
