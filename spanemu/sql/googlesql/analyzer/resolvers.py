"""The table of all resolvers: the function that resolves each kind of expression."""

from __future__ import annotations

from spanemu.sql.googlesql.analyzer.analysis import ResolverTable
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

RESOLVER_TABLE = ResolverTable(
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
