"""The order of errors: PostgreSQL analyzes a statement before Spanner looks at its expressions.

An expression that Spanner refuses (REFUSALS) does not end the analysis: it counts as NULL, and an
error of PostgreSQL anywhere else in the statement comes first. Only an unknown or ambiguous name is
certainly such an error (FOUND_FIRST). After a refusal, any other error may be a consequence of the
NULL and of its type, so the refusal is reported.
"""

from __future__ import annotations

from spanemu.base.errors import Unsupported
from spanemu.sql.postgresql.analyzer.errors import names, queries, typing

REFUSALS = (
    Unsupported,
    queries.RefusedQuery,
    queries.SetOperationTypes,
    queries.UnsupportedDistinctType,
    queries.UnsupportedKeyType,
    queries.UnsupportedQuery,
    typing.ArrayCast,
    typing.ExpressionRefused,
    typing.ExpressionType,
    typing.ExpressionUnsupported,
    typing.ModifierNotSupported,
    typing.NotDistinguishable,
    typing.TypeNotSupported,
    typing.UnsupportedCast,
    typing.UnsupportedFunction,
)

FOUND_FIRST = (
    names.AmbiguousColumn,
    names.AmbiguousTable,
    names.DuplicateTable,
    names.MissingFromEntry,
    names.RelationNotFound,
    names.TableNotVisible,
    names.UndefinedColumn,
    names.UndefinedParameter,
    names.UndefinedUsingColumn,
    typing.NoSuchFunction,
    typing.UndefinedType,
)
