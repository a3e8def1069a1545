"""A short campaign over graph queries; `python -m tests.fuzz.graphs` is long."""

from __future__ import annotations

import pytest

from spanemu.frontend import wire
from tests.fuzz.corpus import GRAPHS
from tests.fuzz.graphs import run
from tests.fuzz.world import SPANNER, small_world

STATEMENTS = 600
SEED = 20_264


@pytest.fixture(scope="module")
def world():
    with small_world(embedded=True) as world:
        yield world


@pytest.mark.parametrize("sql", GRAPHS)
def test_the_corpus_is_valid(world, sql):
    request = wire.ExecuteSqlRequest(session=world.session, sql=sql)
    reply = world.send(SPANNER + "ExecuteStreamingSql", request.SerializeToString())
    assert not reply.failed, reply.details


def test_nothing_that_must_not_happen_does(world):
    findings = run(world, STATEMENTS, SEED)
    assert not findings.violations, "\n".join(findings.violations)
    assert findings.codes["OK"]
