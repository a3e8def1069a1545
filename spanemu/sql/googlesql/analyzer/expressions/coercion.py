"""Implicit conversion (coercion): its legality, its cost, and the common type of several values.

The types that an expression can be coerced to depend on its `Kind`: a FLOAT64 column cannot become
a NUMERIC, but the literal 1.5 can; a STRING parameter can become a DATE, but a STRING column
cannot; NULL and [] have no type of their own. The rules are those of the page "Conversion rules in
GoogleSQL".

A cost is an integer that encodes four numbers, compared in this order: the number of converted
values, the sum of their conversion distances, and the same for converted literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import dataclass
from spanemu.sql.functions.conversion_rules import ArgumentKind, is_coercible
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import NoCommonType
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.expressions.literals import convert_literal
from spanemu.sql.resolved import (
    Cast,
    Expr,
    FunctionCall,
    Literal,
    MakeArray,
    MakeStruct,
    ParameterRef,
)
from spanemu.values import graph_types
from spanemu.values.types import INT64, StructField, Type, TypeCode, array_of


class Kind(IntEnum):
    """The coercion class of an expression, ordered from a fixed type to an unknown type."""

    VALUE = 0
    PARAMETER = 1
    LITERAL = 2
    COMPOSITE = 3  # an array or struct constructor, coerced item by item
    NULL = 4
    EMPTY_ARRAY = 5
    PENDING = 6  # an undeclared parameter


_VALUE_COERCED = 10**9
_VALUE_STEP = 10**6
_LITERAL_COERCED = 10**3
_LITERAL_STEP = 1

# (source, target) -> distance. FLOAT64 is nearer to INT64 than NUMERIC is: 1 / 2 is a FLOAT64.
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
    """Return the coercion class of `expression`."""
    find = _KINDS.get(type(expression))
    return Kind.VALUE if find is None else find(expression, analysis)


def _kind_of_literal(literal: Literal, _: Analysis) -> Kind:
    if literal.image is None:
        return Kind.VALUE
    if literal.value is None:
        return Kind.NULL
    return Kind.EMPTY_ARRAY if literal.type.is_array else Kind.LITERAL


def _kind_of_call(call: FunctionCall, _: Analysis) -> Kind:
    """Return NULL for ERROR(...): the call never returns, so it can have any type."""
    return Kind.NULL if call.signature.function == "ERROR" else Kind.VALUE


def _kind_of_parameter(parameter: ParameterRef, analysis: Analysis) -> Kind:
    return Kind.PENDING if analysis.parameters.is_pending(parameter) else Kind.PARAMETER


def _kind_of_composite(composite: MakeArray | MakeStruct, analysis: Analysis) -> Kind:
    if type(composite) is MakeStruct:
        kinds = (kind_of(item, analysis) for item in interruptible(composite.items))
        return Kind.COMPOSITE if any(kind is not Kind.VALUE for kind in kinds) else Kind.VALUE
    is_literal = all(_is_literal_element(item, analysis) for item in interruptible(composite.items))
    return Kind.COMPOSITE if is_literal else Kind.VALUE


def _is_literal_element(item: Expr, analysis: Analysis) -> bool:
    """Return whether an element adapts to other types: a struct only if none of its fields is NULL.

    The array has given a NULL in the struct, or a parameter without type, its type for good.
    """
    if type(item) is not MakeStruct:
        return kind_of(item, analysis) >= Kind.LITERAL
    highest = max((kind_of(field, analysis) for field in item.items), default=Kind.VALUE)
    return Kind.VALUE < highest < Kind.NULL


def _element_kind(item: Expr, analysis: Analysis) -> Kind:
    """Return the kind of an array's element: NULL is a literal of the element type."""
    kind = kind_of(item, analysis)
    return Kind.LITERAL if kind >= Kind.NULL and not item.type.is_array else kind


_KINDS: Mapping[type, Any] = {
    FunctionCall: _kind_of_call,
    Literal: _kind_of_literal,
    ParameterRef: _kind_of_parameter,
    MakeArray: _kind_of_composite,
    MakeStruct: _kind_of_composite,
}


