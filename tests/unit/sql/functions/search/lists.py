"""Token lists and searches of them in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.sql.functions.search import tokenizers
from spanemu.sql.functions.search.matcher import matches, occurrences_in
from spanemu.sql.functions.search.queries import score_query, search_query
from spanemu.sql.functions.search.tokenizers import TokenizerFunction
from spanemu.values.json import Json
from spanemu.values.token_list import TokenList

Value = str | Sequence[str | None]


def _tokens(prepare: Any, value: Any, options: dict[str, Any]) -> TokenList:
    is_array = not isinstance(value, str | bytes | bool | int | float | Json)
    prepared = prepare(**options)
    function = TokenizerFunction(lambda: prepared, of_array=is_array)
    data = function(value)
    assert data is not None
    return TokenList.decode(data)


def fulltext(value: Value, **options: Any) -> TokenList:
    """Return TOKENIZE_FULLTEXT of a text or of an array."""
    return _tokens(tokenizers.fulltext, value, options)


def substring(value: Value, **options: Any) -> TokenList:
    """Return TOKENIZE_SUBSTRING of a text or of an array."""
    return _tokens(tokenizers.substring, value, options)


def ngrams(value: Value, **options: Any) -> TokenList:
    """Return TOKENIZE_NGRAMS of a text or of an array."""
    return _tokens(tokenizers.ngrams, value, options)


def concat(*lists: TokenList | None) -> TokenList:
    """Return TOKENLIST_CONCAT."""
    data = tokenizers.concat([None if each is None else each.encode() for each in lists])
    assert data is not None
    return TokenList.decode(data)


def searches(tokens: TokenList, query: str | None, *options: Any, function: str = "SEARCH") -> Any:
    """Return SEARCH, or another search function, of a list."""
    prepared = search_query(function, tokens.tokenizer, (query, *options))
    return None if prepared is None else matches(prepared, tokens)


def is_part(tokens: TokenList, query: str, relative_type: str | None = None) -> Any:
    """Return SEARCH_SUBSTRING of a list."""
    return searches(tokens, query, None, relative_type, function="SEARCH_SUBSTRING")


def is_similar(tokens: TokenList, query: str, *options: Any) -> Any:
    """Return SEARCH_NGRAMS of a list; the options are min_ngrams and min_ngrams_percent."""
    return searches(tokens, query, None, *options, function="SEARCH_NGRAMS")


def scored(tokens: TokenList, query: str, options: dict[str, Any] | None = None) -> float:
    """Return SCORE of a list."""
    arguments = (query, None, None, None, None, None if options is None else Json(options))
    prepared = score_query(tokens.tokenizer, arguments)
    assert prepared is not None
    return prepared.scorer(occurrences_in(tokens))
