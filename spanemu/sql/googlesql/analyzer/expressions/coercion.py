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
from spanemu.sql.functions.conversion_rules import ArgumentKind, is_coercible
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.typing import NoCommonType
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.expressions.literal_conversion import convert_literal
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


_GIVEN: Mapping[Kind, ArgumentKind] = {
    Kind.VALUE: ArgumentKind.EXPRESSION,
    Kind.PARAMETER: ArgumentKind.PARAMETER,
    Kind.LITERAL: ArgumentKind.LITERAL,
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
        item_types: Sequence[Type] = [target.element] * len(expression.items)
    elif len(target.fields) == len(expression.items):
        item_types = [field.type for field in target.fields]
    else:
        return None
    return _total(
        [
            cost(item, kind_of(item, analysis), type_, analysis)
            for item, type_ in zip(expression.items, item_types, strict=True)
        ]
    )


def _total(costs: Iterable[int | None]) -> int | None:
    total = 0
    for cost_of_item in costs:
        if cost_of_item is None:
            return None
        total += cost_of_item
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
            return messages.convert_literal(expression, target, analysis.schema, at)
        return convert_literal(expression, target, analysis.schema.default_time_zone, at)
    if kind is Kind.COMPOSITE or type(expression) is MakeStruct:
        return _coerce_items(expression, target, analysis, at)
    if messages.needs_descriptors(expression.type, target):
        return messages.convert(expression, target, analysis.schema, at)
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
    first_rank, second_rank = _NUMBER_RANK.get(first.code), _NUMBER_RANK.get(second.code)
    if first_rank is not None and second_rank is not None:
        wider = first if first_rank > second_rank else second
        # Nothing but a FLOAT32 itself fits into FLOAT32.
        return Type(TypeCode.FLOAT64) if wider.code is TypeCode.FLOAT32 else wider
    if first.is_struct and second.is_struct and len(first.fields) == len(second.fields):
        return _struct_supertype(first, second)
    return None


def _struct_supertype(first: Type, second: Type) -> Type | None:
    fields = []
    for first_field, second_field in zip(first.fields, second.fields, strict=True):
        common = supertype(first_field.type, second_field.type)
        if common is None:
            return None
        fields.append(StructField(first_field.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def common_type(expressions: Sequence[Expr], analysis: Analysis) -> Type | None:
    """The type that all of `expressions` fit into; INT64 if none of them has a type."""
    return common_type_of([make_candidate(one, analysis) for one in expressions], analysis)


def make_candidate(expression: Expr, analysis: Analysis) -> Candidate:
    """An expression as one of those whose common type is wanted."""
    return Candidate(expression.type, kind_of(expression, analysis), expression)


def common_type_of(candidates: Sequence[Candidate], analysis: Analysis) -> Type | None:
    """Values decide; parameters, then literals, bend to them where they can, and widen the type
    where not. A parameter does not bend to another one.
    """
    common: Type | None = None
    for entry in candidates:
        if entry.kind is Kind.VALUE:
            common = entry.type if common is None else supertype(common, entry.type)
            if common is None:
                return None
    flexible = [entry for entry in candidates if Kind.VALUE < entry.kind < Kind.NULL]
    if common is None and flexible and all(entry.kind is Kind.COMPOSITE for entry in flexible):
        common = _common_composite(flexible, analysis)
        if common is None:
            return None
    # A stable sort: parameters first, since a parameter holds its type firmer than a literal.
    are_parameters_fixed = common is None
    for entry in sorted(flexible, key=_firmness):
        if common is None:
            common = entry.type
        elif (are_parameters_fixed and entry.kind is Kind.PARAMETER) or not _converts_to(
            entry, common, analysis
        ):
            common = supertype(common, entry.type)
            if common is None:
                return None
    return _default_type(candidates) if common is None else _array_if_needed(candidates, common)


def _firmness(entry: Candidate) -> Kind:
    return entry.kind


def _converts_to(entry: Candidate, target: Type, analysis: Analysis) -> bool:
    if entry.type == target:
        return True
    if entry.expression is None:
        return is_coercible(entry.type, target, _GIVEN[entry.kind])
    return cost(entry.expression, entry.kind, target, analysis) is not None


def _default_type(candidates: Sequence[Candidate]) -> Type:
    if any(entry.kind is Kind.EMPTY_ARRAY for entry in candidates):
        return array_of(INT64)
    return INT64


def _array_if_needed(candidates: Sequence[Candidate], common: Type) -> Type | None:
    if common.is_array or all(entry.kind is not Kind.EMPTY_ARRAY for entry in candidates):
        return common
    return None


def _common_composite(composites: Sequence[Candidate], analysis: Analysis) -> Type | None:
    """The common type of constructors alone, found item by item: [1] and [1.5]."""
    constructors = [constructor.expression for constructor in composites]
    if all(type(constructor) is MakeArray for constructor in constructors):
        items = [item for constructor in constructors for item in constructor.items]  # type: ignore[union-attr]
        element = common_type(items, analysis)
        return None if element is None else array_of(element)
    first = composites[0].type
    width = len(first.fields)
    if not all(
        type(constructor) is MakeStruct and len(constructor.items) == width
        for constructor in constructors
    ):
        return None
    fields = []
    for number, field in enumerate(first.fields):
        common = common_type(
            [constructor.items[number] for constructor in constructors],  # type: ignore[union-attr]
            analysis,
        )
        if common is None:
            return None
        fields.append(StructField(field.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def array_element_type(items: Sequence[Expr], analysis: Analysis, at: int) -> Type:
    """The element type of an array constructor without a declared one."""
    element = common_type(items, analysis)
    if element is None:
        types = ", ".join(dict.fromkeys(str(item.type) for item in items))
        raise NoCommonType(types, at=at)
    return element
