"""Query parameters: declared types, and the types that contexts give to undeclared ones.

    WHERE FirstName = @p       @p is pending until `coercion` settles it: STRING
    SELECT @p                  still pending at the end: INT64

Each mention of an undeclared parameter is settled on its own, and all must agree: a parameter
that is compared with a STRING in one place and stands alone in another is a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.limits import PARAMETERS_MAX
from spanemu.sql.errors import PARAMETERS
from spanemu.sql.googlesql.analyzer.errors.shape import BadQuery, LimitExceeded
from spanemu.sql.googlesql.analyzer.errors.typing import UndeclaredParameterConflict
from spanemu.sql.resolved import Expr, ParameterRef
from spanemu.values.types import INT64, Type


class Parameters:
    """The parameters of one statement."""

    def __init__(
        self, declared: Mapping[str, Type], refused_in: str = "", limit: int = PARAMETERS_MAX
    ) -> None:
        self._declared = {name.lower(): type_ for name, type_ in declared.items()}
        self._refused_in = refused_in
        self._limit = limit
        self._used: dict[str, Type] = {}
        self._undeclared: set[str] = set()
        # By identity: two mentions of one parameter may get their types from different places.
        self._pending: dict[int, tuple[ParameterRef, int]] = {}

    def reference(self, name: str, at: int) -> ParameterRef:
        """One mention of @name."""
        if self._refused_in:
            raise BadQuery(f"Query parameters cannot be used {self._refused_in}", at=at)
        key = name.lower()
        declared = self._declared.get(key)
        if declared is None:
            self._undeclared.add(key)
            reference = ParameterRef(INT64, key)
            self._pending[id(reference)] = (reference, at)
        else:
            self._used[key] = declared
            reference = ParameterRef(declared, key)
        if len(self._used) + len(self._undeclared) > self._limit:
            raise LimitExceeded(PARAMETERS, self._limit, at=at)
        return reference

    def is_pending(self, expression: Expr) -> bool:
        """Whether `expression` is a mention whose type its context is still to give."""
        return id(expression) in self._pending

    def settle(self, reference: ParameterRef, type_: Type) -> ParameterRef:
        """The mention with the type that its place asks for."""
        _, at = self._pending.pop(id(reference))
        known = self._used.setdefault(reference.name, type_)
        if known != type_:
            raise UndeclaredParameterConflict(reference.name, str(known), str(type_), at=at)
        return ParameterRef(type_, reference.name)

    def finish(self) -> tuple[dict[str, Type], frozenset[str]]:
        """The types of all, INT64 for mentions that nothing gave one; and which were undeclared."""
        for reference, _ in list(self._pending.values()):
            self.settle(reference, INT64)
        return self._used, frozenset(self._undeclared)
