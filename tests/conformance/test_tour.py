"""The README's tour prints the same over every endpoint that can be had here."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import spanemu
from tests.conformance.reference import official_emulator

TOUR = Path(__file__).parents[2] / "docs" / "tour.py"

PRINTED = """\
read by key: ['Catalina', 'Smith']
read by index: ['Go, Go, Go', 'Green', 'Total Junk']
join: [['Richards', 2], ['Smith', 1]]
rows updated: 2
title then: ['Total Junk']
title now: ['TOTAL JUNK']
albums after a cascade: [[2, 1, 'Green']]
"""


def run_tour(client, capsys) -> str:
    capsys.readouterr()
    runpy.run_path(str(TOUR))["tour"](client)
    return capsys.readouterr().out


def test_as_a_program(capsys, monkeypatch) -> None:
    monkeypatch.delenv("SPANNER_EMULATOR_HOST", raising=False)
    runpy.run_path(str(TOUR), run_name="__main__")
    assert capsys.readouterr().out == PRINTED


def test_embedded(capsys) -> None:
    with spanemu.Emulator() as emulator:
        assert run_tour(emulator.client(), capsys) == PRINTED


def test_standalone(capsys) -> None:
    with spanemu.Emulator.subprocess() as emulator:
        assert run_tour(emulator.client(), capsys) == PRINTED


@pytest.mark.reference
def test_official_emulator(capsys) -> None:
    with official_emulator() as client:
        assert run_tour(client, capsys) == PRINTED
