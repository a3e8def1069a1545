"""Checks of the calls of full-text search that need no rows, for the analyzers of all dialects.

Options of tokenizers, and what stands behind the token list of a search function, are constants of
the statement, except the language of a text to tokenize and the options of SCORE. Those that are
known already are checked at once, so that a column or a query with a bad option is refused before
there are rows. The token list of a search function is a column of type TOKENLIST or a concatenation
of such columns, and has the right tokenizer.

A dictionary becomes a subquery for the rows of its table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spanemu.sql.analysis.call_binding import signature_of
from spanemu.sql.analysis.errors import BadSearchCall
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.analysis.tree import expressions_in
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.registry import Nulls, Operation, Signature
from spanemu.sql.functions.search import queries
from spanemu.sql.functions.search.enhancement import query_words
from spanemu.sql.functions.search.tokenizers import (
    TokenizerFunction,
    concat,
    concatenated,
    fulltext,
    substring,
)
from spanemu.sql.resolved import (
    Cast,
    ColumnRef,
    Expr,
    FilterScan,
    FunctionCall,
    Literal,
    MakeArray,
    MakeStruct,
    ProjectScan,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.values.token_list import Tokenizer
from spanemu.values.types import BOOL, INT64, STRING, TOKENLIST, array_of, struct_of

DICTIONARY_OPTION = "fulltext_dictionary_table"

_ROW_TYPE = struct_of(("Key", STRING), ("Value", array_of(STRING)))

_OVER_LISTS = frozenset(
    {
        Operation.SEARCH,
        Operation.SEARCH_SUBSTRING,
        Operation.SEARCH_NGRAMS,
        Operation.SCORE,
        Operation.SCORE_NGRAMS,
    }
)
# Places of a dictionary's name among the arguments.
_DICTIONARY_ARGUMENT = {"SEARCH": 5, "SCORE": 5, "SNIPPET": 4}
_SCORE_OPTIONS = 5  # the place of the options of SCORE behind the list
_SNIPPET_LIMITS = 5  # the place of the limits of SNIPPET, which need not be constants
# Tokenizers whose first option is the language of the text, which a column may hold.
_OF_LANGUAGES = (fulltext, substring)


def checked_search_call(
    call: FunctionCall, name: str, analysis: AnalysisState, at: int
) -> FunctionCall:
    """Return a call of a function of the chapter, as the engine runs it.

    `name` is the function's in GoogleSQL. Raise BadSearchCall if Spanner refuses the call.
    """
    operation = call.signature.operation
    analysis.traits.search |= operation in _OVER_LISTS
    try:
        if operation in _OVER_LISTS:
            _check_over_list(call, name, analysis)
        elif isinstance(call.signature.evaluate, TokenizerFunction):
            first = 2 if call.signature.evaluate.prepare in _OF_LANGUAGES else 1
            _require_constants(name, call.arguments[first:], first)
            _refuse_conversion(name, call.arguments[0])
            tokenizer_of(call, analysis)
        elif call.signature.evaluate is concat:
            tokenizer_of(call, analysis)
        elif name == "SNIPPET":
            _require_constants(name, call.arguments[1:_SNIPPET_LIMITS], 1)
    except InvalidSearch as refused:
        raise BadSearchCall(str(refused), at=at) from None
    number = _DICTIONARY_ARGUMENT.get(name)
    if number is None or number >= len(call.arguments):
        return call
    rows = _dictionary_rows(call, number, name, analysis)
    return replace(call, arguments=(*call.arguments[:number], rows, *call.arguments[number + 1 :]))


def _refuse_conversion(name: str, value: Expr) -> None:
    """Raise InvalidSearch for a value of a type that is converted before it is tokenized."""
    if not isinstance(value, Cast) or not value.implicit:
        return
    if value.operand.type == INT64:  # Options of another type have changed that of the value.
        raise InvalidSearch(f"{name}: min, max and granularity must be of type INT64, as the value")
    raise InvalidSearch(f"{name} does not tokenize values of type {value.operand.type}")


def tokenizer_of(expression: Expr, analysis: AnalysisState) -> Tokenizer | None:
    """Return the tokenizer of the lists that an expression has, or None if that is not known.

    Raise InvalidSearch for options that Spanner refuses.
    """
    source = source_of(expression, analysis)
    if not isinstance(source, FunctionCall):
        return None
    function = source.signature.evaluate
    if isinstance(function, TokenizerFunction):
        options = _constants(_options(function, source.arguments[1:]))
        return None if options is None else function.prepare(*options).tokenizer
    if function is not concat or not isinstance(source.arguments[0], MakeArray):
        return None
    parts = [
        tokenizer_of(item, analysis)
        for item in source.arguments[0].items
        if not isinstance(item, Literal)
    ]
    known = [part for part in parts if part is not None]
    return concatenated(known) if len(known) == len(parts) else None


def _options(function: TokenizerFunction, written: Sequence[Expr]) -> Sequence[Expr]:
    """Return the options of a tokenizer, without a language that each row states for itself."""
    if not written or function.prepare not in _OF_LANGUAGES or _is_constant(written[0]):
        return written
    return Literal(STRING, None), *written[1:]


def source_of(expression: Expr, analysis: AnalysisState) -> Expr:
    """Return the call that computes a column of token lists, or the expression itself."""
    if not isinstance(expression, ColumnRef):
        return expression
    source = analysis.token_sources.get(expression.column.id)
    return expression if source is None else source.tokenizing()


# ---------------------------------------------------------------------------- over a list


def _check_over_list(call: FunctionCall, name: str, analysis: AnalysisState) -> None:
    tokens, *others = call.arguments
    if not is_searchable(tokens):
        raise InvalidSearch(
            f"Invalid use of search related function: the first argument of {name} must be a"
            " TOKENLIST column, or TOKENLIST_CONCAT of TOKENLIST columns"
        )
    # The options of SCORE may come from a row.
    _require_constants(name, others[:_SCORE_OPTIONS] if name == "SCORE" else others, 1)
    tokenizer = tokenizer_of(tokens, analysis)
    if tokenizer is None:
        return
    queries.check_tokenizer(name, tokenizer)
    if name == "SCORE_NGRAMS":
        _check_ngram_source(source_of(tokens, analysis), others)
        return
    dictionary = _DICTIONARY_ARGUMENT.get(name)
    constants = _constants(others if dictionary is None else others[: dictionary - 1])
    if constants is not None and name != "SCORE":
        queries.search_query(name, tokenizer, constants)


def is_searchable(tokens: Expr) -> bool:
    """Return whether an expression is a column of token lists, or a concatenation of some."""
    if isinstance(tokens, ColumnRef):
        return tokens.type == TOKENLIST
    if not isinstance(tokens, FunctionCall) or tokens.signature.evaluate is not concat:
        return False
    array = tokens.arguments[0]
    return isinstance(array, MakeArray) and all(
        is_searchable(item) or isinstance(item, Literal) for item in array.items
    )


def _check_ngram_source(source: Expr, options: Sequence[Expr]) -> None:
    if not isinstance(source, FunctionCall):
        return
    value = source.arguments[0]
    if not isinstance(value, ColumnRef):
        raise InvalidSearch(
            "SCORE_NGRAMS function's first argument must be a TOKENLIST column generated from a"
            " column, not from an expression"
        )
    aggregator = options[3] if len(options) > 3 else None
    if aggregator is not None and not value.type.is_array:
        raise InvalidSearch(
            "SCORE_NGRAMS: array_aggregator can only be used with tokens of an array column"
        )


# ---------------------------------------------------------------------------- constants


def _require_constants(name: str, arguments: Sequence[Expr], before: int) -> None:
    """Raise InvalidSearch if one of some arguments, which come after others, is no constant."""
    for number, argument in enumerate(arguments, before + 1):
        if not _is_constant(argument):
            raise InvalidSearch(f"Argument {number} to {name} must be a constant expression")


def _is_constant(expression: Expr) -> bool:
    return not any(
        isinstance(part, ColumnRef | SubqueryExpr) for part in expressions_in(expression)
    )


class _Unknown(Exception):
    """A constant that the statement's run computes."""


