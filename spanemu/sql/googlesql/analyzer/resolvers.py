"""The table of all resolvers: which function resolves which kind of expression."""

from __future__ import annotations

from spanemu.sql.googlesql.analyzer.analysis import Machinery
from spanemu.sql.googlesql.analyzer.expressions import (
    calls,
    conditionals,
    constructors,
    conversions,
    literals,
    message_constructors,
    names,
    operators,
    subqueries,
)
from spanemu.sql.googlesql.analyzer.queries.query import resolve_query

MACHINERY = Machinery(
    {
        **literals.RESOLVERS,
        **names.RESOLVERS,
        **operators.RESOLVERS,
        **conditionals.RESOLVERS,
        **conversions.RESOLVERS,
        **constructors.RESOLVERS,
        **message_constructors.RESOLVERS,
        **calls.RESOLVERS,
        **subqueries.RESOLVERS,
    },
    resolve_query,
)
