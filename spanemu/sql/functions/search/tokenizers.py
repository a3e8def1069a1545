"""The tokenizer functions: TOKEN, TOKENIZE_..., and TOKENLIST_CONCAT.

A tokenizer has two halves. Its options, which are constants, become a `Tokenizer` once; its value
becomes the `TokenizedValue`s of a list. `TokenizerFunction.prepare` is the first half alone: what
the lists of a column are, before there is a row. Arrays have one value for each element; NULL
elements are skipped.

All functions are called with NULLs: a NULL value gives NULL, and a NULL option is its default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search import html, json_tokens, number_tokens, settings
from spanemu.sql.functions.search.number_tokens import NumberOptions
from spanemu.sql.functions.search.segmentation import without_inner_blanks
from spanemu.sql.functions.search.words import (
    fulltext_words,
    substring_words,
    without_diacritics,
)
from spanemu.values.json import Document
from spanemu.values.token_list import (
    Category,
    TokenizedValue,
    Tokenizer,
    TokenKind,
    TokenList,
)


class _Prepared(NamedTuple):
    """A tokenizer with the function from a value to a tokenized one."""

    tokenizer: Tokenizer
    tokenized: Callable[[Any], TokenizedValue]


_Prepare = Callable[..., _Prepared]
_NUMBER_OPTIONS = 8  # comparison_type ... tree_base, and two names of the precision


class TokenizerFunction:
    """A tokenizer as a function of a value or an array, and of its options."""

    __slots__ = ("_of_array", "prepare")

    def __init__(self, prepare: _Prepare, *, of_array: bool = False) -> None:
        self.prepare = prepare
        self._of_array = of_array

    def __call__(self, value: Any, *options: Any) -> bytes | None:
        tokenizer, tokenized = self.prepare(*options)
        if value is None:
            return None
        if not self._of_array:
            return TokenList(tokenizer, [tokenized(value)]).encode()
        present = [each for each in value if each is not None]
        return TokenList(tokenizer, [tokenized(each) for each in interruptible(present)]).encode()


# ---------------------------------------------------------------------------- exact values


def _exact(value: str | bytes) -> TokenizedValue:
    return TokenizedValue((value if isinstance(value, bytes) else value.encode(),))


def _bool(value: bool) -> TokenizedValue:
    return TokenizedValue((b"y" if value else b"n",))


def _json(document: Document) -> TokenizedValue:
    return TokenizedValue(tuple(json_tokens.json_tokens(document.value)))


def _number(value: int | float) -> TokenizedValue:
    return TokenizedValue((number_tokens.token(value),))


_EXACT = _Prepared(Tokenizer(TokenKind.TOKEN), _exact)
_BOOL = _Prepared(Tokenizer(TokenKind.BOOL), _bool)
_JSON = _Prepared(Tokenizer(TokenKind.JSON), _json)


def exact() -> _Prepared:
    """Prepare TOKEN."""
    return _EXACT


def bools() -> _Prepared:
    """Prepare TOKENIZE_BOOL."""
    return _BOOL


def documents() -> _Prepared:
    """Prepare TOKENIZE_JSON."""
    return _JSON


@lru_cache(maxsize=1024)
def integers(*options: Any) -> _Prepared:
    """Prepare TOKENIZE_NUMBER of integers."""
    return _numbers(options, is_float=False)


@lru_cache(maxsize=1024)
def floats(*options: Any) -> _Prepared:
    """Prepare TOKENIZE_NUMBER of floating-point numbers."""
    return _numbers(options, is_float=True)


def _numbers(options: Sequence[Any], *, is_float: bool) -> _Prepared:
    padded = (*options, *(None,) * _NUMBER_OPTIONS)[:_NUMBER_OPTIONS]
    *given, ieee_precision = padded
    chosen = NumberOptions(*given)
    if chosen.precision is None:
        chosen = chosen._replace(precision=ieee_precision)
    tree = number_tokens.checked(chosen, is_float=is_float)
    return _Prepared(Tokenizer(TokenKind.NUMBER, detail=tree.text()), _number)


# ---------------------------------------------------------------------------- texts


@lru_cache(maxsize=1024)
def fulltext(
    language_tag: str | None = None,
    content_type: str | None = None,
    token_category: str | None = None,
    remove_diacritics: bool | None = None,
) -> _Prepared:
    """Prepare TOKENIZE_FULLTEXT."""
    strips = bool(remove_diacritics)
    language = settings.language(language_tag, "TOKENIZE_FULLTEXT")
    fixed = settings.category(token_category)
    tokenizer = Tokenizer(
        TokenKind.FULLTEXT,
        language=language,
        remove_diacritics=strips,
    )
    if settings.is_html(content_type, "TOKENIZE_FULLTEXT"):
        return _Prepared(
            tokenizer,
            lambda source: _of_html(without_inner_blanks(source, language), fixed, strips),
        )
    categories = bytes((fixed,)) if fixed else b""

    def tokenized(text: str) -> TokenizedValue:
        words = fulltext_words(without_inner_blanks(text, language))
        return TokenizedValue(_encoded(words, strips), categories)

    return _Prepared(tokenizer, tokenized)


def _of_html(source: str, fixed: Category | None, strips: bool) -> TokenizedValue:
    words: list[bytes] = []
    categories = bytearray()
    for text, category in html.sections(source):
        more = _encoded(fulltext_words(text), strips)
        words += more
        categories += bytes((category if fixed is None else fixed,)) * len(more)
    return TokenizedValue(tuple(words), bytes(categories) if any(categories) else b"")


class SubstringOptions(NamedTuple):
    """The options of TOKENIZE_SUBSTRING as given; None for those left out."""

    language_tag: str | None = None
    ngram_size_min: int | None = None
    ngram_size_max: int | None = None
    relative_search_types: tuple[str | None, ...] | None = None
    content_type: str | None = None
    short_tokens_only_for_anchors: bool | None = None
    remove_diacritics: bool | None = None
    support_relative_search: bool | None = None


@lru_cache(maxsize=1024)
def substring(*options: Any, **named: Any) -> _Prepared:
    """Prepare TOKENIZE_SUBSTRING."""
    given = SubstringOptions(*options, **named)
    smallest, largest = settings.ngram_sizes(given.ngram_size_min, given.ngram_size_max)
    strips = bool(given.remove_diacritics)
    tokenizer = Tokenizer(
        TokenKind.SUBSTRING,
        smallest,
        largest,
        settings.relative_types(given.relative_search_types, given.support_relative_search),
        bool(given.short_tokens_only_for_anchors),
        strips,
        settings.language(given.language_tag, "TOKENIZE_SUBSTRING"),
    )
    is_html = settings.is_html(given.content_type, "TOKENIZE_SUBSTRING")

    def tokenized(source: str) -> TokenizedValue:
        texts = [text for text, _ in html.sections(source)] if is_html else (source,)
        words = tuple(word for text in texts for word in _encoded(substring_words(text), strips))
        lowered = source.lower()
        compared = (without_diacritics(lowered) if strips else lowered).encode()
        return TokenizedValue(words, b"", None if compared == b" ".join(words) else compared)

    return _Prepared(tokenizer, tokenized)


@lru_cache(maxsize=1024)
def ngrams(
    ngram_size_min: int | None = None,
    ngram_size_max: int | None = None,
    remove_diacritics: bool | None = None,
) -> _Prepared:
    """Prepare TOKENIZE_NGRAMS."""
    smallest, largest = settings.ngram_sizes(ngram_size_min, ngram_size_max)
    strips = bool(remove_diacritics)
    tokenizer = Tokenizer(TokenKind.NGRAMS, smallest, largest, remove_diacritics=strips)

    def tokenized(text: str) -> TokenizedValue:
        return TokenizedValue(((without_diacritics(text) if strips else text).encode(),))

    return _Prepared(tokenizer, tokenized)


def _encoded(words: Sequence[str], strips: bool) -> tuple[bytes, ...]:
    if strips:
        words = [without_diacritics(word) for word in words]
    if not words:
        return ()
    # One call for all words of a text: words contain no blanks.
    return tuple(" ".join(words).encode().split(b" "))


# ---------------------------------------------------------------------------- concatenation

_CONCATENATED = frozenset({TokenKind.FULLTEXT, TokenKind.SUBSTRING})


def concat(lists: Sequence[bytes | None] | None) -> bytes | None:
    """Return `TOKENLIST_CONCAT(lists)`; a NULL among the lists counts as an empty list."""
    if lists is None:
        return None
    decoded = [TokenList.decode(data) for data in lists if data is not None]
    tokenizer = concatenated([each.tokenizer for each in decoded])
    values = [value for each in decoded for value in each.values]
    if tokenizer.remove_diacritics:
        values = [_stripped(value) for value in values]
    return TokenList(tokenizer, values).encode()


def concatenated(tokenizers: Sequence[Tokenizer]) -> Tokenizer:
    """Return the tokenizer of a concatenation: the first one's settings, and what all support.

    Raise InvalidSearch for lists that do not go together: of other kinds, or with other sizes of
    n-grams.
    """
    tokenizers = [each for each in tokenizers if each.kind is not TokenKind.NONE]
    if not tokenizers:
        return Tokenizer(TokenKind.NONE, concatenated=True)
    kinds = {each.kind for each in tokenizers}
    sizes = {(each.ngram_min, each.ngram_max) for each in tokenizers}
    if len(kinds) > 1 or len(sizes) > 1 or not kinds <= _CONCATENATED:
        raise InvalidSearch(
            "All elements to TOKENLIST_CONCAT must be produced by the same kind of tokenization"
            " function."
        )
    return tokenizers[0]._replace(
        relative_types=frozenset.intersection(*(each.relative_types for each in tokenizers)),
        short_only_for_anchors=any(each.short_only_for_anchors for each in tokenizers),
        remove_diacritics=any(each.remove_diacritics for each in tokenizers),
        concatenated=True,
    )


def _stripped(value: TokenizedValue) -> TokenizedValue:
    words = tuple(without_diacritics(word.decode()).encode() for word in value.words)
    text = value.text
    return TokenizedValue(
        words,
        value.categories,
        None if text is None else without_diacritics(text.decode()).encode(),
    )
