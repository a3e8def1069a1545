"""More fixtures like the plugin's own, configured differently: a second database, a shared one.

from pytest_spanemu import factories

ledger_database = factories.database(schema=["ledger/migrations"], isolation="clone")

def test_transfer(spanner_database, ledger_database): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import pytest

from pytest_spanemu.run import run_of
from pytest_spanemu.wishes import Recipe, checked_wishes

Scope = Literal["function", "class", "module", "package", "session"]
Words = str | Sequence[str]

__all__ = ["database"]


def database(
    *,
    schema: Words = (),
    seeds: Words = (),
    isolation: str | None = None,
    scope: Scope = "function",
    fill: Callable[[Any], object] | None = None,
) -> Any:
    """A fixture that gives a `Database` of a schema of its own.

    `schema` and `seeds` are sources as in the settings; `fill(factory)` adds rows to the template
    with a `SpannerFactory`. With a wider `scope` the tests in it share the database.
    """
    wishes = checked_wishes(
        {"schema": schema, "seeds": seeds, "isolation": isolation}, "factories.database"
    )

    @pytest.fixture(scope=scope)
    def database_fixture(request: pytest.FixtureRequest, spanner_emulator: Any) -> Iterator[Any]:
        run, test = run_of(request.config), request.node.nodeid
        template = run.templates.special(
            spanner_emulator, Recipe(wishes.schema, wishes.seeds, fill)
        )
        with run.lender.lend(template, wishes.isolation, test) as observation:
            yield observation.handle.client()
        run.lender.finish(test, {})

    return database_fixture
