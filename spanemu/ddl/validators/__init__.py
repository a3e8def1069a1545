"""Rules that the schema alone decides.

A validator yields problems in the order in which Spanner reports them. The caller raises the first
problem; a test can list them all.

In reading order: `tables` (columns, primary keys, parents, foreign keys, row deletion policies),
`alterations` (what ALTER COLUMN may change), `expressions` (in columns and checks), `indexes`,
`property_graphs` and `options` (of all objects). The rules of other named objects are in
`ddl.kinds`, those of names in `ddl.naming`.
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.errors import SpannerError


def raise_first(problems: Iterable[SpannerError]) -> None:
    """Raise the first problem, if there is any."""
    for problem in problems:
        raise problem
