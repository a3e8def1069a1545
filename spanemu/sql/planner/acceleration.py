"""Conditions that a search index may answer though they call no search function.

    Status STRING(MAX), StatusToken TOKENLIST AS (TOKEN(Status)), Prices ... TOKENIZE_NUMBER(Price)

    WHERE Status = 'open' AND Price < 10

    SearchScan T by I search=$has_value(StatusToken, 'open') AND $has_number_within(...)
                      residual=[Status = 'open' AND Price < 10]

From each condition that a token list knows about follows a condition on the list
(`token_conditions`). The rows found are tested with the original conditions, so that the
answer is theirs; only the plan shows the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from spanemu.base.record import NamedTuple
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.indexes import SearchIndex
from spanemu.schema.table import Column
from spanemu.sql.functions.registry import IMPLIED, SEARCHES, Nulls, Operation, Signature
from spanemu.sql.functions.search.implied import always
from spanemu.sql.functions.search.settings import ngram_sizes
from spanemu.sql.plan.conditions import conjunction, conjuncts, disjuncts
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.token_conditions import (
    IndexedTokens,
    TokenizedColumn,
    comparison_of,
    implied_call,
)
from spanemu.sql.resolved import And, ColumnRef, Expr, FunctionCall, Or, ResolvedColumn
from spanemu.values.token_list import Tokenizer, TokenKind
from spanemu.values.types import BOOL

# The shares of rows that conditions are taken to select.
_SHARES = {
    Operation.HAS_VALUE: 0.02,
    Operation.HAS_ANY_VALUE: 0.05,
    Operation.HAS_ALL_VALUES: 0.02,
    Operation.HAS_DOCUMENT: 0.02,
    Operation.HAS_TEXTS: 0.05,
    Operation.HAS_NUMBER_WITHIN: 0.15,
    Operation.HAS_PATH: 0.1,
    Operation.HAS_ANY_KEY: 0.1,
    Operation.HAS_ALL_KEYS: 0.05,
    Operation.LACKS_VALUES: 1.0,
}
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
    """A condition on token lists implied by one of a query, with the columns that it reads."""

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
        comparison = comparison_of(condition)
        if comparison is None:
            return None
        stored = self._columns.get(comparison.column.column.id)
        if stored is None:
            return None
        is_stored = stored.name in self._held
        for tokens, made_of in self.of_column.get(stored.name, ()):
            call = implied_call(comparison, IndexedTokens(stored, made_of, is_stored))
            if call is not None:
                operation, arguments = call
                is_bool = made_of.tokenizer.kind is TokenKind.BOOL
                share = _OF_BOOL if is_bool else _SHARES[operation]
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
