"""The pattern of a heatmap in the terms of Key Visualizer's page, derived from the cells alone."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import groupby, pairwise
from math import log
from statistics import mean

from spanemu.hotspots.samples import rank_correlation

DIAGONAL_CORRELATION_MIN = 0.9
EVEN_ENTROPY_MIN = 0.85
PERSISTENT_PART_MIN = 0.8
SUDDEN_START_MIN = 0.2
PATTERN_CELLS_MIN = 12
ROVING_JUMP_MIN = 0.4  # of the ranges, between neighbouring columns
ROVING_COLUMNS_MIN = 5  # of one diagonal
ROVING_RUNS_MIN = 2
QUIET_MAX = 0.1  # of the busiest column, in the gaps of a periodic load
STRIPES_MIN = 4
STRIPE_SPREAD_MAX = 0.25  # of the mean distance between stripes, by which distances may differ
SINGLE_PART_MIN = 0.8  # of the whole load, on one of several tables

Cells = list[list[int]]  # indexed by range, then by column


class Pattern(StrEnum):
    """The pattern of a picture, in the terms of Key Visualizer's page."""

    EVEN = "Evenly distributed reads and writes"
    MONOTONIC = "Monotonically increasing keys"
    PERSISTENT = "Persistently hot key ranges"
    ROVING = "Roving reads and writes"
    SUDDEN = "Sudden traffic increase"
    SINGLE_TABLE = "Single hot table"
    PERIODIC = "Periodic load"  # not on Key Visualizer's page: stripes from top to bottom
    NONE = "No pattern"


def pattern_of(cells: Cells) -> Pattern:
    """Return the pattern of the cells."""
    if not cells or len(cells[0]) < PATTERN_CELLS_MIN:
        return Pattern.NONE
    if len(cells) == 1:
        return Pattern.PERSISTENT if _presence(cells[0]) >= PERSISTENT_PART_MIN else Pattern.NONE
    columns = list(zip(*cells, strict=True))
    centres = [
        sum(index * n for index, n in enumerate(column)) / sum(column)
        for column in columns
        if sum(column)
    ]
    if not centres:
        return Pattern.NONE
    if _is_periodic(list(map(sum, columns))):
        return Pattern.PERIODIC
    follows = _ranks(centres)
    if abs(follows) >= DIAGONAL_CORRELATION_MIN:
        return Pattern.MONOTONIC
    return Pattern.ROVING if _is_roving(centres, len(cells)) else _standing(cells)


def _ranks(centres: Sequence[float]) -> float:
    """Return the rank correlation of the centres with time."""
    return rank_correlation([round(centre * 1000).to_bytes(8, "big") for centre in centres])


def _is_roving(centres: Sequence[float], ranges: int) -> bool:
    """Return whether the picture has several diagonals, each of which starts at another range."""
    runs: list[list[float]] = [[]]
    for before, centre in pairwise([centres[0], *centres]):
        if abs(centre - before) > ROVING_JUMP_MIN * ranges:
            runs.append([])
        runs[-1].append(centre)
    long = [run for run in runs if len(run) >= ROVING_COLUMNS_MIN]
    if len(long) < ROVING_RUNS_MIN or sum(map(len, long)) < PERSISTENT_PART_MIN * len(centres):
        return False
    return all(abs(_ranks(run)) >= DIAGONAL_CORRELATION_MIN for run in long)


def _standing(cells: Cells) -> Pattern:
    rows = [sum(row) for row in cells]
    total = sum(rows)
    entropy = -sum(n / total * log(n / total) for n in rows if n) / log(len(rows))
    if entropy >= EVEN_ENTROPY_MIN:
        return Pattern.EVEN
    row = max(cells, key=sum)
    if _presence(row) >= PERSISTENT_PART_MIN:
        return Pattern.PERSISTENT
    first = next(index for index, n in enumerate(row) if n) / len(row)
    return Pattern.SUDDEN if first >= SUDDEN_START_MIN else Pattern.NONE


def _presence(row: Sequence[int]) -> float:
    """Return the part of the time in which there was load."""
    return sum(n > 0 for n in row) / len(row)


def _is_periodic(loads: Sequence[int]) -> bool:
    """Return whether load comes in stripes with quiet gaps of about equal length."""
    quiet = QUIET_MAX * max(loads)
    begins = [0]
    for _, stripe in groupby(loads, key=lambda load: load <= quiet):
        begins.append(begins[-1] + len(list(stripe)))
    inside = begins[1:-1] if loads[0] <= quiet else begins[:-1]
    stripes = inside[::2]
    if len(stripes) < STRIPES_MIN:
        return False
    steps = [after - before for before, after in pairwise(stripes)]
    middle = mean(steps)
    return all(abs(step - middle) <= max(1.0, STRIPE_SPREAD_MAX * middle) for step in steps)


def is_single(load: int, of: int) -> bool:
    """Return whether one table has nearly all of the load."""
    return load >= SINGLE_PART_MIN * of
