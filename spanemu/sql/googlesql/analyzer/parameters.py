"""Query parameters: declared types, and inferred types of undeclared parameters.

    WHERE FirstName = @p       @p is pending until `coercion` infers its type: STRING
    SELECT @p                  still pending at the end: INT64

The type of each reference to an undeclared parameter is inferred separately, and all must agree: a
parameter that is compared with a STRING in one clause and is an output column in another is a
conflict.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Unsupported
from spanemu.base.limits import PARAMETERS_MAX
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.errors import PARAMETERS
from spanemu.sql.googlesql.analyzer.errors.shape import BadQuery
from spanemu.sql.googlesql.analyzer.errors.typing import UndeclaredParameterConflict
from spanemu.sql.resolved import Expr, ParameterRef
from spanemu.values.types import INT64, POSTGRESQL_SCALARS, Type

_FOREIGN = frozenset(POSTGRESQL_SCALARS.values())


class Parameters:
    """The parameters of one statement, with the types known at this point of the analysis."""

    def __init__(
        self, declared: Mapping[str, Type], refused_in: str = "", limit: int = PARAMETERS_MAX
    ) -> None:
        self._declared = {name.lower(): type_ for name, type_ in declared.items()}
        self._refused_in = refused_in
        self._limit = limit
        self._used: dict[str, Type] = {}
        self._undeclared: set[str] = set()
        # Keyed by identity: two references to one parameter can get their types separately.
        self._pending: dict[int, tuple[ParameterRef, int]] = {}

    def reference(self, name: str, at: int) -> ParameterRef:
        """Return a reference to @name, pending if the parameter has no declared type.

        Raise BadQuery where parameters are not allowed, Unsupported for a type of PostgreSQL
        databases, LimitExceeded for too many parameters.
        """
        if self._refused_in:
            raise BadQuery(f"Query parameters cannot be used {self._refused_in}", at=at)
        key = name.lower()
        declared = self._declared.get(key)
        if declared is None:
            self._undeclared.add(key)
            reference = ParameterRef(INT64, key)
            self._pending[id(reference)] = (reference, at)
        elif (declared.element or declared) in _FOREIGN:
            raise Unsupported(f"Type {declared} of a PostgreSQL database")
        else:
            self._used[key] = declared
            reference = ParameterRef(declared, key)
        if len(self._used) + len(self._undeclared) > self._limit:
            raise LimitExceeded(PARAMETERS, self._limit, at=at)
        return reference

    def is_pending(self, expression: Expr) -> bool:
        """Return whether `expression` is a parameter reference whose type is not known yet."""
        return id(expression) in self._pending

    def settle(self, reference: ParameterRef, type_: Type) -> ParameterRef:
        """Return the pending `reference` with its inferred type.

        Raise UndeclaredParameterConflict if another reference was given a different type.
        """
        _, at = self._pending.pop(id(reference))
        known = self._used.setdefault(reference.name, type_)
        if known != type_:
            raise UndeclaredParameterConflict(reference.name, str(known), str(type_), at=at)
        return ParameterRef(type_, reference.name)

    def finish(self) -> tuple[dict[str, Type], frozenset[str]]:
        """Return the types of all parameters by name, and the names of the undeclared ones.

        References that are still pending get the type INT64.
        """
        for reference, _ in list(self._pending.values()):
            self.settle(reference, INT64)
        return self._used, frozenset(self._undeclared)
