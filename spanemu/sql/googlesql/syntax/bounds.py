"""How large a statement may be, counted while it is read, so that it is refused at the limit.

The analyzer holds the same limits. It alone knows what a name stands for and what is counted
within a view or a function; the parser counts only what the analyzer is sure to count as well.
"""

from __future__ import annotations

import sys
from collections.abc import Set
from dataclasses import dataclass, field

from spanemu.base.limits import SQL_CHARACTERS_MAX, Limits


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one parser; `functions` are the upper-cased names whose calls are counted."""

    limits: Limits
    functions: Set[str] = field(default=frozenset())


# For texts that are judged elsewhere: their length is all that the parser looks at.
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
    )
)
