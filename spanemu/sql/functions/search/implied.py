"""Conditions on token lists that follow from conditions on the columns they are made of.

TOKEN, TOKENIZE_BOOL, TOKENIZE_NUMBER, TOKENIZE_JSON and TOKENIZE_NGRAMS(LOWER(...)) have no search
function for exact conditions. A search index may answer the conditions themselves:

    Status = 'open'             the list has the token `open`
    Price BETWEEN 10 AND 20     it has the token of a number from 10 to 20
    Doc.a.b IS NOT NULL         it has the token of the path
    LOWER(Name) LIKE '%ock%'    it has all n-grams of `ock`

The condition on the list is only necessary: rows that fulfil it are still tested with the condition
that it follows from. So a list may be said to fulfil it whenever that is simpler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from typing import Any

from spanemu.base.deferred import lazy_pattern
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search.json_tokens import json_tokens, path_token, text_token
from spanemu.sql.functions.search.number_tokens import token
from spanemu.values.json import Document
from spanemu.values.token_list import Tokenizer, TokenKind, grams

_NUMBER_START = 2  # behind the == of the token of a number
# The parts of a pattern of RE2 whose meaning is known here.
_PART = lazy_pattern(
    r"""\\(?P<escaped>[^\w\s])
    | (?P<set>\[ \^? \]? (?: \\. | \[:\w+:\] | [^\]\\] )* \])
    | (?P<open>\( (?: \?: | \?P<\w+> )? (?!\?))
    | (?P<close>\))
    | (?P<either>\|)
    | (?P<quantifier>[*?] | \{\d+ (?:,\d*)? \})
    | (?P<any>[+^$.] | \\[AbBzdDwWsSntrfva])
    | (?P<letter>[^\\\[\](){}|*?+^$.])
    """,
    re.DOTALL | re.VERBOSE,
)
_FINAL_SIGMA = "\u03a3"  # the one letter whose lower case depends on its neighbours

Alternatives = tuple[bytes, ...]


def always(*_: Any) -> bool:
    """Return TRUE: the condition that implies a condition on tokens is tested anyway."""
    return True


def tokens_of_value(tokenizer: Tokenizer, value: Any) -> Alternatives | None:
    """Return the tokens of which a list with `value` has at least one; None if unknown."""
    if value is None:
        return None
    if tokenizer.kind is TokenKind.TOKEN:
        return (value if isinstance(value, bytes) else value.encode(),)
    if tokenizer.kind is TokenKind.BOOL:
        return (b"y" if value else b"n",)
    if tokenizer.kind is TokenKind.NUMBER:
        return (token(value), token(-value)) if value == 0 else (token(value),)
    return None


Keys = Sequence[str | None] | None  # of members by which a part of a document is addressed


def tokens_of_document(tokenizer: Tokenizer, document: Any, keys: Keys) -> Sequence[bytes] | None:
    """Return the tokens that a list has if the part of its document at `keys` contains another.

    None stands for no list, because a key is NULL.
    """
    if tokenizer.kind is not TokenKind.JSON or not isinstance(document, Document):
        return ()
    path = tokens_of_path(tokenizer, keys)
    return None if path is None else [*path, *json_tokens(document.value, _present(keys))]


def tokens_of_path(tokenizer: Tokenizer, keys: Keys) -> Sequence[bytes] | None:
    """Return the tokens that a list has if its document has a part at `keys`; None for no list."""
    if keys is None or None in keys:
        return None
    if tokenizer.kind is not TokenKind.JSON or not keys:
        return ()
    return [path_token(_present(keys))]


def tokens_of_key(tokenizer: Tokenizer, key: str, keys: Keys) -> Alternatives | None:
    """Return the tokens of which a list has at least one if its document has a key at `keys`.

    An array of strings has its elements for keys. None stands for all lists.
    """
    if tokenizer.kind is not TokenKind.JSON:
        return None
    path = _present(keys)
    return path_token((*path, key)), text_token(path, key)


def _present(keys: Keys) -> list[str]:
    return [key for key in keys or () if key is not None]


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
    """Return the fixed texts of a pattern outside of groups; none of one with alternatives."""
    texts, depth, at = [""], 0, 0
    while at < len(pattern):
        match = _PART.match(pattern, at)
        if match is None or (match.lastgroup == "either" and not depth):
            return ()
        at, part = match.end(), match.lastgroup
        if part in ("letter", "escaped"):
            texts[-1] += "" if depth else match[0][-1]
            continue
        if part == "quantifier" and not depth:
            texts[-1] = texts[-1][:-1]
        depth += (part == "open") - (part == "close")
        texts.append("")
    return texts
