"""Query parameters: declared types, and inferred types of undeclared parameters.

    WHERE first = $1       $1 is of type unknown until `coercion` gives it a type: text
    SELECT $1              still unknown at the end: text

The first context that needs a type decides the type of a parameter. Later references have that
type, and references that were resolved before must get the same type.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.limits import PARAMETERS_MAX
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.errors import PARAMETERS
from spanemu.sql.postgresql.analyzer.errors.names import (
    ForeignParameterType,
    ParameterTypesDiffer,
    UndefinedParameter,
)
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import Expr, ParameterRef
from spanemu.values.types import JSON, NUMERIC, STRING, Type

# The types of GoogleSQL that PostgreSQL has under the same code with an annotation.
_FOREIGN = frozenset({NUMERIC, JSON})


class Parameters:
    """The parameters of one statement, with the types known at this point of the analysis.

    Parameter number n has the name "pn" outside the text of the statement. With `refused`, the
    text must have no parameter.
    """

    def __init__(
        self,
        declared: Mapping[str, Type],
        *,
        refused: bool = False,
        limit: int = PARAMETERS_MAX,
    ) -> None:
        self._declared = {name.lower(): type_ for name, type_ in declared.items()}
        self._refused = refused
        self._limit = limit
        self._types: dict[str, Type] = {}
        self._undeclared: set[str] = set()

    def reference(self, number: int, at: int) -> ParameterRef:
        """Return a reference to $number, of type UNKNOWN if its type is not known yet.

        Raise UndefinedParameter where parameters are not allowed, ForeignParameterType for a
        declared type that the dialect lacks, and LimitExceeded for too many parameters.
        """
        if self._refused or number < 1:
            raise UndefinedParameter(number, at=at)
        name = f"p{number}"
        known = self._types.get(name)
        if known is not None:
            return ParameterRef(known, name)
        declared = self._declared.get(name)
        if declared is None:
            self._undeclared.add(name)
            declared = UNKNOWN
        elif (declared.element or declared) in _FOREIGN:
            raise ForeignParameterType(str(declared), at=at)
        self._types[name] = declared
        if len(self._types) > self._limit:
            raise LimitExceeded(PARAMETERS, self._limit, at=at)
        return ParameterRef(declared, name)

    def is_pending(self, expression: Expr) -> bool:
        """Return whether `expression` is a parameter reference whose type is not known yet."""
        return type(expression) is ParameterRef and expression.type == UNKNOWN

    def refreshed(self, expression: Expr) -> Expr:
        """Return `expression`, with its type if it is a parameter that got a type meanwhile."""
        if type(expression) is ParameterRef and expression.type == UNKNOWN:
            return ParameterRef(self._types[expression.name], expression.name)
        return expression

    def settle(self, reference: ParameterRef, type_: Type, at: int = -1) -> ParameterRef:
        """Return the pending `reference` with the type that its context gives it.

        Raise ParameterTypesDiffer if the parameter has a different type already.
        """
        known = self._types[reference.name]
        if known == UNKNOWN:
            self._types[reference.name] = type_
        elif known != type_:
            raise ParameterTypesDiffer(
                reference.name.removeprefix("p"), title(known), title(type_), at=at
            )
        return ParameterRef(type_, reference.name)

    def finish(self) -> tuple[dict[str, Type], frozenset[str]]:
        """Return the types of all parameters by name, and the names of the undeclared ones.

        A parameter that is still of type UNKNOWN is a text.
        """
        types = {name: STRING if type_ == UNKNOWN else type_ for name, type_ in self._types.items()}
        return types, frozenset(self._undeclared)
