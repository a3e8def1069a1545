"""The same program in this checkout and in an older one, the anchor, as processes that take turns.

`python -m tests.benchmarks SUITE --anchor PATH` names the anchor: a checkout, with an environment
in `.venv` if it needs packages that this one lacks. Without it, this checkout is measured alone.
A program may use only what both checkouts have; it prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from rich.table import Table

HERE = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
SECONDS_MAX = 3_600
COMPILED = ("spanemu", "pytest_spanemu", "tests/benchmarks")

# By name of the checkout: the numbers that each of its processes printed.
Numbers = dict[str, list[dict[str, float]]]

_checkouts = {"now": HERE}


def add_anchor(checkout: str) -> None:
    """Measure a further checkout.

    Both get bytecode: what a process compiles at its start leaves holes in its memory, which make
    all that follows some per cent slower.
    """
    _checkouts["anchor"] = Path(checkout).resolve()
    for each in _checkouts.values():
        command = [python_of(each), "-m", "compileall", "-q", *COMPILED]
        subprocess.run(command, cwd=each, check=True)


def checkouts() -> dict[str, Path]:
    """Return the checkouts to measure, by name."""
    return dict(_checkouts)


def python_of(checkout: Path) -> str:
    """Return the interpreter of a checkout's environment, or this one."""
    own = checkout / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def run_in_turns(
    program: str, rounds: int, *arguments: str, environ: dict[str, str] | None = None
) -> Numbers:
    """Run a program of `programs` in each checkout, in turns, so many times."""
    order = list(_checkouts.items())
    numbers: Numbers = {name: [] for name in _checkouts}
    for _ in range(rounds):
        for name, checkout in order:
            numbers[name].append(run(program, checkout, *arguments, environ=environ))
        order.reverse()
    return numbers


def run(
    program: str, checkout: Path, *arguments: str, environ: dict[str, str] | None = None
) -> dict[str, float]:
    """Return the numbers that a program prints in a checkout."""
    command = [python_of(checkout), "-P", str(PROGRAMS / f"{program}.py")]
    printed = subprocess.check_output(
        [*command, *arguments],
        env={**os.environ, **(environ or {}), "PYTHONPATH": str(checkout)},
        timeout=SECONDS_MAX,
    )
    numbers: dict[str, float] = json.loads(printed)
    return numbers


def table(title: str, numbers: Numbers, rows: list[tuple[str, str, str, str]]) -> Table:
    """Return a table of medians; each row is a name, its label, its format and its goal.

    With an anchor, the last column is the median over the rounds of now / anchor.
    """
    shown = Table(title=title)
    shown.add_column("what")
    for name in (*numbers, *(["now / anchor"] if "anchor" in numbers else []), "goal"):
        shown.add_column(name, justify="right")
    for name, label, form, goal in rows:
        columns = {each: [one[name] for one in taken] for each, taken in numbers.items()}
        cells = [format(median(values), form) for values in columns.values()]
        if "anchor" in columns:
            pairs: Any = zip(columns["now"], columns["anchor"], strict=True)
            cells.append(f"{median(now / then if then else 1.0 for now, then in pairs):.2f}")
        shown.add_row(label, *cells, goal)
    return shown
