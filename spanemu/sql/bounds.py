"""The size limits of a statement, which the parser checks while it reads.

An oversized statement is refused at the limit, without reading its rest. The analyzer checks the
same limits. Only the analyzer knows what a name stands for and what counts within a view or a
function; the parser counts only what the analyzer counts in every case.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from dataclasses import field

from spanemu.base.limits import SQL_CHARACTERS_MAX, Limits
from spanemu.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one parser; `functions` are the upper-cased names whose calls are counted."""

    limits: Limits
    functions: Container[str] = field(default=frozenset())


# For texts that are checked elsewhere: the parser limits only their length.
UNBOUNDED = Bounds(
    Limits(
        sql_characters=SQL_CHARACTERS_MAX,
        parameters=sys.maxsize,
        function_calls=sys.maxsize,
        operator_depth=sys.maxsize,
        in_list_items=sys.maxsize,
        group_keys=sys.maxsize,
        set_operation_queries=sys.maxsize,
        subqueries=sys.maxsize,
        columns_per_table=sys.maxsize,
    )
)
