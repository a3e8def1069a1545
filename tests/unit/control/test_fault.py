"""Faults match RPCs and strike the selected RPCs."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from spanemu.control.fault import EmbeddedFault, Rhythm, RpcMatcher
from spanemu.control.faults import Selection

DATABASE = "projects/p/instances/i/databases/shop"


@dataclass
class Rpc:
    """A request with the properties that faults match on."""

    method: str = "Commit"
    database: str = DATABASE
    session: str = f"{DATABASE}/sessions/1"
    transaction_id: bytes = b""
    begins: str = ""
    request_tag: str = ""
    transaction_tag: str = ""
    client: str = "gl-python/3.11"
    statements: tuple[str, ...] = ()
    tables: frozenset[str] = field(default_factory=frozenset)
    fingerprint: bytes = b""


@pytest.mark.parametrize(
    ("chosen", "struck"),
    [
        ({}, [1]),
        ({"nth": 3}, [3]),
        ({"nth": 2, "times": 3}, [2, 3, 4]),
        ({"every": 3}, [1, 4, 7, 10]),
        ({"nth": 2, "every": 4}, [2, 6, 10]),
        ({"every": 2, "times": 2}, [1, 3]),
    ],
)
def test_a_rhythm_selects_the_rpcs_to_strike(chosen: Selection, struck: list[int]) -> None:
    rhythm, found = Rhythm.of(chosen), []
    for number in range(1, 11):
        if rhythm.strikes(number, len(found)):
            found.append(number)
    assert found == struck


@pytest.mark.parametrize(
    ("method", "chosen", "rpc"),
    [
        ("Commit", {}, Rpc(method="Rollback")),
        (None, {"database": "shops"}, Rpc()),
        (None, {"database": f"{DATABASE}2"}, Rpc()),
        (None, {"tag": "a"}, Rpc(request_tag="b")),
        (None, {"transaction_tag": "a"}, Rpc(request_tag="a")),
        (None, {"client": "java"}, Rpc()),
        (None, {"table": "T"}, Rpc(tables=frozenset({"u"}))),
        (None, {"sql": "^UPDATE"}, Rpc(statements=("SELECT 1",))),
    ],
)
def test_other_rpcs_do_not_match(method: str | None, chosen: Selection, rpc: Rpc) -> None:
    assert not RpcMatcher.of(method, chosen).matches(rpc)


@pytest.mark.parametrize(
    "chosen",
    [
        {"database": "shop"},
        {"database": DATABASE},
        {"tag": "a", "transaction_tag": "b"},
        {"client": "python"},
        {"table": "T"},
        {"sql": "update.*where"},
    ],
)
def test_selected_rpcs_match(chosen: Selection) -> None:
    rpc = Rpc(
        request_tag="a",
        transaction_tag="b",
        tables=frozenset({"t", "u"}),
        statements=("SELECT 1", "UPDATE T SET a = 1\nWHERE TRUE"),
    )
    assert RpcMatcher.of("Commit", chosen).matches(rpc)


def test_an_rpc_that_ended_early_does_not_count() -> None:
    fault = EmbeddedFault("test", RpcMatcher(), lambda _rpc: None)
    first = fault.meet(Rpc())
    assert first is not None
    assert fault.meet(Rpc()) is None
    first.spare()
    second = fault.meet(Rpc())
    assert second is not None
    second.strike()
    assert (fault.fired, fault.meet(Rpc())) == (1, None)
