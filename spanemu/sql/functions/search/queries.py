"""Calls of search functions as prepared queries.

A search function has one token list and constants after it. `search_query` prepares the constants
for lists of one tokenizer, once for many lists:

    search_query("SEARCH", tokenizer, ("big car", None, "en"))      arguments in the order of the
                                                                    signature, omitted ones at the
                                                                    end left out
    None                                                            the query is NULL: no list
                                                                    matches, nor fails to

`score_query` and `ngram_score_query` do the same for SCORE and SCORE_NGRAMS. All raise
InvalidSearch for what Spanner refuses, and keep what they have prepared. Open queries, which are
enhanced, are resolved for the tokens that they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search import settings
from spanemu.sql.functions.search.enhancement import (
    Dictionary,
    Vocabulary,
    dictionary_of,
    expander,
    resolved,
)
from spanemu.sql.functions.search.ngram_score import (
    NgramScorer,
    check_algorithm,
    ngram_scorer,
    takes_elements,
)
from spanemu.sql.functions.search.query_tree import Node, SearchQuery, tokens_of
from spanemu.sql.functions.search.rquery import parse_rquery, parse_words, parse_words_phrase
from spanemu.sql.functions.search.score import ScoreOptions, Scorer, options_of, scorer
from spanemu.sql.functions.search.segmentation import without_inner_blanks
from spanemu.sql.functions.search.substring import ngrams_query, substring_query
from spanemu.sql.functions.search.words import without_diacritics
from spanemu.values.json import Document
from spanemu.values.token_list import Tokenizer, TokenKind

SEARCH_FUNCTIONS = ("SEARCH", "SEARCH_SUBSTRING", "SEARCH_NGRAMS")

_RQUERY, _WORDS, _WORDS_PHRASE = "rquery", "words", "words_phrase"
_KEPT = 512
_FEW = 8  # tokens that are searched for in less time than a list is decoded
# Places of arguments behind the list in SEARCH and SCORE.
_DICTIONARY = 4
_OPTIONS = 5
# The kinds of lists that a function accepts, and the tokenizers that make them.
_ACCEPTED = {
    "SEARCH": ({TokenKind.FULLTEXT}, "TOKENIZE_FULLTEXT"),
    "SCORE": ({TokenKind.FULLTEXT}, "TOKENIZE_FULLTEXT"),
    "SEARCH_SUBSTRING": ({TokenKind.SUBSTRING}, "TOKENIZE_SUBSTRING"),
    "SEARCH_NGRAMS": (
        {TokenKind.SUBSTRING, TokenKind.NGRAMS},
        "TOKENIZE_SUBSTRING or TOKENIZE_NGRAMS",
    ),
    "SCORE_NGRAMS": (
        {TokenKind.SUBSTRING, TokenKind.NGRAMS},
        "TOKENIZE_SUBSTRING or TOKENIZE_NGRAMS",
    ),
}


def search_query(
    function: str, tokenizer: Tokenizer, arguments: Sequence[Any]
) -> SearchQuery | None:
    """Return the query of a call of one of `SEARCH_FUNCTIONS`."""
    check_tokenizer(function, tokenizer)
    if len(arguments) > _DICTIONARY and function == "SEARCH":
        *others, rows = arguments
        return _kept_query(function, tokenizer, (*others, dictionary_of(rows)))
    return _kept_query(function, tokenizer, tuple(arguments))


@lru_cache(maxsize=_KEPT)
def _kept_query(
    function: str, tokenizer: Tokenizer, arguments: tuple[Any, ...]
) -> SearchQuery | None:
    return _PREPARED[function](tokenizer, *arguments)


class ScoreQuery(NamedTuple):
    """A call of SCORE: a tree, and the function from a list's occurrences to its score for it."""

    tree: Node
    scorer: Scorer
    options: ScoreOptions
    is_open: bool

    def among(self, vocabulary: Vocabulary) -> ScoreQuery:
        """Return the call for lists whose tokens are in a vocabulary."""
        if not self.is_open:
            return self
        tree = resolved(self.tree, vocabulary)
        return ScoreQuery(tree, scorer(tree, self.options), self.options, is_open=False)


def score_query(tokenizer: Tokenizer, arguments: Sequence[Any]) -> ScoreQuery | None:
    """Return a call of SCORE; None for a NULL query."""
    check_tokenizer("SCORE", tokenizer)
    searched, options = arguments[:_OPTIONS], None
    if len(arguments) > _OPTIONS:
        options = arguments[_OPTIONS]
    chosen = _kept_options(options) if isinstance(options, Document) else ScoreOptions()
    query = search_query("SEARCH", tokenizer, searched)
    if query is None:
        return None
    return ScoreQuery(query.tree, scorer(query.tree, chosen), chosen, query.is_open)


@lru_cache(maxsize=_KEPT)
def _kept_options(document: Document) -> ScoreOptions:
    return options_of(document.value)


