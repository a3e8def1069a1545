"""A short campaign over graph queries; `python -m tests.fuzz.graphs` is long."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spanemu.frontend import wire
from tests.fuzz.corpus import GRAPHS
from tests.fuzz.graphs import run
from tests.fuzz.world import SPANNER, World, small_world

STATEMENTS = 600
SEED = 20_264


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with small_world(embedded=True) as world:
        yield world


@pytest.mark.parametrize("sql", GRAPHS)
def test_the_corpus_is_valid(world: World, sql: str) -> None:
    request = wire.ExecuteSqlRequest(session=world.session, sql=sql)
    reply = world.send(SPANNER + "ExecuteStreamingSql", request.SerializeToString())
    assert not reply.failed, reply.details


def test_no_statement_crashes_or_hangs(world: World) -> None:
    findings = run(world, STATEMENTS, SEED)
    assert not findings.violations, "\n".join(findings.violations)
    assert findings.codes["OK"]
