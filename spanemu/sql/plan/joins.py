"""Plan nodes that pair the rows of two inputs, or a row with array elements or hashed rows."""

from __future__ import annotations

from enum import StrEnum

from spanemu.base.record import record
from spanemu.sql.plan.nodes import Columns, Node, Passing, SearchScan, StreamAggregate, TopN
from spanemu.sql.resolved import Expr, Hints, ResolvedColumn


class JoinKind(StrEnum):
    """The kind of a join: the pairs, and the rows without a partner, that the join emits."""

    INNER = "inner"
    LEFT = "left outer"
    FULL = "full outer"
    SEMI = "semi"  # left rows that have a partner, once
    ANTI = "anti semi"  # left rows that have none
    NULL_AWARE_ANTI = "null-aware anti semi"  # NOT IN: see `HashJoin`

    @property
    def keeps_right(self) -> bool:
        """True if the join emits the columns of the right input."""
        return self in (JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL)


@record
class Pairing(Node):
    """A node that emits rows of `left` with the rows of `right` that match each."""

    kind: JoinKind
    left: Node
    right: Node

    @property
    def columns(self) -> Columns:
        return self.left.columns + (self.right.columns if self.kind.keeps_right else ())


@record
class Join(Pairing):
    """A join that compares all pairs and emits left + right where `condition` is TRUE.

    Buffers the right input. The planner leaves it only where nothing can be hashed or sought.
    `is_right_first`: an INNER or SEMI join reads the right input's first row before the left input,
    because an empty right input is the cheaper way to learn that nothing matches.
    `of_pattern`: the join is one of nodes and edges of a graph pattern (`planner.pattern_ends`).
    """

    condition: Expr | None
    hints: Hints = ()
    is_right_first: bool = False
    of_pattern: bool = False
    parts = ("left", "right", "condition")


@record
class HashJoin(Pairing):
    """A join that emits left + right for pairs with equal keys for which `residual` is TRUE.

    A NULL or NaN key equals nothing. Buffers the right input (the build side), so the planner puts
    the smaller input there; keeps the left input's order. NULL_AWARE_ANTI (no residual) is NOT IN:
    a NULL on the right lets no row pass, a NULL on the left passes only if the right is empty.
    Several keys are the fields of a struct there.

    - `outputs`: the columns that the join emits where not all are needed (`planner.prune`)
    - `is_broadcast`: a hint asks to send the right rows to every server with left rows, which here
      is the only server
    - `is_right_first`: see `Join`. Otherwise the right input is read when the first left row with a
      key arrives.
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
    """A hash join whose inputs both arrive in the order of their keys; only a hint requests it."""


@record
class ApplyJoin(Pairing):
    """A join that evaluates `right`, which may refer to left columns, for each left row.

    INNER, LEFT, SEMI or ANTI. Streams and keeps the left order. The cost is one evaluation of
    `right` per left row, so `right` should seek. `back_join` marks the fetch of a table row for an
    index entry.
    """

    back_join: bool = False
    parts = ("left", "right")


@record
class KeyedSpool(Passing):
    """A node that emits the rows of `input` whose `keys` equal the outer values `probes`.

    `input` depends on no outer column, so it is read once per run and hashed by `keys`; every later
    evaluation is a lookup. A correlated equality becomes a spool when no key or index can be
    sought, so that a correlated subquery never rescans its table.
    """

    keys: tuple[Expr, ...]
    probes: tuple[Expr, ...]
    parts = ("input", "keys", "probes")


@record
class Unnest(Node):
    """A node that emits each input row with each element of `array`, which may refer to the row.

    `offset` counts from 0. With `outer`, a row without elements is emitted once with NULLs.
    `condition` is part of the join: elements for which it is not TRUE do not count.
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


# The nodes that only the choice of algorithms makes (`planner.physical`).
PHYSICAL: tuple[type[Node], ...] = (
    TopN, StreamAggregate, HashJoin, MergeJoin, ApplyJoin, KeyedSpool, SearchScan,
)  # fmt: skip
