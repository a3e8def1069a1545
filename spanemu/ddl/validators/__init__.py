"""What may not be, judged on the schema alone.

Each validator yields problems in the order in which Spanner reports them; the caller raises the
first, a test can list them all.

Of tables: `names`, `columns`, `keys`, `places`, `alterations`, `expressions`, `foreign_keys`,
`indexes`, `row_deletion`. Of the rest: `search_indexes`, `change_streams`, `sequences`,
`property_graphs`, `options`, `database_options`, `access`. `users` says what a change would break.
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.errors import SpannerError


def raise_first(problems: Iterable[SpannerError]) -> None:
    """Raise the first problem, if there is any."""
    for problem in problems:
        raise problem
