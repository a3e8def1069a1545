"""Conditions that a search index may answer though they call no search function.

    Status STRING(MAX), StatusToken TOKENLIST AS (TOKEN(Status)), Prices ... TOKENIZE_NUMBER(Price)

    WHERE Status = 'open' AND Price < 10

    SearchScan T by I search=$has_value(StatusToken, 'open') AND $has_number_within(...)
                      residual=[Status = 'open' AND Price < 10]

From each condition that a token list knows about follows a condition on the list
(`functions.search.implied`). The rows found are tested with the original conditions, so that the
answer is theirs; only the plan shows the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from spanemu.base.record import NamedTuple
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.indexes import SearchIndex
from spanemu.schema.table import Column
from spanemu.sql.functions.registry import IMPLIED, SEARCHES, Nulls, Operation, Signature
from spanemu.sql.functions.search.implied import always, fixed_texts, tokens_of_texts
from spanemu.sql.functions.search.settings import ngram_sizes
from spanemu.sql.plan.conditions import conjunction, conjuncts, disjuncts, negated
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import (
    And,
    ColumnRef,
    Expr,
    FunctionCall,
    Literal,
    MakeArray,
    Or,
    ParameterRef,
    ResolvedColumn,
)
from spanemu.values.token_list import Tokenizer, TokenKind
from spanemu.values.types import BOOL, STRING, Type, TypeCode, array_of

# The shares of rows that conditions are taken to select.
_SHARES = {
    Operation.HAS_VALUE: 0.02,
    Operation.HAS_ANY_VALUE: 0.05,
    Operation.HAS_ALL_VALUES: 0.02,
    Operation.HAS_DOCUMENT: 0.02,
    Operation.HAS_TEXTS: 0.05,
    Operation.HAS_NUMBER_WITHIN: 0.15,
}
_SEARCHED = 0.05
_OF_BOOL = 0.4

_KINDS = {
    "TOKEN": TokenKind.TOKEN,
    "TOKENIZE_BOOL": TokenKind.BOOL,
    "TOKENIZE_NUMBER": TokenKind.NUMBER,
    "TOKENIZE_JSON": TokenKind.JSON,
    "TOKENIZE_JSONB": TokenKind.JSON,
    "TOKENIZE_NGRAMS": TokenKind.NGRAMS,
}
# A tokenizer of a column, as schemas keep it; other expressions are no use here.
_TOKENIZING = re.compile(
    r"\s*(?:spanner\.)?(?P<function>\w+)\s*\("
    r"\s*(?P<lower>LOWER\s*\(\s*)?(?P<quote>`?)(?P<column>[A-Za-z_]\w*)(?P=quote)\s*"
    r"(?(lower)\)\s*)(?P<options>,[^()]*)?\)\s*",
    re.IGNORECASE,
)
_SIZE = re.compile(r"(ngram_size_min|ngram_size_max)\s*=>\s*(\d+)", re.IGNORECASE)


class TokenizedColumn(NamedTuple):
    """A column of which a token list is made, by a tokenizer without a function of its own."""

    column: str
    tokenizer: Tokenizer
    has_ranges: bool


@lru_cache(maxsize=1024)
def tokenized_column(expression: str) -> TokenizedColumn | None:
    """Return what a token list is made of; None for other expressions and tokenizers."""
    match = _TOKENIZING.fullmatch(expression)
    kind = match and _KINDS.get(match["function"].upper())
    if match is None or kind is None or bool(match["lower"]) != (kind is TokenKind.NGRAMS):
        return None
    options = (match["options"] or "").lower()
    if kind is not TokenKind.NGRAMS:
        return TokenizedColumn(match["column"], Tokenizer(kind), "equality" not in options)
    if "remove_diacritics" in options:
        return None
    sizes = {name: int(size) for name, size in _SIZE.findall(options)}
    smallest, largest = ngram_sizes(sizes.get("ngram_size_min"), sizes.get("ngram_size_max"))
    return TokenizedColumn(match["column"], Tokenizer(kind, smallest, largest), has_ranges=False)


class Implication(NamedTuple):
    """A condition on token lists that follows from a query's, and the columns that it reads."""

    condition: Expr
    outputs: tuple[tuple[ResolvedColumn, Column], ...]
    share: float


def implication(
    scan: Scan, conditions: Iterable[Expr], index: SearchIndex, planning: Planning
) -> Implication | None:
    """Return what follows from conditions for the token lists of an index; None if nothing does."""
    lists = _Lists(scan, index, planning)
    if not lists.of_column:
        return None
    implied = [found for each in conditions if (found := lists.implied(each)) is not None]
    condition = conjunction([each for each, _ in implied])
    if condition is None:
        return None
    share = 1.0
    for _, part in implied:
        share *= part
    return Implication(condition, tuple(lists.used.values()), share)


