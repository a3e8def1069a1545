"""Seeks: the keys that a scan visits, as constraints on the leading parts of a key.

    key (SingerId, AlbumId)     seek
    SingerId = @s               points=(Equal(@s),)
    ... AND AlbumId > 4         points=(Equal(@s),) last=Within(low=4)
    SingerId IN (1, 2)          points=(Among((1, 2)),)

A scan has a tuple of seeks and visits their union. Values are computed once per evaluation of the
scan (`executor.ranges`); NULL matches nothing except where a constraint says so, and NaN matches
nothing except in key parts that sort NaN as the greatest value. Constraints are about values: the
executor deals with the order of the key parts.
"""

from __future__ import annotations

from typing import ClassVar

from spanemu.base.record import Unique, record
from spanemu.sql.resolved import Expr


@record
class Equal(Unique):
    """A constraint to one value.

    With `nulls`, NULL is a value like any other (IS NULL, IS NOT DISTINCT FROM).
    """

    value: Expr
    nulls: bool = False
    parts: ClassVar[tuple[str, ...]] = ("value",)


@record
class Among(Unique):
    """A constraint to any of `values`, or to any element of `array`."""

    values: tuple[Expr, ...] = ()
    array: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("values", "array")


@record
class Within(Unique):
    """A constraint to an interval, either bound of which may be absent; NULL is never inside."""

    low: Expr | None = None
    low_closed: bool = True
    high: Expr | None = None
    high_closed: bool = True
    parts: ClassVar[tuple[str, ...]] = ("low", "high")


@record
class Prefixed(Unique):
    """A constraint to texts or bytes with a prefix; of a LIKE pattern, its literal prefix."""

    prefix: Expr
    is_pattern: bool = False
    parts: ClassVar[tuple[str, ...]] = ("prefix",)


Constraint = Equal | Among | Within | Prefixed


@record
class Seek(Unique):
    """Constraints on key parts, in the order of the key: points, then at most one interval."""

    points: tuple[Equal | Among, ...]
    last: Within | Prefixed | None = None
    parts: ClassVar[tuple[str, ...]] = ("points", "last")

    @property
    def key_size(self) -> int:
        """The number of key parts that the seek constrains."""
        return len(self.points) + (self.last is not None)
