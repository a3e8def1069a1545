"""Tokenizers, by the chapter "Search functions", which compute columns of type TOKENLIST.

A TOKENLIST is bytes: the name of its tokenizer, then the tokens, each after a separator. No
function searches token lists yet (SEARCH, SCORE and SNIPPET are refused by name), so tokens are
simple: words in lower case, values as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.registry import Overload

_SEPARATOR = b"\x1f"
_WORD = re.compile(r"\w+")

Tokens = Callable[[Any], Sequence[str]]


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text.casefold())


def _whole(value: Any) -> Sequence[str]:
    return (value.hex() if isinstance(value, bytes) else str(value),)


def _tokenizer(kind: str, tokens: Tokens) -> tuple[Callable[..., bytes], Callable[..., bytes]]:
    """Return the function for a value and the function for an array.

    Their named arguments, which tune tokens in Spanner, have no effect.
    """

    def of_value(value: Any, *_: Any) -> bytes:
        return _SEPARATOR.join((kind.encode(), *(token.encode() for token in tokens(value))))

    def of_array(values: Sequence[Any], *_: Any) -> bytes:
        texts = [token for value in values if value is not None for token in tokens(value)]
        return _SEPARATOR.join((kind.encode(), *(token.encode() for token in texts)))

    return of_value, of_array


def _overloads(kind: str, tokens: Tokens, types: Sequence[str], named: str = "") -> list[Overload]:
    of_value, of_array = _tokenizer(kind, tokens)
    overloads = []
    for type_ in types:
        overloads.append(overload(f"({type_}{named}) -> TOKENLIST", of_value))
        overloads.append(overload(f"(ARRAY<{type_}>{named}) -> TOKENLIST", of_array))
    return overloads


def concat(lists: Sequence[bytes | None]) -> bytes:
    """Return `TOKENLIST_CONCAT(lists)`; a NULL among the lists counts as an empty list.

    Raise BadArgument for token lists of different tokenizers.
    """
    parts = [tokens.split(_SEPARATOR) for tokens in lists if tokens is not None]
    kinds = {kind for kind, *_ in parts}
    if len(kinds) > 1:
        raise BadArgument("All elements to TOKENLIST_CONCAT must come from the same tokenizer")
    return _SEPARATOR.join((*kinds, *(token for _, *tokens in parts for token in tokens)))


_TEXT = ", [*language_tag=>STRING = NULL], [*content_type=>STRING = NULL]"
_DIACRITICS = ", [*remove_diacritics=>BOOL = NULL]"
_NGRAMS = ", [*ngram_size_min=>INT64 = NULL], [*ngram_size_max=>INT64 = NULL]"
_NUMBER = (
    ", [*comparison_type=>STRING = NULL], [*algorithm=>STRING = NULL], [*min=>FLOAT64 = NULL]"
    ", [*max=>FLOAT64 = NULL], [*granularity=>FLOAT64 = NULL], [*tree_base=>INT64 = NULL]"
    ", [*precision=>INT64 = NULL], [*ieee_precision=>INT64 = NULL]"
)
_SUBSTRING = (
    f"{_TEXT}{_NGRAMS}{_DIACRITICS}, [*relative_search_types=>ARRAY<STRING> = NULL]"
    ", [*short_tokens_only_for_anchors=>BOOL = NULL]"
)
_FULLTEXT = f"{_TEXT}{_DIACRITICS}, [*token_category=>STRING = NULL]"

FUNCTIONS = chapter(
    "search",
    {
        "TOKEN": _overloads("token", _whole, ("STRING", "BYTES")),
        "TOKENIZE_BOOL": _overloads("bool", _whole, ("BOOL",)),
        "TOKENIZE_FULLTEXT": _overloads("fulltext", _words, ("STRING",), _FULLTEXT),
        "TOKENIZE_JSON": (overload("(JSON) -> TOKENLIST", _tokenizer("json", _whole)[0]),),
        "TOKENIZE_NGRAMS": _overloads("ngrams", _words, ("STRING",), _NGRAMS + _DIACRITICS),
        "TOKENIZE_NUMBER": _overloads(
            "number", _whole, ("INT64", "FLOAT32", "FLOAT64", "NUMERIC"), _NUMBER
        ),
        "TOKENIZE_SUBSTRING": _overloads("substring", _words, ("STRING",), _SUBSTRING),
        "TOKENLIST_CONCAT": (overload("(ARRAY<TOKENLIST>) -> TOKENLIST", concat),),
    },
)