Implied = tuple[Expr, float]  # with the share of rows that fulfil it


class _Lists:
    """The token lists of an index for the columns that a scan reads."""

    def __init__(self, scan: Scan, index: SearchIndex, planning: Planning) -> None:
        self._planning = planning
        self._columns = {column.id: stored for column, stored in scan.outputs}
        self._outputs = {stored.name: (column, stored) for column, stored in scan.outputs}
        self._held = {column.name for column in index.columns}
        self.of_column: dict[str, list[tuple[Column, TokenizedColumn]]] = {}
        self.used: dict[str, tuple[ResolvedColumn, Column]] = {}
        is_lower = planning.schema.dialect is POSTGRESQL
        for tokens in index.key:
            made_of = tokenized_column(tokens.generated or "")
            if made_of is None:
                continue
            for column in scan.table.columns:
                name = column.name if is_lower else column.name.lower()
                if name == made_of.column.lower():
                    self.of_column.setdefault(column.name, []).append((tokens, made_of))

    def implied(self, condition: Expr) -> Implied | None:
        """Return a condition on token lists that is TRUE wherever `condition` is."""
        if isinstance(condition, And):
            parts = [self.implied(each) for each in conjuncts(condition)]
            known = [each for each in parts if each is not None]
            both = conjunction([each for each, _ in known])
            return None if both is None else (both, min([share for _, share in known]))
        if isinstance(condition, Or):
            return self._any_of(list(disjuncts(condition)))
        if isinstance(condition, FunctionCall) and condition.signature.operation in SEARCHES:
            return None
        return self._single(condition)

    def _any_of(self, parts: list[Expr]) -> Implied | None:
        implied: list[Implied] = []
        for part in parts:
            alternative = self.implied(part)
            if alternative is None:
                return None
            implied.append(alternative)
        return Or(BOOL, tuple([each for each, _ in implied])), sum([share for _, share in implied])

    def _single(self, condition: Expr) -> Implied | None:
        parts = _of_bool(condition) or _of_call(condition)
        if parts is None or parts.operation not in _IMPLICATIONS:
            return None
        stored = self._columns.get(parts.column.column.id)
        if stored is None or not all(map(_is_constant, parts.constants)):
            return None
        is_stored = stored.name in self._held
        for tokens, made_of in self.of_column.get(stored.name, ()):
            comparison = _Comparison(parts.operation, stored, made_of, parts.constants, is_stored)
            call = _IMPLICATIONS[parts.operation](comparison)
            if call is not None:
                operation, arguments = call
                share = _OF_BOOL if made_of.tokenizer.kind is TokenKind.BOOL else _SHARES[operation]
                return self._call(operation, tokens, arguments), share
        return None

    def _call(self, operation: Operation, tokens: Column, constants: list[Expr]) -> Expr:
        pair = self._outputs.get(tokens.name) or self.used.get(tokens.name)
        if pair is None:
            pair = self._planning.new_column(tokens.name, tokens.type), tokens
            self.used[tokens.name] = pair
        arguments = (ColumnRef(tokens.type, pair[0]), *constants)
        types = tuple([each.type for each in arguments])
        signature = Signature(
            operation.value, types, BOOL, always, Nulls.CALLED, operation=operation,
            cannot_fail=True,
        )  # fmt: skip
        return FunctionCall(BOOL, signature, arguments)


def is_implied(condition: Expr) -> bool:
    """Return whether a condition on token lists follows from another condition of the query."""
    return isinstance(condition, FunctionCall) and condition.signature.operation in IMPLIED


class _Parts(NamedTuple):
    """A condition that compares a column with constants."""

    column: ColumnRef
    operation: Operation
    constants: list[Expr]


def _of_bool(condition: Expr) -> _Parts | None:
    """Return a condition on a BOOL column as an equality."""
    inside = negated(condition)
    column, value = (condition, True) if inside is None else (inside, False)
    if isinstance(condition, FunctionCall):
        truth = _TRUTHS.get(condition.signature.operation)
        if truth is not None:
            column, value = condition.arguments[0], truth
    if not isinstance(column, ColumnRef) or column.type != BOOL:
        return None
    return _Parts(column, Operation.EQUAL, [Literal(BOOL, value)])


def _of_call(condition: Expr) -> _Parts | None:
    """Return the parts of a comparison, with the column on its left side."""
    if not isinstance(condition, FunctionCall) or not condition.arguments:
        return None
    operation, (column, *constants) = condition.signature.operation, condition.arguments
    if operation in _MIRRORED and not isinstance(column, ColumnRef):
        operation, column, constants = _MIRRORED[operation], constants[0], [column]
    if operation is None or not isinstance(column, ColumnRef):
        return None
    return _Parts(column, operation, constants)


