"""Which keys a scan visits: constraints on the leading parts of a key.

    key (SingerId, AlbumId)     seek
    SingerId = @s               parts=(Equal(@s),)
    ... AND AlbumId > 4         parts=(Equal(@s),) last=Within(low=4)
    SingerId IN (1, 2)          parts=(Among((1, 2)),)

A scan takes a tuple of seeks, their union. Values are computed once per evaluation of the scan
(`executor.ranges`); a NULL matches nothing except where a constraint says so. A NaN matches
nothing. Constraints speak of values: whether a part is descending is the executor's care.
"""

from __future__ import annotations

from typing import ClassVar

from spanemu.base.record import Unique, record
from spanemu.sql.resolved import Expr


@record
class Equal(Unique):
    """One value. With `nulls`, NULL is a value like any other (IS NULL, IS NOT DISTINCT FROM)."""

    value: Expr
    nulls: bool = False
    parts: ClassVar[tuple[str, ...]] = ("value",)


@record
class Among(Unique):
    """Any of `values`, or any element of `array`."""

    values: tuple[Expr, ...] = ()
    array: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("values", "array")


@record
class Within(Unique):
    """Between two bounds, either of which may be absent; never NULL."""

    low: Expr | None = None
    low_closed: bool = True
    high: Expr | None = None
    high_closed: bool = True
    parts: ClassVar[tuple[str, ...]] = ("low", "high")


@record
class Prefixed(Unique):
    """Texts or bytes that begin with `prefix`; of a LIKE pattern, with what precedes wildcards."""

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
        """How many key parts it constrains."""
        return len(self.points) + (self.last is not None)
