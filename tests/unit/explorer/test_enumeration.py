"""The reduced search meets every outcome that full enumeration meets, on random programs.

`SPANEMU_EXPLORER_SEEDS=500 pytest tests/unit/explorer/test_enumeration.py` compares more of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.explorer.random_programs import (
    SCHEDULES_MAX,
    Bounded,
    Complete,
    Recorded,
    program,
    program_of_three,
    random_database,
    searched,
)

SEEDS = range(int(os.environ.get("SPANEMU_EXPLORER_SEEDS", "50")))
VARIANTS = 5  # of a seed, until full enumeration is short enough
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with random_database() as handle:
        yield handle


@pytest.mark.parametrize("seed", SEEDS)
def test_reduction_misses_no_outcome(database: Any, seed: int) -> None:
    for variant in range(VARIANTS):
        actors = program(f"{seed}.{variant}")
        complete, _ = searched(Complete, database, actors)
        if complete.count <= SCHEDULES_MAX:
            break
    else:
        pytest.skip("too many schedules for full enumeration")
    reduced, result = searched(Recorded, database, actors, schedules=2_000)
    assert result.complete
    assert reduced.met == complete.met


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 10)])
def test_reduction_of_three_actors_misses_no_outcome_within_the_bound(
    database: Any, seed: int
) -> None:
    actors = program_of_three(seed)
    bounded, _ = searched(Bounded, database, actors)
    reduced, _ = searched(Recorded, database, actors, preemptions=1, schedules=2_000)
    assert bounded.met <= reduced.met


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 10)])
def test_each_schedule_repeats_itself(database: Any, seed: int) -> None:
    first, second, third = (searched(Recorded, database, program(seed))[0].prints for _ in range(3))
    assert first == second == third


def test_schedules_repeat_themselves_in_another_process() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-m", "tests.unit.explorer.random_programs", "0", "5"],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("\n") > 20
