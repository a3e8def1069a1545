"""Conditions on token lists that follow from conditions on the columns they are made of.

TOKEN, TOKENIZE_BOOL, TOKENIZE_NUMBER, TOKENIZE_JSON and TOKENIZE_NGRAMS(LOWER(...)) have no search
function for exact conditions. A search index may answer the conditions themselves:

    Status = 'open'             the list has the token `open`
    Price BETWEEN 10 AND 20     it has the token of a number from 10 to 20
    LOWER(Name) LIKE '%ock%'    it has all n-grams of `ock`

The condition on the list is only necessary: rows that fulfil it are still tested with the condition
that it follows from. So a list may be said to fulfil it whenever that is simpler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from typing import Any

from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search.json_tokens import json_tokens
from spanemu.sql.functions.search.number_tokens import token
from spanemu.values.json import Document
from spanemu.values.token_list import Tokenizer, TokenKind, grams

_NUMBER_START = 2  # behind the == of the token of a number
_SPECIAL = re.compile(r"[()\[\]{}|\\]")
_OPTIONAL = re.compile(r".[*?+]+[?]?", re.DOTALL)
_NOT_LITERAL = re.compile(r"[\^$.]")
_FINAL_SIGMA = "\u03a3"  # the one letter whose lower case depends on its neighbours

Alternatives = tuple[bytes, ...]


def always(*_: Any) -> bool:
    """Return TRUE: the condition that implies a condition on tokens is tested anyway."""
    return True


def tokens_of_value(tokenizer: Tokenizer, value: Any) -> Alternatives | None:
    """Return the tokens one of which a list with `value` has; None if that is not known."""
    if value is None:
        return None
    if tokenizer.kind is TokenKind.TOKEN:
        return (value if isinstance(value, bytes) else value.encode(),)
    if tokenizer.kind is TokenKind.BOOL:
        return (b"y" if value else b"n",)
    if tokenizer.kind is TokenKind.NUMBER:
        return (token(value), token(-value)) if value == 0 else (token(value),)
    return None


def tokens_of_document(tokenizer: Tokenizer, document: Any) -> Sequence[bytes]:
    """Return the tokens that the list of a document has if it contains `document`."""
    if tokenizer.kind is not TokenKind.JSON or not isinstance(document, Document):
        return ()
    return json_tokens(document.value)


def tokens_of_texts(tokenizer: Tokenizer, texts: Sequence[str]) -> Sequence[bytes]:
    """Return the n-grams that a list of the lower case of a text has if it contains `texts`."""
    if tokenizer.kind is not TokenKind.NGRAMS or tokenizer.remove_diacritics:
        return ()
    needed: dict[str, None] = {}
    for text in texts:
        for part in text.split(_FINAL_SIGMA):
            lowered = part.lower()
            size = min(len(lowered), tokenizer.ngram_max)
            if size >= tokenizer.ngram_min:
                needed |= dict.fromkeys(grams(lowered, size))
    return [gram.encode() for gram in needed]


def number_of(data: bytes) -> int | float | None:
    """Return the number of a token of TOKENIZE_NUMBER; None for NaN."""
    text = data[_NUMBER_START:]
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return None if isnan(number) else number


def fixed_texts(operation: Operation | None, pattern: str) -> Sequence[str]:
    """Return texts that a string must contain to match a pattern."""
    if operation is Operation.LIKE:
        return _fixed_in_like(pattern)
    if operation is Operation.REGEXP_CONTAINS:
        return _fixed_in_regexp(pattern)
    return (pattern,)


def _fixed_in_like(pattern: str) -> Sequence[str]:
    texts, at = [""], 0
    while at < len(pattern):
        letter = pattern[at]
        if letter in "%_":
            texts.append("")
        elif letter == "\\":
            at += 1
            texts[-1] += pattern[at : at + 1]
        else:
            texts[-1] += letter
        at += 1
    return texts


def _fixed_in_regexp(pattern: str) -> Sequence[str]:
    """Return the fixed texts of a pattern without groups, classes, alternatives and escapes."""
    if _SPECIAL.search(pattern):
        return ()
    return _NOT_LITERAL.split(_OPTIONAL.sub(".", pattern))