def ngram_score_query(tokenizer: Tokenizer, arguments: Sequence[Any]) -> NgramScorer | None:
    """Return a call of SCORE_NGRAMS; None for a NULL query."""
    query, *options = arguments
    by_element = check_ngram_score_options(*options)
    if query is None:
        return None
    check_tokenizer("SCORE_NGRAMS", tokenizer)
    text = without_diacritics(query) if tokenizer.remove_diacritics else query
    return ngram_scorer(text, by_element=by_element)


def check_ngram_score_options(
    language_tag: str | None = None,
    algorithm: str | None = None,
    array_aggregator: str | None = None,
) -> bool:
    """Check the options of SCORE_NGRAMS; return whether it scores elements of arrays."""
    settings.language(language_tag, "SCORE_NGRAMS")
    check_algorithm(algorithm)
    return takes_elements(array_aggregator)


def fulltext_tree(
    text: str, rows: Any = None, *, is_enhanced: bool = False, language: str = ""
) -> Node:
    """Return the tree of an rquery; `rows` are those of a dictionary table."""
    text = without_inner_blanks(text, language)
    expand = expander(dictionary_of(rows), is_enhanced=is_enhanced, language=language)
    return parse_rquery(text, expand)


def check_tokenizer(function: str, tokenizer: Tokenizer) -> None:
    """Raise InvalidSearch if a search or score function does not accept lists of a tokenizer."""
    kinds, makers = _ACCEPTED[function]
    if tokenizer.kind not in kinds and tokenizer.kind is not TokenKind.NONE:
        raise InvalidSearch(
            f"{function} function's first argument must be a TOKENLIST column generated by {makers}"
        )
    if function == "SCORE_NGRAMS" and tokenizer.concatenated:
        raise InvalidSearch(
            "SCORE_NGRAMS function's first argument must not be generated by TOKENLIST_CONCAT"
        )


class _Given(NamedTuple):
    """The constants of SEARCH behind the token list."""

    text: str | None
    dialect: str | None = None
    language_tag: str | None = None
    enhance_query: bool | None = None
    dictionary: Dictionary | None = None


def _fulltext(tokenizer: Tokenizer, *arguments: Any) -> SearchQuery | None:
    given = _Given(*arguments)
    dialect = _RQUERY if given.dialect is None else given.dialect.lower()
    language = settings.language(given.language_tag, "SEARCH")
    if dialect not in (_RQUERY, _WORDS, _WORDS_PHRASE):
        raise InvalidSearch(
            f"Invalid use of SEARCH: dialect. '{given.dialect}' is not a supported dialect."
            f" Supported options:[{_RQUERY}, {_WORDS}, {_WORDS_PHRASE}]"
        )
    if given.dictionary is not None and dialect != _RQUERY:
        raise InvalidSearch(
            f"Invalid use of SEARCH: dictionary. Custom dictionaries require the dialect {_RQUERY}"
        )
    if given.text is None:
        return None
    text = without_inner_blanks(given.text, language)
    tree = _tree(tokenizer, text, dialect, given)
    is_open = bool(given.enhance_query)
    has_few_tokens = not is_open and len(tokens_of(tree)) <= _FEW
    return SearchQuery(tree, has_few_tokens=has_few_tokens, is_open=is_open)


def _tree(tokenizer: Tokenizer, text: str, dialect: str, given: _Given) -> Node:
    if tokenizer.remove_diacritics:
        text = without_diacritics(text)
    if dialect == _WORDS_PHRASE:
        return parse_words_phrase(text)
    strips = tokenizer.remove_diacritics
    is_enhanced = bool(given.enhance_query)
    language = settings.language(given.language_tag, "SEARCH") or tokenizer.language
    expand = expander(given.dictionary, is_enhanced=is_enhanced, strips=strips, language=language)
    return parse_words(text, expand) if dialect == _WORDS else parse_rquery(text, expand)


def _substring(
    tokenizer: Tokenizer,
    text: str | None,
    language_tag: str | None = None,
    relative_search_type: str | None = None,
) -> SearchQuery | None:
    settings.language(language_tag, "SEARCH_SUBSTRING")
    if relative_search_type is not None:
        settings.relative_type(relative_search_type)
    return None if text is None else substring_query(tokenizer, text, relative_search_type)


def _ngrams(
    tokenizer: Tokenizer,
    text: str | None,
    language_tag: str | None = None,
    min_ngrams: int | None = None,
    min_ngrams_percent: float | None = None,
) -> SearchQuery | None:
    settings.language(language_tag, "SEARCH_NGRAMS")
    query = ngrams_query(tokenizer, text or "", min_ngrams, min_ngrams_percent)
    return None if text is None else query


_PREPARED: Mapping[str, Callable[..., SearchQuery | None]] = {
    "SEARCH": _fulltext,
    "SEARCH_SUBSTRING": _substring,
    "SEARCH_NGRAMS": _ngrams,
}
