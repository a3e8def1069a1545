"""Token lists: what the tokenizers of full-text search make of a value, as compact bytes.

A TOKENLIST is `bytes` like any other cell. `TokenList.decode` gives the view that search functions
and search indexes work with:

    tokenizer   how the list was made: kind, sizes of n-grams, flags that queries must follow
    values      the tokenized values: one, or one for each element of an array and each list of a
                concatenation; none of them is empty
    postings    token -> its occurrences, in ascending order

An occurrence is one integer, so that a posting is a list of integers and nothing else:

    position << 4 | category << 2 | is last of its value << 1 | is first of its value

Several tokens may share a position. Between two values lies `GAP`, which no phrase crosses.

The bytes are a version, a header with the tokenizer, and the values. Each value is stored as the
shortest thing from which its tokens follow: the words of a full text or of a substring list, the
text of an n-gram list, and the tokens themselves of the other kinds.

    01 header 1C  word 1F word 1F word [1E categories [1E text]] 1D  word 1F word 1D

Version 1 is the first with positions. Bytes of another version raise `OtherTokenList`; a list is
always a function of other columns, so that the remedy is to compute it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import IntEnum, StrEnum
from functools import lru_cache

from spanemu.base.record import NamedTuple

GAP = 1_000
POSITION_SHIFT = 4
FIRST = 1
LAST = 2
CATEGORY_SHIFT = 2

_VERSION = b"\x01"
_HEADER_END = b"\x1c"
_VALUE_END = b"\x1d"
_FIELD_END = b"\x1e"
_WORD_END = b"\x1f"
# Tokens may contain any byte. Those with a meaning here are written as ESC and a digit.
_ESCAPE = b"\x1b"
_ESCAPED = (_ESCAPE, _HEADER_END, _VALUE_END, _FIELD_END, _WORD_END)
_HEADER_FIELDS = 6  # behind the kind
_SPECIAL = frozenset(b"".join(_ESCAPED))


class TokenKind(StrEnum):
    """The kinds of token lists: one for each tokenizer function. The values are stored."""

    TOKEN = "T"
    BOOL = "B"
    NUMBER = "N"
    JSON = "J"
    FULLTEXT = "F"
    SUBSTRING = "S"
    NGRAMS = "G"
    NONE = "-"  # a concatenation of no list, which is as good as an empty list of any kind


class Category(IntEnum):
    """The weight class of an occurrence, which SCORE alone looks at."""

    SMALL = 0
    MEDIUM = 1
    LARGE = 2
    TITLE = 3


class OtherTokenList(ValueError):
    """Bytes that are no token list of this version."""

    def __str__(self) -> str:
        return (
            "The token list was written by another version of spanemu. Token lists are computed"
            " from other columns: write the rows again, or load a dump of the database."
        )


class Tokenizer(NamedTuple):
    """The settings of a tokenizer that queries of its lists depend on."""

    kind: TokenKind
    ngram_min: int = 0
    ngram_max: int = 0
    relative_types: frozenset[str] = frozenset()
    short_only_for_anchors: bool = False
    remove_diacritics: bool = False
    language: str = ""
    concatenated: bool = False  # made by TOKENLIST_CONCAT
    detail: str = ""  # what the tokens of numbers depend on besides

    @property
    def has_ngrams(self) -> bool:
        """Return whether the tokens are n-grams of texts."""
        return self.kind is TokenKind.SUBSTRING or self.kind is TokenKind.NGRAMS


class TokenizedValue(NamedTuple):
    """One value of a list: its words or tokens, with their attributes.

    `categories` holds a byte for each word, one byte for all of them, or nothing if all of them are
    SMALL. `text` is the text that n-gram scores compare, if it is not the words with blanks.
    """

    words: tuple[bytes, ...]
    categories: bytes = b""
    text: bytes | None = None

    def category(self, index: int) -> int:
        """Return the category of the word at `index`."""
        if not self.categories:
            return Category.SMALL
        return self.categories[index if len(self.categories) > 1 else 0]

    def source(self) -> bytes:
        """Return the text that the value was made from, as far as n-gram scores can tell."""
        return b" ".join(self.words) if self.text is None else self.text


class TokenList:
    """The decoded view of a TOKENLIST."""

    __slots__ = ("_postings", "tokenizer", "values")

    def __init__(self, tokenizer: Tokenizer, values: Sequence[TokenizedValue] = ()) -> None:
        self.tokenizer = tokenizer
        self.values = tuple(value for value in values if value.words or value.text)
        self._postings: dict[bytes, list[int]] | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TokenList)
            and self.tokenizer == other.tokenizer
            and self.values == other.values
        )

    def __hash__(self) -> int:
        return hash((self.tokenizer, self.values))

    def __repr__(self) -> str:
        return f"TokenList({self.tokenizer!r}, {self.values!r})"

    @staticmethod
    def decode(data: bytes) -> TokenList:
        """Return the view of an encoded list; raise OtherTokenList for other bytes."""
        header, mark, body = data.partition(_HEADER_END)
        if not mark:
            raise OtherTokenList
        tokenizer = _tokenizer(header)
        values = body.split(_VALUE_END)[:-1]
        return TokenList(tokenizer, [_read_value(each) for each in values])

    def encode(self) -> bytes:
        """Return the list as bytes."""
        body = b"".join([_write_value(value) + _VALUE_END for value in self.values])
        return _header(self.tokenizer) + _HEADER_END + body

    @property
    def postings(self) -> dict[bytes, list[int]]:
        """The occurrences of each token, in ascending order."""
        if self._postings is None:
            is_text = self.tokenizer.kind is TokenKind.FULLTEXT
            self._postings = _text_postings(self.values) if is_text else self._any_postings()
        return self._postings

    def _any_postings(self) -> dict[bytes, list[int]]:
        postings: dict[bytes, list[int]] = {}
        for token, occurrence in self.occurrences():
            known = postings.get(token)
            if known is None:
                postings[token] = [occurrence]
            else:
                known.append(occurrence)
        return postings

    def occurrences(self) -> Iterator[tuple[bytes, int]]:
        """Yield each token with its occurrence, value by value, by ascending position."""
        start = 0
        for value in self.values:
            last = 0
            for token, occurrence in _OCCURRENCES[self.tokenizer.kind](self.tokenizer, value):
                last = occurrence >> POSITION_SHIFT
                yield token, occurrence + (start << POSITION_SHIFT)
            start += last + 1 + GAP


def tokenizer_of(data: bytes) -> Tokenizer:
    """Return the tokenizer of an encoded list without decoding its tokens."""
    end = data.find(_HEADER_END)
    if end < 0:
        raise OtherTokenList
    return _tokenizer(data[:end])


def position_of(occurrence: int) -> int:
    """Return the position of an occurrence."""
    return occurrence >> POSITION_SHIFT


def category_of(occurrence: int) -> int:
    """Return the `Category` of an occurrence."""
    return occurrence >> CATEGORY_SHIFT & 3


def grams(word: str, size: int) -> list[str]:
    """Return the n-grams of `size` characters, from left to right."""
    return [word[at : at + size] for at in range(len(word) - size + 1)]


# ---------------------------------------------------------------------------- occurrences


def _single_occurrences(_: Tokenizer, value: TokenizedValue) -> Iterator[tuple[bytes, int]]:
    for at, token in enumerate(value.words):
        yield token, at << POSITION_SHIFT


def _word_occurrences(_: Tokenizer, value: TokenizedValue) -> Iterator[tuple[bytes, int]]:
    """Yield each word; `#word` is found as `word` as well."""
    last = len(value.words) - 1
    for at, word in enumerate(value.words):
        occurrence = (
            at << POSITION_SHIFT
            | value.category(at) << CATEGORY_SHIFT
            | (at == last) << 1
            | (at == 0)
        )
        yield word, occurrence
        if word[0] == _HASH and len(word) > 1:
            yield word[1:], occurrence


def _text_postings(values: Sequence[TokenizedValue]) -> dict[bytes, list[int]]:
    """Return the postings of a full text: `_word_occurrences`, but in a fraction of the time."""
    postings: defaultdict[bytes, list[int]] = defaultdict(list)
    start = 0
    for value in values:
        if len(value.categories) > 1 or any(word[0] == _HASH for word in value.words):
            base = start << POSITION_SHIFT
            for token, occurrence in _word_occurrences(_PLAIN, value):
                postings[token].append(base + occurrence)
        else:
            occurrence = start << POSITION_SHIFT | value.category(0) << CATEGORY_SHIFT
            first = postings[value.words[0]]
            known = len(first)
            for word in value.words:
                postings[word].append(occurrence)
                occurrence += 1 << POSITION_SHIFT
            first[known] |= FIRST
            postings[value.words[-1]][-1] |= LAST
        start += len(value.words) + GAP
    return dict(postings)


def _gram_occurrences(tokenizer: Tokenizer, value: TokenizedValue) -> Iterator[tuple[bytes, int]]:
    short, runs = gram_runs(tokenizer, value)
    for token in short:
        yield token, 0
    for start, run in runs:
        for at, token in enumerate(run, start):
            yield token, at << POSITION_SHIFT


Runs = Sequence[tuple[int, Sequence[bytes]]]


def gram_runs(tokenizer: Tokenizer, value: TokenizedValue) -> tuple[Sequence[bytes], Runs]:
    """Return the n-grams of a value: those at its first position, and those in sequence.

    Short n-grams and short words lie at the first position. The longest n-grams of a word follow
    each other from the position that stands with them.
    """
    if tokenizer.kind is TokenKind.NGRAMS:
        text = value.words[0]
        sizes = range(tokenizer.ngram_min, tokenizer.ngram_max)
        short = dict.fromkeys([gram for size in sizes for gram in _grams(text, size)])
        return list(short), [(0, _grams(text, tokenizer.ngram_max))]
    short = _short_grams(tokenizer, value.words)
    at = 1 if short else 0
    runs: list[tuple[int, Sequence[bytes]]] = []
    for word in value.words:
        if longest := _grams(word, tokenizer.ngram_max):
            runs.append((at, longest))
            at += len(longest) + 1
    return list(short), runs


def _grams(word: bytes, size: int) -> list[bytes]:
    if word.isascii():
        return [word[at : at + size] for at in range(len(word) - size + 1)]
    return [gram.encode() for gram in grams(word.decode(), size)]


def _short_grams(tokenizer: Tokenizer, words: Sequence[bytes]) -> dict[bytes, None]:
    sizes = range(tokenizer.ngram_min, tokenizer.ngram_max)
    distinct: dict[bytes, None] = {}
    for word in words:
        if len(word) < tokenizer.ngram_min or len(word.decode()) < tokenizer.ngram_min:
            distinct[word] = None
        for size in sizes:
            if tokenizer.short_only_for_anchors:
                distinct |= dict.fromkeys(_anchors(tokenizer, word.decode(), size))
            else:
                distinct |= dict.fromkeys(_grams(word, size))
    return distinct


def _anchors(tokenizer: Tokenizer, word: str, size: int) -> Iterator[bytes]:
    if len(word) < size:
        return
    if tokenizer.relative_types & {"word_prefix", "value_prefix"}:
        yield word[:size].encode()
    if tokenizer.relative_types & {"word_suffix", "value_suffix"}:
        yield word[-size:].encode()


_HASH = ord("#")
_PLAIN = Tokenizer(TokenKind.FULLTEXT)
_OCCURRENCES = {
    TokenKind.TOKEN: _single_occurrences,
    TokenKind.BOOL: _single_occurrences,
    TokenKind.NUMBER: _single_occurrences,
    TokenKind.JSON: _single_occurrences,
    TokenKind.FULLTEXT: _word_occurrences,
    TokenKind.SUBSTRING: _gram_occurrences,
    TokenKind.NGRAMS: _gram_occurrences,
    TokenKind.NONE: _single_occurrences,
}


# ---------------------------------------------------------------------------- bytes


@lru_cache(maxsize=1024)
def _header(tokenizer: Tokenizer) -> bytes:
    fields = (
        tokenizer.kind.value,
        str(tokenizer.ngram_min or ""),
        str(tokenizer.ngram_max or ""),
        ",".join(sorted(tokenizer.relative_types)),
        "".join(str(int(flag)) for flag in _flags(tokenizer)),
        tokenizer.language,
        tokenizer.detail,
    )
    return _VERSION + ";".join(fields).rstrip(";").encode()


def _flags(tokenizer: Tokenizer) -> tuple[bool, ...]:
    flags = (
        tokenizer.short_only_for_anchors,
        tokenizer.remove_diacritics,
        tokenizer.concatenated,
    )
    return flags if any(flags) else ()


@lru_cache(maxsize=1024)
def _tokenizer(header: bytes) -> Tokenizer:
    if header[:1] != _VERSION:
        raise OtherTokenList
    kind, *rest = header[1:].decode().split(";")
    padded = (*rest, *("",) * _HEADER_FIELDS)[:_HEADER_FIELDS]
    smallest, largest, types, flags, language, detail = padded
    for_anchors, diacritics, concatenated = (flag == "1" for flag in flags or "000")
    return Tokenizer(
        TokenKind(kind),
        int(smallest or 0),
        int(largest or 0),
        frozenset(types.split(",")) if types else frozenset(),
        for_anchors,
        diacritics,
        language,
        concatenated,
        detail,
    )


def _write_value(value: TokenizedValue) -> bytes:
    words = value.words
    joined = _WORD_END.join(words)
    if len(joined.translate(None, b"".join(_ESCAPED))) != len(joined) - len(words) + 1:
        joined = _WORD_END.join(map(_escaped, words))
    if value.categories or value.text is not None:
        joined += _FIELD_END + value.categories
    if value.text is not None:
        joined += _FIELD_END + _escaped(value.text)
    return joined


def _read_value(data: bytes) -> TokenizedValue:
    joined, mark, rest = data.partition(_FIELD_END)
    words = tuple(joined.split(_WORD_END)) if joined or not mark else ()
    if _ESCAPE in joined:
        words = tuple(map(_unescaped, words))
    if not mark:
        return TokenizedValue(words)
    categories, mark, text = rest.partition(_FIELD_END)
    return TokenizedValue(words, categories, _unescaped(text) if mark else None)


def _escaped(word: bytes) -> bytes:
    if _SPECIAL.isdisjoint(word):
        return word
    for digit, special in enumerate(_ESCAPED):
        word = word.replace(special, _ESCAPE + str(digit).encode())
    return word


def _unescaped(word: bytes) -> bytes:
    if _ESCAPE not in word:
        return word
    for digit, special in reversed(tuple(enumerate(_ESCAPED))):
        word = word.replace(_ESCAPE + str(digit).encode(), special)
    return word