def _is_constant(expr: Expr) -> bool:
    if isinstance(expr, MakeArray):
        return all(map(_is_constant, expr.items))
    return isinstance(expr, Literal | ParameterRef)


# ---------------------------------------------------------------------------- conditions


class _Comparison(NamedTuple):
    """A condition on a column, and how a token list of the column is made."""

    operation: Operation
    stored: Column
    made_of: TokenizedColumn
    constants: list[Expr]
    is_stored: bool  # whether the index holds the column, too

    @property
    def kind(self) -> TokenKind:
        return self.made_of.tokenizer.kind


_Call = tuple[Operation, list[Expr]]
_EXACT = frozenset({TokenKind.TOKEN, TokenKind.BOOL, TokenKind.NUMBER})


def _has_value(condition: _Comparison) -> _Call | None:
    (value,) = condition.constants
    if condition.kind not in _EXACT or value.type != condition.stored.type:
        return None
    return Operation.HAS_VALUE, [value]


def _is_in_list(condition: _Comparison) -> _Call | None:
    type_ = condition.stored.type
    if condition.kind not in _EXACT or any(each.type != type_ for each in condition.constants):
        return None
    if not condition.constants or type_.is_array:
        return None
    return Operation.HAS_ANY_VALUE, [MakeArray(array_of(type_), tuple(condition.constants))]


def _is_in_array(condition: _Comparison) -> _Call | None:
    (values,) = condition.constants
    if condition.kind not in _EXACT or not _is_array_of(values.type, condition.stored.type):
        return None
    return Operation.HAS_ANY_VALUE, [values]


def _is_array_of(type_: Type, item: Type) -> bool:
    return type_.is_array and type_.item() == item


def _has_element(condition: _Comparison) -> _Call | None:
    (value,) = condition.constants
    if condition.kind not in _EXACT or not _is_array_of(condition.stored.type, value.type):
        return None
    return Operation.HAS_VALUE, [value]


def _has_elements(condition: _Comparison) -> _Call | None:
    (values,) = condition.constants
    if condition.kind not in _EXACT or values.type != condition.stored.type:
        return None
    is_any = condition.operation is Operation.ARRAY_INCLUDES_ANY
    return (Operation.HAS_ANY_VALUE if is_any else Operation.HAS_ALL_VALUES), [values]


def _contains(condition: _Comparison) -> _Call | None:
    (document,) = condition.constants
    if condition.kind is not TokenKind.JSON or document.type != condition.stored.type:
        return None
    return Operation.HAS_DOCUMENT, [document]


def _matches(condition: _Comparison) -> _Call | None:
    (pattern,) = condition.constants
    if condition.kind is not TokenKind.NGRAMS or not condition.is_stored:
        return None
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return None
    if condition.stored.type.code is not TypeCode.STRING:
        return None
    texts = tuple(fixed_texts(condition.operation, pattern.value))
    if not tokens_of_texts(condition.made_of.tokenizer, texts):
        return None
    return Operation.HAS_TEXTS, [Literal(array_of(STRING), texts)]


def _is_ordered(condition: _Comparison) -> _Call | None:
    """Return the limits of a number; those that a comparison excludes are still excluded by it."""
    type_ = condition.stored.type
    if condition.kind is not TokenKind.NUMBER or not condition.made_of.has_ranges:
        return None
    if type_.is_array or any(each.type != type_ for each in condition.constants):
        return None
    low, high = condition.constants[0], condition.constants[-1]
    if condition.operation in (Operation.LESS, Operation.LESS_OR_EQUAL):
        low = Literal(type_, None)
    elif condition.operation is not Operation.BETWEEN:
        high = Literal(type_, None)
    return Operation.HAS_NUMBER_WITHIN, [low, high]


_TRUTHS: Mapping[Operation | None, bool] = {Operation.IS_TRUE: True, Operation.IS_FALSE: False}
_MIRRORED: Mapping[Operation | None, Operation] = {
    Operation.EQUAL: Operation.EQUAL,
    Operation.LESS: Operation.GREATER,
    Operation.LESS_OR_EQUAL: Operation.GREATER_OR_EQUAL,
    Operation.GREATER: Operation.LESS,
    Operation.GREATER_OR_EQUAL: Operation.LESS_OR_EQUAL,
}
_IMPLICATIONS: Mapping[Operation, Callable[[_Comparison], _Call | None]] = {
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
    Operation.LIKE: _matches,
    Operation.STARTS_WITH: _matches,
    Operation.ENDS_WITH: _matches,
    Operation.REGEXP_CONTAINS: _matches,
}
