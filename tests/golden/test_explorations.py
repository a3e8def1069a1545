"""Golden tests of explorations: what is found in each program, as its user reads it.

`explore NAME` prints the report of a failure without lines of code, or the outcomes of a program
without one. The texts of requests are those of the newest client: with an older one, only the
sentence of the diagnosis, its kind and the outcomes are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.explorer.timeline import Timeline, timeline_text
from tests.golden.runner import HERE, Case, file_id, golden_files, parse_golden, run_golden
from tests.unit.explorer import more_programs, programs
from tests.unit.explorer.postgresql_programs import POSTGRESQL
from tests.unit.explorer.postgresql_programs import SCHEMA as POSTGRESQL_SCHEMA
from tests.unit.explorer.postgresql_programs import fill as fill_postgresql

NEWEST = (3, 71)  # the client whose requests the files show
PROGRAMS = {each.name: each for each in [*programs.PROGRAMS, *more_programs.MORE, *POSTGRESQL]}


@pytest.fixture(scope="module")
def databases() -> Iterator[dict[str, Any]]:
    """Return the databases of the programs, by dialect."""
    with Emulator() as emulator:
        google = emulator.create_database("app", [*programs.SCHEMA, *more_programs.SCHEMA])
        programs.fill(google.client())
        more_programs.fill(google.client())
        postgresql = emulator.create_database("pg", POSTGRESQL_SCHEMA, dialect="postgresql")
        fill_postgresql(postgresql.client())
        google.settle()
        postgresql.settle()
        yield {"google": google, "postgresql": postgresql}


def explored(databases: dict[str, Any], name: str) -> str:
    """Return what the exploration of a program reports."""
    program = PROGRAMS[name]
    dialect = "postgresql" if program in POSTGRESQL else "google"
    result = databases[dialect].explore(program.actors, **program.options)
    assert result.kind == program.kind, result.failure
    if result.timeline is None:
        assert result.complete
        before = unchanged_rows(databases[dialect])
        return "\n".join(sorted(outcome_text(each, before) for each in result.outcomes))
    text = timeline_text(without_sites(result.timeline))
    return f"kind {result.kind}\n{re.sub(r'explored [0-9]+ schedules', 'explored', text)}"


def without_sites(timeline: Timeline) -> Timeline:
    """Return a timeline without lines of code, which differ from checkout to checkout."""
    entries = tuple(
        replace(entry, lines=tuple(replace(line, site="") for line in entry.lines))
        for entry in timeline.entries
    )
    return replace(timeline, entries=entries)


def unchanged_rows(database: Any) -> dict[str, tuple[str, ...]]:
    """Return the rows by table that every program begins with."""
    nothing = {name: lambda: None for name in ("x", "y")}
    (outcome,) = database.explore(nothing).outcomes
    return dict(outcome.rows)


def outcome_text(outcome: Any, before: dict[str, tuple[str, ...]]) -> str:
    """Return the tables that have changed, and the answers, on one line."""
    rows = [
        f"{table} {' '.join(texts) or 'empty'}"
        for table, texts in outcome.rows
        if texts != before[table]
    ]
    return "   ".join(["outcome", *rows, *map(str, outcome.answers)])


def is_newest() -> bool:
    """Return whether the goldens were written with the client that is installed."""
    installed = tuple(int(part) for part in version("google-cloud-spanner").split(".")[:2])
    return installed >= NEWEST


@pytest.mark.parametrize("path", golden_files("explorations"), ids=file_id)
def test_explorations(path: Path, rewrite: bool, databases: dict[str, Any]) -> None:
    def explore(case: Case) -> str:
        return explored(databases, case.line.partition(" ")[2])

    if is_newest():
        run_golden(path, {"explore": explore}, rewrite=rewrite)
        return
    for case in parse_golden(path.read_text(encoding="utf-8")):
        if isinstance(case, Case):
            assert of_every_client(explore(case)) == of_every_client(case.output), case.line


def of_every_client(text: str) -> list[str]:
    """Return the lines of a report that are the same with every client: what, and the outcomes."""
    first, *_, last = text.split("\n\n") if "\n\n" in text else (text, "")
    return [line for line in [*first.splitlines(), *last.splitlines()] if "repeat it" not in line]


def test_every_program_has_a_golden() -> None:
    cases = [
        piece.line.partition(" ")[2]
        for path in golden_files("explorations")
        for piece in parse_golden(path.read_text(encoding="utf-8"))
        if isinstance(piece, Case)
    ]
    assert sorted(cases) == sorted(PROGRAMS)


def test_older_clients_are_held_to_what_is_found() -> None:
    (case,) = [
        piece
        for piece in parse_golden((HERE / "explorations" / "lost_updates.golden").read_text())
        if isinstance(piece, Case) and piece.line == "explore two transactions"
    ]
    lines = of_every_client(case.output)
    assert lines[0] == "kind lost update"
    assert lines[1].startswith('lost update of Acc("a"): ')
    assert lines[3].startswith("    got ")
    assert not [line for line in lines if "COMMIT" in line]
