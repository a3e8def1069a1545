"""A compiled operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.run import Run

Value = Callable[[Row, Run], Any]
Each = Callable[[Sequence[Row], Run], list[Any]]  # of many rows at once
Rows = Callable[[Run], Iterable[Row]]
Layout = Mapping[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Relation:
    """`rows(run)` gives the rows, once per call; `layout` says where a column is in each.

    Rows may hold more cells than the layout names: a scan hands on stored rows as they are.
    `width` is the number of cells.
    """

    rows: Rows
    layout: Layout
    width: int


def beside(left: Relation, right: Relation) -> dict[int, int]:
    """The layout of a left row with a right row appended."""
    return {
        **left.layout,
        **{column: left.width + place for column, place in right.layout.items()},
    }
