"""Implicit conversion: what fits where, at what cost, and the common type of several values.

How far an expression may be bent depends on its `Kind`: a column of type FLOAT64 is not a
NUMERIC, the literal 1.5 can be; a STRING parameter can be a DATE, a STRING column cannot; NULL
and [] have no type of their own. Follows the page "Conversion rules in GoogleSQL".

Costs are integers that compare as the four numbers would, in this order: values converted,
their distance, literals converted, their distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

from spanemu.base.deadline_checks import paced
from spanemu.sql.functions.conversion_rules import Given, is_coercible
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.typing import NoCommonType
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.expressions.literal_conversion import converted
from spanemu.sql.resolved import (
    Cast,
    Expr,
    FunctionCall,
    Literal,
    MakeArray,
    MakeStruct,
    ParameterRef,
)
from spanemu.values.types import INT64, StructField, Type, TypeCode, array_of


class Kind(IntEnum):
    """How firmly an expression holds its type."""

    VALUE = 0
    PARAMETER = 1
    LITERAL = 2
    COMPOSITE = 3  # an array or struct constructor: as soft as its items
    NULL = 4
    EMPTY_ARRAY = 5
    PENDING = 6  # an undeclared parameter


_VALUE_COERCED = 10**9
_VALUE_STEP = 10**6
_LITERAL_COERCED = 10**3
_LITERAL_STEP = 1

# Source -> target -> distance. FLOAT64 is nearer to INT64 than NUMERIC is: 1 / 2 is a FLOAT64.
_DISTANCES: Mapping[tuple[TypeCode, TypeCode], int] = {
    (TypeCode.INT64, TypeCode.FLOAT64): 1,
    (TypeCode.INT64, TypeCode.NUMERIC): 2,
    (TypeCode.INT64, TypeCode.FLOAT32): 3,
    (TypeCode.FLOAT64, TypeCode.NUMERIC): 1,
    (TypeCode.FLOAT64, TypeCode.FLOAT32): 2,
    (TypeCode.STRING, TypeCode.TIMESTAMP): 1,
    (TypeCode.STRING, TypeCode.DATE): 2,
    (TypeCode.STRING, TypeCode.UUID): 3,
}

_NUMBER_RANK: Mapping[TypeCode, int] = {
    TypeCode.INT64: 0,
    TypeCode.NUMERIC: 1,
    TypeCode.FLOAT32: 2,
    TypeCode.FLOAT64: 3,
}


def kind_of(expression: Expr, analysis: Analysis) -> Kind:
    """How firmly `expression` holds its type."""
    find = _KINDS.get(type(expression))
    return Kind.VALUE if find is None else find(expression, analysis)


def _kind_of_literal(literal: Literal, _: Analysis) -> Kind:
    if literal.image is None:
        return Kind.VALUE
    if literal.value is None:
        return Kind.NULL
    return Kind.EMPTY_ARRAY if literal.type.is_array else Kind.LITERAL


def _kind_of_call(call: FunctionCall, _: Analysis) -> Kind:
    """ERROR(...) never returns, so it stands for a value of any type."""
    return Kind.NULL if call.signature.function == "ERROR" else Kind.VALUE


def _kind_of_parameter(parameter: ParameterRef, analysis: Analysis) -> Kind:
    return Kind.PENDING if analysis.parameters.is_pending(parameter) else Kind.PARAMETER


def _kind_of_composite(composite: MakeArray | MakeStruct, analysis: Analysis) -> Kind:
    kinds = (kind_of(item, analysis) for item in paced(composite.items))
    if type(composite) is MakeStruct:
        return Kind.COMPOSITE if any(kind is not Kind.VALUE for kind in kinds) else Kind.VALUE
    return Kind.COMPOSITE if all(kind >= Kind.LITERAL for kind in kinds) else Kind.VALUE


_KINDS: Mapping[type, Any] = {
    FunctionCall: _kind_of_call,
    Literal: _kind_of_literal,
    ParameterRef: _kind_of_parameter,
    MakeArray: _kind_of_composite,
    MakeStruct: _kind_of_composite,
}


def cost(expression: Expr, kind: Kind, target: Type, analysis: Analysis) -> int | None:
    """What it costs to use `expression` as a `target`; None if that cannot be."""
    source = expression.type
    if kind <= Kind.LITERAL:
        return 0 if source == target else _conversion_cost(source, target, kind)
    if kind is Kind.COMPOSITE:
        return _composite_cost(expression, target, analysis)
    if kind is Kind.EMPTY_ARRAY and not target.is_array:
        return None
    return 0 if source == target else _LITERAL_COERCED


_GIVEN: Mapping[Kind, Given] = {
    Kind.VALUE: Given.EXPRESSION,
    Kind.PARAMETER: Given.PARAMETER,
    Kind.LITERAL: Given.LITERAL,
}


@lru_cache(maxsize=4096)
def _conversion_cost(source: Type, target: Type, kind: Kind) -> int | None:
    if not is_coercible(source, target, _GIVEN[kind]):
        return None
    distance = _DISTANCES.get((source.code, target.code), 1)
    if kind is Kind.LITERAL:
        return _LITERAL_COERCED + distance * _LITERAL_STEP
    return _VALUE_COERCED + distance * _VALUE_STEP


def _composite_cost(expression: Expr, target: Type, analysis: Analysis) -> int | None:
    if expression.type == target:
        return 0
    assert isinstance(expression, MakeArray | MakeStruct)
    if expression.type.code is not target.code:
        return None
    if target.element is not None:
        wanted: Sequence[Type] = [target.element] * len(expression.items)
    elif len(target.fields) == len(expression.items):
        wanted = [field.type for field in target.fields]
    else:
        return None
    return _total(
        [
            cost(item, kind_of(item, analysis), type_, analysis)
            for item, type_ in zip(expression.items, wanted, strict=True)
        ]
    )


def _total(costs: Iterable[int | None]) -> int | None:
    total = 0
    for one in costs:
        if one is None:
            return None
        total += one
    return total


def fits(expression: Expr, target: Type, analysis: Analysis) -> bool:
    """Whether `expression` may stand where a `target` is wanted."""
    return cost(expression, kind_of(expression, analysis), target, analysis) is not None


def coerce(expression: Expr, target: Type, analysis: Analysis, at: int) -> Expr:
    """`expression` as a `target`, which it is known to fit."""
    kind = kind_of(expression, analysis)
    if kind is Kind.PENDING:
        assert isinstance(expression, ParameterRef)
        return analysis.parameters.settle(expression, target)
    if expression.type == target:
        return expression
    if isinstance(expression, FunctionCall) and kind is Kind.NULL:
        return replace(expression, type=target)
    if kind in (Kind.NULL, Kind.EMPTY_ARRAY):
        assert isinstance(expression, Literal)
        return Literal(target, expression.value, "")
    if kind is Kind.LITERAL:
        assert isinstance(expression, Literal)
        if target.proto_name:
            return messages.converted_literal(expression, target, analysis.schema, at)
        return converted(expression, target, analysis.schema.default_time_zone, at)
    if kind is Kind.COMPOSITE or type(expression) is MakeStruct:
        return _coerce_items(expression, target, analysis, at)
    if messages.needs_descriptors(expression.type, target):
        return messages.converted(expression, target, analysis.schema, at)
    return Cast(target, expression, implicit=True, at=at)


def _coerce_items(expression: Expr, target: Type, analysis: Analysis, at: int) -> Expr:
    if type(expression) is MakeArray:
        element = target.item()
        return MakeArray(
            target, tuple(coerce(item, element, analysis, at) for item in expression.items)
        )
    assert isinstance(expression, MakeStruct)
    return MakeStruct(
        target,
        tuple(
            coerce(item, field.type, analysis, at)
            for item, field in zip(expression.items, target.fields, strict=True)
        ),
    )


# ---------------------------------------------------------------------------- common types


@dataclass(slots=True)
class Candidate:
    """One of the values whose common type is wanted."""

    type: Type
    kind: Kind
    expression: Expr | None = None


def supertype(first: Type, second: Type) -> Type | None:
    """The narrowest type that both convert to."""
    if first == second:
        return first
    one, other = _NUMBER_RANK.get(first.code), _NUMBER_RANK.get(second.code)
    if one is not None and other is not None:
        wider = first if one > other else second
        # Nothing but a FLOAT32 itself fits into FLOAT32.
        return Type(TypeCode.FLOAT64) if wider.code is TypeCode.FLOAT32 else wider
    if first.is_struct and second.is_struct and len(first.fields) == len(second.fields):
        return _struct_supertype(first, second)
    return None


def _struct_supertype(first: Type, second: Type) -> Type | None:
    fields = []
    for mine, theirs in zip(first.fields, second.fields, strict=True):
        common = supertype(mine.type, theirs.type)
        if common is None:
            return None
        fields.append(StructField(mine.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def common_type(expressions: Sequence[Expr], analysis: Analysis) -> Type | None:
    """The type that all of `expressions` fit into; INT64 if none of them has a type."""
    return common_type_of([candidate(one, analysis) for one in expressions], analysis)


def candidate(expression: Expr, analysis: Analysis) -> Candidate:
    """An expression as one of those whose common type is wanted."""
    return Candidate(expression.type, kind_of(expression, analysis), expression)


def common_type_of(candidates: Sequence[Candidate], analysis: Analysis) -> Type | None:
    """Values decide; parameters, then literals, bend to them where they can, and widen the type
    where not. A parameter does not bend to another one.
    """
    found: Type | None = None
    for one in candidates:
        if one.kind is Kind.VALUE:
            found = one.type if found is None else supertype(found, one.type)
            if found is None:
                return None
    soft = [one for one in candidates if Kind.VALUE < one.kind < Kind.NULL]
    if found is None and soft and all(one.kind is Kind.COMPOSITE for one in soft):
        found = _common_composite(soft, analysis)
        if found is None:
            return None
    # A stable sort: parameters first, since a parameter holds its type firmer than a literal.
    firm = found is None
    for one in sorted(soft, key=_firmness):
        if found is None:
            found = one.type
        elif (firm and one.kind is Kind.PARAMETER) or not _bends(one, found, analysis):
            found = supertype(found, one.type)
            if found is None:
                return None
    return _typeless(candidates) if found is None else _array_if_needed(candidates, found)


def _firmness(one: Candidate) -> Kind:
    return one.kind


def _bends(one: Candidate, target: Type, analysis: Analysis) -> bool:
    if one.type == target:
        return True
    if one.expression is None:
        return is_coercible(one.type, target, _GIVEN[one.kind])
    return cost(one.expression, one.kind, target, analysis) is not None


def _typeless(candidates: Sequence[Candidate]) -> Type:
    if any(one.kind is Kind.EMPTY_ARRAY for one in candidates):
        return array_of(INT64)
    return INT64


def _array_if_needed(candidates: Sequence[Candidate], found: Type) -> Type | None:
    if found.is_array or all(one.kind is not Kind.EMPTY_ARRAY for one in candidates):
        return found
    return None


def _common_composite(composites: Sequence[Candidate], analysis: Analysis) -> Type | None:
    """The common type of constructors alone, found item by item: [1] and [1.5]."""
    constructors = [one.expression for one in composites]
    if all(type(one) is MakeArray for one in constructors):
        items = [item for one in constructors for item in one.items]  # type: ignore[union-attr]
        element = common_type(items, analysis)
        return None if element is None else array_of(element)
    first = composites[0].type
    width = len(first.fields)
    if not all(type(one) is MakeStruct and len(one.items) == width for one in constructors):
        return None
    fields = []
    for number, field in enumerate(first.fields):
        common = common_type(
            [one.items[number] for one in constructors],  # type: ignore[union-attr]
            analysis,
        )
        if common is None:
            return None
        fields.append(StructField(field.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def array_element_type(items: Sequence[Expr], analysis: Analysis, at: int) -> Type:
    """The element type of an array constructor without a declared one."""
    found = common_type(items, analysis)
    if found is None:
        shown = ", ".join(dict.fromkeys(str(item.type) for item in items))
        raise NoCommonType(shown, at=at)
    return found