def cost(expression: Expr, kind: Kind, target: Type, analysis: Analysis) -> int | None:
    """Return the cost of coercing `expression` to `target`, or None if coercion is impossible."""
    source = expression.type
    if kind <= Kind.LITERAL:
        if source == target or is_wider(source, target):
            return 0
        return _conversion_cost(source, target, kind)
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
    items = expression.items
    if (element := target.element) is not None:
        return _total(
            [cost(item, _element_kind(item, analysis), element, analysis) for item in items]
        )
    if len(target.fields) != len(items):
        return None
    return _total(
        [
            cost(item, kind_of(item, analysis), field.type, analysis)
            for item, field in zip(items, target.fields, strict=True)
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
    """Return whether `expression` can be coerced to `target`."""
    return cost(expression, kind_of(expression, analysis), target, analysis) is not None


def coerce(expression: Expr, target: Type, analysis: Analysis, at: int) -> Expr:
    """Return `expression` coerced to `target`; the caller has checked `fits`.

    Raise LiteralDoesNotCast or ValueOutOfRange for a literal without a value in `target`.
    """
    kind = kind_of(expression, analysis)
    if kind is Kind.PENDING:
        assert isinstance(expression, ParameterRef)
        return analysis.parameters.settle(expression, target)
    if expression.type == target or is_wider(expression.type, target):
        return expression
    if isinstance(expression, FunctionCall) and kind is Kind.NULL:
        return replace(expression, type=target)
    if isinstance(expression, Literal) and kind in (Kind.NULL, Kind.EMPTY_ARRAY):
        if kind is Kind.EMPTY_ARRAY:
            analysis.refuse_empty_array(target)
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
    """One of several values whose common type is computed."""

    type: Type
    kind: Kind
    expression: Expr | None = None


def supertype(first: Type, second: Type) -> Type | None:
    """Return the narrowest type that values of both types convert to, or None if there is none."""
    if first == second:
        return first
    first_rank, second_rank = _NUMBER_RANK.get(first.code), _NUMBER_RANK.get(second.code)
    if first_rank is not None and second_rank is not None:
        wider = first if first_rank > second_rank else second
        # Values of no other type convert to FLOAT32, so FLOAT32 beside another number is a FLOAT64.
        return Type(TypeCode.FLOAT64) if wider.code is TypeCode.FLOAT32 else wider
    if first.is_struct and second.is_struct and len(first.fields) == len(second.fields):
        return _struct_supertype(first, second)
    if first.is_graph and second.is_graph:
        common: Type | None = graph_types.graph_supertype(first, second)
        return common
    if first.element is not None and second.element is not None and first.element.is_graph:
        element = graph_types.graph_supertype(first.element, second.element)
        return None if element is None else array_of(element)
    return None


def is_wider(narrow: Type, wide: Type) -> bool:
    """Return whether every value of one graph type, or array of it, is a value of the other."""
    if narrow.element is not None and wide.element is not None:
        narrow, wide = narrow.element, wide.element
    if not (narrow.is_graph and wide.is_graph):
        return False
    return bool(graph_types.is_graph_subtype(narrow, wide))


def _struct_supertype(first: Type, second: Type) -> Type | None:
    fields = []
    for first_field, second_field in zip(first.fields, second.fields, strict=True):
        common = supertype(first_field.type, second_field.type)
        if common is None:
            return None
        fields.append(StructField(first_field.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def common_type(expressions: Sequence[Expr], analysis: Analysis) -> Type | None:
    """Return the type that all `expressions` coerce to, or None; INT64 if all are untyped."""
    return common_type_of([make_candidate(one, analysis) for one in expressions], analysis)


def make_candidate(expression: Expr, analysis: Analysis) -> Candidate:
    """Return `expression` as a candidate for a common type."""
    return Candidate(expression.type, kind_of(expression, analysis), expression)


def common_type_of(candidates: Sequence[Candidate], analysis: Analysis) -> Type | None:
    """Return the common type of `candidates`, or None if there is none.

    Values determine the type. Parameters and then literals are coerced to that type if possible,
    and otherwise widen it. Without values, parameters are not coerced to each other's type.
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
    # The sort is stable. Parameters come first: they are coerced to fewer types than literals.
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
    """Return the common type of array or struct constructors, computed item by item."""
    constructors = [constructor.expression for constructor in composites]
    if all(type(constructor) is MakeArray for constructor in constructors):
        elements = [
            Candidate(item.type, _element_kind(item, analysis), item)
            for constructor in constructors
            for item in constructor.items  # type: ignore[union-attr]
        ]
        element = common_type_of(elements, analysis)
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
        items = [constructor.items[number] for constructor in constructors]  # type: ignore[union-attr]
        common = common_type_of(_field_candidates(items, analysis), analysis)
        if common is None:
            return None
        fields.append(StructField(field.name, common))
    return Type(TypeCode.STRUCT, fields=tuple(fields))


def _field_candidates(items: Sequence[Expr], analysis: Analysis) -> list[Candidate]:
    """Return the candidates for the type of a field of struct constructors.

    Beside literals alone, an untyped value in the first constructor is an INT64: STRUCT(NULL) has
    no common type with STRUCT(TRUE), but STRUCT(TRUE) has one with STRUCT(NULL), and STRUCT(NULL)
    has one with a STRUCT of a BOOL column. An empty array is an ARRAY<INT64> likewise.
    """
    candidates = [make_candidate(item, analysis) for item in items]
    first, *others = candidates
    weakest = Kind.COMPOSITE if first.kind is Kind.EMPTY_ARRAY else Kind.LITERAL
    if first.kind >= Kind.NULL and all(
        entry.kind >= Kind.NULL or Kind.LITERAL <= entry.kind <= weakest for entry in others
    ):
        candidates[0] = Candidate(_default_type([first]), Kind.LITERAL)
    return candidates


def array_element_type(items: Sequence[Expr], analysis: Analysis, at: int) -> Type:
    """Return the common type of the elements of an array constructor, or raise NoCommonType."""
    element = common_type(items, analysis)
    if element is None:
        types = ", ".join(dict.fromkeys(str(item.type) for item in items))
        raise NoCommonType(types, at=at)
    return element