def _constants(expressions: Sequence[Expr]) -> tuple[Any, ...] | None:
    """Return the values of constants, or None if one of them is not known yet."""
    try:
        return tuple(map(_constant, expressions))
    except _Unknown:
        return None


def _constant(expression: Expr) -> Any:
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, MakeArray):
        return tuple(map(_constant, expression.items))
    if isinstance(expression, FunctionCall):
        signature = expression.signature
        if signature.volatile or signature.stable or signature.context or signature.lazy:
            raise _Unknown
        values = [_constant(argument) for argument in expression.arguments]
        if signature.nulls is Nulls.STRICT and None in values:
            return None
        return signature.evaluate(*values)
    raise _Unknown


# ---------------------------------------------------------------------------- dictionaries


def _dictionary_rows(call: FunctionCall, number: int, name: str, analysis: AnalysisState) -> Expr:
    """Return what the dictionary at an argument has for the query, as an array of (key, values)."""
    argument, at = call.arguments[number], call.at
    while isinstance(argument, Cast):
        argument = argument.operand
    if not isinstance(argument, Literal):
        raise BadSearchCall(f"The dictionary of {name} must be a literal", at=at)
    rows_type = array_of(_ROW_TYPE)
    if argument.value is None:
        return Literal(rows_type, None)
    table = analysis.schema.table(argument.value)
    if table is None or not table.options.get(DICTIONARY_OPTION):
        problem = "does not exist" if table is None else "is not a full-text dictionary"
        raise BadSearchCall(f"The dictionary table {argument.value} {problem}", at=at)
    analysis.traits.tables.add(table.name)
    analysis.traits.subquery = True
    relation = TableRelation(table.name, table, analysis)
    (key,) = table.key_columns
    (values,) = [column for column in table.columns if column is not key]
    word = relation.reference(key)
    row = MakeStruct(_ROW_TYPE, (word, relation.reference(values)))
    output = analysis.column("entry", _ROW_TYPE)
    is_asked = _is_among_words(word, call.arguments[1], analysis)
    scan = ProjectScan(FilterScan(relation.scan(), is_asked), ((output, row),))
    return SubqueryExpr(rows_type, SubqueryKind.ARRAY, scan, (output,))


def _is_among_words(key: Expr, query: Expr, analysis: AnalysisState) -> Expr:
    """Return the condition that a key is a word of a query, which is a seek of the dictionary."""
    words = FunctionCall(array_of(STRING), _WORDS, (query,))
    among = analysis.catalog.scalars[Operation.IN_ARRAY.value]
    signature = signature_of(among, among.overloads[0], (STRING, array_of(STRING)), BOOL)
    return FunctionCall(BOOL, signature, (key, words))


_WORDS = Signature("$search_words", (STRING,), array_of(STRING), query_words)
