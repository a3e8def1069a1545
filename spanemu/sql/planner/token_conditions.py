"""Which conditions on token lists follow from comparisons of the columns that they are made of.

A comparison is a condition on a column, or on a part of a JSON document, with constants:

    Status = 'open'             EQUAL of Status with 'open'                 the list has a token
    N NOT IN (1, 2)             IN_LIST of N with 1 and 2, negated          the list lacks tokens
    Doc.a[0].b IS NOT NULL      IS_NULL of Doc at a, b, negated             the list has a path

Elements of JSON arrays have the path of their array, so that subscripts do not count.
`implied_call` returns an operation on a list with its constants; `functions.search.implied` says
which tokens they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.schema.table import Column
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search.implied import fixed_texts, tokens_of_texts
from spanemu.sql.plan.conditions import negated
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal, MakeArray, ParameterRef
from spanemu.values.token_list import Tokenizer, TokenKind
from spanemu.values.types import BOOL, STRING, Type, TypeCode, array_of


class Comparison(NamedTuple):
    """A condition that compares a column, or the part of a document at `keys`, with constants."""

    column: ColumnRef
    operation: Operation
    constants: list[Expr]
    keys: tuple[Expr, ...] = ()
    is_negated: bool = False


class TokenizedColumn(NamedTuple):
    """A column that a tokenizer without its own search function makes a token list of."""

    column: str
    tokenizer: Tokenizer
    has_ranges: bool


class IndexedTokens(NamedTuple):
    """A token list of an index: the column it is made of, and whether the index stores that."""

    source: Column
    made_of: TokenizedColumn
    is_stored: bool

    @property
    def kind(self) -> TokenKind:
        """The kind of the list."""
        return self.made_of.tokenizer.kind


Call = tuple[Operation, list[Expr]]  # a condition on a list: an operation with its constants


def comparison_of(condition: Expr) -> Comparison | None:
    """Return a condition as a comparison; None for other conditions."""
    comparison = _of_bool(condition)
    if comparison is None:
        inside = negated(condition)
        comparison = _of_call(condition if inside is None else inside)
        if comparison is not None and inside is not None:
            comparison = comparison._replace(is_negated=not comparison.is_negated)
    if comparison is None or not all(map(_is_constant, (*comparison.constants, *comparison.keys))):
        return None
    return comparison


def implied_call(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    """Return the condition on a token list that is TRUE wherever a comparison is."""
    implications = _EXCLUSIONS if comparison.is_negated else _IMPLICATIONS
    imply = implications.get(comparison.operation)
    if imply is None or (comparison.keys and tokens.kind is not TokenKind.JSON):
        return None
    return imply(comparison, tokens)


def _of_bool(condition: Expr) -> Comparison | None:
    """Return a condition on a BOOL column as an equality."""
    inside = negated(condition)
    column, value = (condition, True) if inside is None else (inside, False)
    if isinstance(condition, FunctionCall):
        truth = _TRUTHS.get(condition.signature.operation)
        if truth is not None:
            column, value = condition.arguments[0], truth
    if not isinstance(column, ColumnRef) or column.type != BOOL:
        return None
    return Comparison(column, Operation.EQUAL, [Literal(BOOL, value)])


def _of_call(condition: Expr) -> Comparison | None:
    """Return the parts of a call, with the column on its left side."""
    if not isinstance(condition, FunctionCall) or not condition.arguments:
        return None
    operation, arguments = condition.signature.operation, condition.arguments
    if operation in _MIRRORED and _part_of_column(arguments[0]) is None:
        operation, arguments = _MIRRORED[operation], arguments[::-1]
    part = _part_of_column(arguments[0])
    if operation is None or part is None:
        return None
    is_negated = operation is Operation.NOT_EQUAL
    operation = Operation.EQUAL if is_negated else operation
    return Comparison(part[0], operation, list(arguments[1:]), part[1], is_negated)


def _part_of_column(expr: Expr) -> tuple[ColumnRef, tuple[Expr, ...]] | None:
    """Return a column, and the names of members by which a part of it is addressed."""
    keys: list[Expr] = []
    while isinstance(expr, FunctionCall) and expr.signature.operation is Operation.MEMBER:
        expr, key = expr.arguments
        if key.type == STRING:
            keys.append(key)
    return (expr, tuple(reversed(keys))) if isinstance(expr, ColumnRef) else None


def _is_constant(expr: Expr) -> bool:
    if isinstance(expr, MakeArray):
        return all(map(_is_constant, expr.items))
    return isinstance(expr, Literal | ParameterRef)


_TRUTHS: Mapping[Operation | None, bool] = {Operation.IS_TRUE: True, Operation.IS_FALSE: False}
_MIRRORED: Mapping[Operation | None, Operation] = {
    Operation.EQUAL: Operation.EQUAL,
    Operation.NOT_EQUAL: Operation.NOT_EQUAL,
    Operation.LESS: Operation.GREATER,
    Operation.LESS_OR_EQUAL: Operation.GREATER_OR_EQUAL,
    Operation.GREATER: Operation.LESS,
    Operation.GREATER_OR_EQUAL: Operation.LESS_OR_EQUAL,
    Operation.JSON_CONTAINED: Operation.JSON_CONTAINS,
}


# ---------------------------------------------------------------------------- values

_EXACT = frozenset({TokenKind.TOKEN, TokenKind.BOOL, TokenKind.NUMBER})


def _has_value(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (value,) = comparison.constants
    if tokens.kind not in _EXACT or value.type != tokens.source.type:
        return None
    return Operation.HAS_VALUE, [value]


def _is_in_list(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    type_ = tokens.source.type
    if tokens.kind not in _EXACT or any(each.type != type_ for each in comparison.constants):
        return None
    if not comparison.constants or type_.is_array:
        return None
    return Operation.HAS_ANY_VALUE, [MakeArray(array_of(type_), tuple(comparison.constants))]


def _is_in_array(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (values,) = comparison.constants
    if tokens.kind not in _EXACT or not _is_array_of(values.type, tokens.source.type):
        return None
    return Operation.HAS_ANY_VALUE, [values]


def _is_in_some(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    """Return what `_is_in_array` does, but for an array that may be empty: NULL is not in that."""
    (values,) = comparison.constants
    is_some = bool(values.items if isinstance(values, MakeArray) else getattr(values, "value", ()))
    return _is_in_array(comparison, tokens) if is_some else None


def _is_array_of(type_: Type, item: Type) -> bool:
    return type_.is_array and type_.item() == item


def _has_element(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (value,) = comparison.constants
    if tokens.kind not in _EXACT or not _is_array_of(tokens.source.type, value.type):
        return None
    return Operation.HAS_VALUE, [value]


def _has_elements(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (values,) = comparison.constants
    if tokens.kind not in _EXACT or values.type != tokens.source.type:
        return None
    is_any = comparison.operation is Operation.ARRAY_INCLUDES_ANY
    return (Operation.HAS_ANY_VALUE if is_any else Operation.HAS_ALL_VALUES), [values]


def _is_ordered(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    """Return the limits of a number; those that a comparison excludes are still excluded by it."""
    type_, constants = tokens.source.type, comparison.constants
    if tokens.kind is not TokenKind.NUMBER or not tokens.made_of.has_ranges:
        return None
    if type_.is_array or any(each.type != type_ for each in constants):
        return None
    low, high = constants[0], constants[-1]
    if comparison.operation in (Operation.LESS, Operation.LESS_OR_EQUAL):
        low = Literal(type_, None)
    elif comparison.operation is not Operation.BETWEEN:
        high = Literal(type_, None)
    return Operation.HAS_NUMBER_WITHIN, [low, high]


def _matches(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (pattern,) = comparison.constants
    if tokens.kind is not TokenKind.NGRAMS or not tokens.is_stored:
        return None
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return None
    if tokens.source.type.code is not TypeCode.STRING:
        return None
    texts = tuple(fixed_texts(comparison.operation, pattern.value))
    if not tokens_of_texts(tokens.made_of.tokenizer, texts):
        return None
    return Operation.HAS_TEXTS, [Literal(array_of(STRING), texts)]


# ---------------------------------------------------------------------------- documents


def _contains(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    (document,) = comparison.constants
    if tokens.kind is not TokenKind.JSON or document.type != tokens.source.type:
        return None
    return Operation.HAS_DOCUMENT, [document, _texts(comparison.keys)]


def _has_key(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    return _has_keys(Operation.HAS_ANY_KEY, _texts(comparison.constants), comparison, tokens)


def _has_any_key(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    return _has_keys(Operation.HAS_ANY_KEY, comparison.constants[0], comparison, tokens)


def _has_all_keys(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    return _has_keys(Operation.HAS_ALL_KEYS, comparison.constants[0], comparison, tokens)


def _has_keys(
    operation: Operation, names: Expr, comparison: Comparison, tokens: IndexedTokens
) -> Call | None:
    if tokens.kind is not TokenKind.JSON or names.type != array_of(STRING):
        return None
    return operation, [names, _texts(comparison.keys)]


def _has_part(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
    if tokens.kind is not TokenKind.JSON or not comparison.keys:
        return None
    return Operation.HAS_PATH, [_texts(comparison.keys)]


def _texts(items: Any) -> Expr:
    return MakeArray(array_of(STRING), tuple(items))


Imply = Callable[[Comparison, IndexedTokens], Call | None]


def _lacks(imply: Imply) -> Imply:
    """Return the exclusion of the values that a comparison accepts."""

    def exclude(comparison: Comparison, tokens: IndexedTokens) -> Call | None:
        call = imply(comparison, tokens)
        if call is None:
            return None
        operation, (values,) = call
        if operation is Operation.HAS_VALUE:
            values = MakeArray(array_of(values.type), (values,))
        return Operation.LACKS_VALUES, [values]

    return exclude


_IMPLICATIONS: Mapping[Operation, Imply] = {
    Operation.EQUAL: _has_value,
    Operation.IN_LIST: _is_in_list,
    Operation.IN_ARRAY: _is_in_array,
    Operation.LESS: _is_ordered,
    Operation.LESS_OR_EQUAL: _is_ordered,
    Operation.GREATER: _is_ordered,
    Operation.GREATER_OR_EQUAL: _is_ordered,
    Operation.BETWEEN: _is_ordered,
    Operation.ARRAY_INCLUDES: _has_element,
    Operation.ARRAY_INCLUDES_ANY: _has_elements,
    Operation.ARRAY_INCLUDES_ALL: _has_elements,
    Operation.JSON_CONTAINS: _contains,
    Operation.JSONB_EXISTS: _has_key,
    Operation.JSONB_EXISTS_ANY: _has_any_key,
    Operation.JSONB_EXISTS_ALL: _has_all_keys,
    Operation.LIKE: _matches,
    Operation.STARTS_WITH: _matches,
    Operation.ENDS_WITH: _matches,
    Operation.REGEXP_CONTAINS: _matches,
}
# What follows from a negated comparison.
_EXCLUSIONS: Mapping[Operation, Imply] = {
    Operation.EQUAL: _lacks(_has_value),
    Operation.IN_LIST: _lacks(_is_in_list),
    Operation.IN_ARRAY: _lacks(_is_in_some),
    Operation.ARRAY_INCLUDES: _lacks(_has_element),
    Operation.ARRAY_INCLUDES_ANY: _lacks(_has_elements),
    Operation.IS_NULL: _has_part,
}
