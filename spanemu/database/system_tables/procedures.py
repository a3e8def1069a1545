"""What the stored system procedures of Spanner do (page "Stored system procedures").

Their parameters are declared where statements are analyzed (`sql.analyzer.procedures`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.errors import Code, SpannerError
from spanemu.database.core import DatabaseCore


class NoSuchQuery(SpannerError):
    """A query was to be cancelled that does not run, or does so no more."""

    code = Code.NOT_FOUND
    prose = "Query not found: {query_id}. It may have ended."
    query_id: str


def cancel_query(core: DatabaseCore, query_id: str | None) -> None:
    """End the statement with that QUERY_ID of OLDEST_ACTIVE_QUERIES; its client gets CANCELLED."""
    known = query_id is not None and query_id.isascii() and query_id.isdecimal()
    if query_id is None or not known or not core.activity.cancel(int(query_id)):
        raise NoSuchQuery(str(query_id))


PROCEDURES: Mapping[str, Callable[..., None]] = {"cancel_query": cancel_query}
