"""The tours of the docs print the same over every endpoint that can be had here."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import spanemu
from tests.conformance.reference import official_emulator
from tests.conformance.rest_calls import rest_client

DOCS = Path(__file__).parents[2] / "docs"
TOUR, POSTGRESQL_TOUR = DOCS / "tour.py", DOCS / "postgresql_tour.py"

PRINTED = """\
read by key: ['Catalina', 'Smith']
read by index: ['Go, Go, Go', 'Green', 'Total Junk']
join: [['Richards', 2], ['Smith', 1]]
rows updated: 2
title then: ['Total Junk']
title now: ['TOTAL JUNK']
albums after a cascade: [[2, 1, 'Green']]
"""

POSTGRESQL_PRINTED = """\
read by key: Marc 10.50
read by index: Alice Marc NULL
jsonb: 2 {"b": 1, "aa": 2}
numeric: Marc 10.505; Alice 0.105
returned: GO, GO, GO; TOTAL JUNK
albums after a cascade: 3 1 Green
"""

both_tours = pytest.mark.parametrize(
    ("path", "printed"),
    [(TOUR, PRINTED), (POSTGRESQL_TOUR, POSTGRESQL_PRINTED)],
    ids=["googlesql", "postgresql"],
)


def run_tour(path, client, capsys) -> str:
    capsys.readouterr()
    runpy.run_path(str(path))["tour"](client)
    return capsys.readouterr().out


@both_tours
def test_as_a_program(path, printed, capsys, monkeypatch) -> None:
    monkeypatch.delenv("SPANNER_EMULATOR_HOST", raising=False)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out == printed


@both_tours
def test_embedded(path, printed, capsys) -> None:
    with spanemu.Emulator() as emulator:
        assert run_tour(path, emulator.client(), capsys) == printed


@both_tours
def test_standalone(path, printed, capsys) -> None:
    with spanemu.Emulator.subprocess() as emulator:
        assert run_tour(path, emulator.client(), capsys) == printed


@both_tours
def test_over_rest(path, printed, capsys) -> None:
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        assert run_tour(path, rest_client(emulator.rest_uri, "tour"), capsys) == printed


@pytest.mark.reference
@both_tours
def test_official_emulator(path, printed, capsys) -> None:
    with official_emulator() as client:
        assert run_tour(path, client, capsys) == printed
