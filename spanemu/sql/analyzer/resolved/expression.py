"""Expressions, but for those that hold a query: see `scan`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spanemu.base.record import Unique, record
from spanemu.sql.functions.registry import Signature
from spanemu.values.types import BOOL, Type


@dataclass(frozen=True, slots=True)
class ResolvedColumn:
    """A column of an intermediate result; `id` is unique within the statement."""

    id: int
    name: str
    type: Type


Hints = tuple[tuple[str, Any], ...]  # (lower-cased name, checked value)


@record
class Expr(Unique):
    """Something with a value of `type`; `at` is its offset in the text, for run-time errors."""

    type: Type


@record
class Literal(Expr):
    """A constant in Python form (`values.value`).

    `image` is set while the analyzer may still give a bare literal another type: what was
    written, or "" where that does not matter. Nobody else looks at it.
    """

    value: Any
    image: str | None = None
    at: int = field(default=-1, compare=False, repr=False)  # of a bare literal


@record
class ParameterRef(Expr):
    """@name, lower-cased; its type is declared by the client or inferred."""

    name: str


@record
class ColumnRef(Expr):
    """The value of a column of an enclosing scan."""

    column: ResolvedColumn


@record
class FunctionCall(Expr):
    """A scalar function, operator or conditional form applied to arguments.

    `signature` says how to evaluate it (`functions.registry`); SAFE. turns its failures to NULL.
    """

    signature: Signature
    arguments: tuple[Expr, ...]
    safe: bool = False
    at: int = 0


@record
class Cast(Expr):
    """Conversion of `operand` to `type`; `implicit` ones were inserted by coercion."""

    operand: Expr
    safe: bool = False
    implicit: bool = False
    at: int = 0


@record
class Case(Expr):
    """CASE and IF: the first result whose condition is TRUE; later ones are not evaluated."""

    whens: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr


@record
class And(Expr):
    """Three-valued AND of two or more BOOLs."""

    operands: tuple[Expr, ...]


@record
class Or(Expr):
    """Three-valued OR of two or more BOOLs."""

    operands: tuple[Expr, ...]


@record
class MakeArray(Expr):
    """An array of its items."""

    items: tuple[Expr, ...]


@record
class MakeStruct(Expr):
    """A struct of its items, one per field of `type`."""

    items: tuple[Expr, ...]


@record
class GetField(Expr):
    """Field number `index` of a struct; NULL of NULL."""

    operand: Expr
    index: int


@record
class LambdaExpr(Expr):
    """A function argument with parameters; `type` is that of its body."""

    parameters: tuple[ResolvedColumn, ...]
    body: Expr


@record
class Let(Expr):
    """WITH(...): each binding is evaluated once, in order, then the result."""

    bindings: tuple[tuple[ResolvedColumn, Expr], ...]
    result: Expr


@record
class SequenceRef(Expr):
    """A sequence by its exact name, as an argument."""

    name: str


TRUE = Literal(BOOL, True)
