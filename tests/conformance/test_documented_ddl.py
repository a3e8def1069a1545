"""docs/documented-ddl.md lists the examples of Spanner's pages that are refused, and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from tests.conformance.documented_ddl import REFUSED, Refused, section, written

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as running:
        yield running


def apply(emulator: spanemu.Emulator, statements: tuple[str, ...]) -> None:
    """Run schema statements, one by one, in a new PostgreSQL database."""
    handle = emulator.create_database(f"db-{next(_NUMBERS)}", dialect="postgresql")
    for statement in statements:
        named = statement.replace("DATABASE db ", f'DATABASE "{handle.database_id}" ')
        named = named.replace('DATABASE "DB-NAME" ', f'DATABASE "{handle.database_id}" ')
        handle.client().update_ddl([named]).result(60)


@pytest.mark.parametrize("example", REFUSED, ids=lambda each: each.example)
def test_an_example_is_refused_as_written_and_accepted_when_right(
    emulator: spanemu.Emulator, example: Refused
) -> None:
    apply(emulator, example.statements[:-1])
    with pytest.raises(GoogleAPICallError) as refused:
        apply(emulator, example.statements)
    assert refused.value.grpc_status_code.name == example.code
    apply(emulator, example.right)


def test_the_page_has_every_example() -> None:
    assert written() == section(), "run python -m tests.conformance.documented_ddl"
