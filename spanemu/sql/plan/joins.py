"""Plan nodes that pair the rows of two inputs, or a row with what it holds or implies."""

from __future__ import annotations

from enum import StrEnum

from spanemu.base.record import record
from spanemu.sql.plan.nodes import Columns, Node, Passing
from spanemu.sql.resolved import Expr, Hints, ResolvedColumn


class JoinKind(StrEnum):
    """Which pairs, and which rows without a partner, a join emits."""

    INNER = "inner"
    LEFT = "left outer"
    FULL = "full outer"
    SEMI = "semi"  # left rows that have a partner, once
    ANTI = "anti semi"  # left rows that have none
    NULL_AWARE_ANTI = "null-aware anti semi"  # NOT IN: see `HashJoin`

    @property
    def keeps_right(self) -> bool:
        """Whether the columns of the right input come out."""
        return self in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL)


@record
class Pairing(Node):
    """A node that emits rows of `left` with the rows of `right` that belong to each."""

    kind: JoinKind
    left: Node
    right: Node

    @property
    def columns(self) -> Columns:
        return self.left.columns + (self.right.columns if self.kind.keeps_right else ())


@record
class Join(Pairing):
    """Emit left + right for each pair for which `condition` is TRUE, by comparing all pairs.

    Buffers the right input. The planner leaves it only where there is nothing to hash or seek.
    `is_right_first`: an INNER or SEMI join asks the right input for its first row before the left,
    because an empty right input is the cheaper way to find out that nothing matches.
    """

    condition: Expr | None
    hints: Hints = ()
    is_right_first: bool = False
    parts = ("left", "right", "condition")


@record
class HashJoin(Pairing):
    """Emit left + right for each pair whose keys are equal and whose `residual` is TRUE.

    A NULL or NaN key equals nothing. Buffers the right input, so the planner puts the smaller
    one there; keeps the left input's order. NULL_AWARE_ANTI (one key, no residual) is NOT IN: a
    NULL on the right lets no row pass, a NULL on the left passes only if the right is empty.
    `outputs` are the columns that come out where not all of them are needed (`planner.narrow`).
    `is_broadcast`: a hint has the right rows sent to wherever left ones are, which is all here.
    `is_right_first`: see `Join`. Otherwise the right input is read when the first left row with
    a key arrives.
    """

    left_keys: tuple[Expr, ...]
    right_keys: tuple[Expr, ...]
    residual: Expr | None = None
    outputs: Columns | None = None
    is_broadcast: bool = False
    is_right_first: bool = False
    parts = ("left", "right", "left_keys", "right_keys", "residual")

    @property
    def columns(self) -> Columns:
        return super().columns if self.outputs is None else self.outputs


@record
class MergeJoin(HashJoin):
    """The same for inputs that both come in the order of their keys; only a hint asks for it."""


@record
class ApplyJoin(Pairing):
    """For each left row, emit it with every row of `right`, which may refer to left columns.

    INNER, LEFT, SEMI or ANTI. Streams, keeps the left order; costs one evaluation of `right` per
    left row, so `right` should seek. `back_join` tells the fetch of a base row for an index entry.
    """

    back_join: bool = False
    parts = ("left", "right")


@record
class KeyedSpool(Passing):
    """Emit the rows of `input` whose `keys` equal the `probes`, which come from outside.

    `input` depends on nothing outside, so it is read once per run and hashed by `keys`; every
    evaluation after that is a look-up. This is what a correlated equality becomes when no key
    or index can be sought, so that a correlated subquery never rescans its table.
    """

    keys: tuple[Expr, ...]
    probes: tuple[Expr, ...]
    parts = ("input", "keys", "probes")


@record
class Unnest(Node):
    """Emit each input row with each element of `array`, which may refer to the row.

    `offset` counts from 0. With `outer`, a row without element comes once with NULLs. `condition`
    is part of the join: elements for which it is not TRUE do not count.
    """

    input: Node
    array: Expr
    element: ResolvedColumn
    offset: ResolvedColumn | None = None
    outer: bool = False
    condition: Expr | None = None
    parts = ("input", "array", "condition")

    @property
    def columns(self) -> Columns:
        return self.input.columns + self.produced

    @property
    def produced(self) -> Columns:
        return (self.element,) if self.offset is None else (self.element, self.offset)
