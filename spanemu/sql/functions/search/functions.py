"""The chapter "Search functions".

A search function evaluates by decoding the list and asking the matcher: that is the truth, which a
search index answers from postings. The planner decides where these functions may stand.

`dictionary` is the name of a table in SQL, and the rows of the table here: the analyzer replaces
the name by a subquery, so that the table is read like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import is_
from typing import Any, Generic, TypeVar

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Operation, Overload
from spanemu.sql.functions.search import queries, settings, snippet, tokenizers
from spanemu.sql.functions.search.debug import debug_text
from spanemu.sql.functions.search.enhancement import vocabulary_of
from spanemu.sql.functions.search.matcher import fulfils, matches, occurrences_in
from spanemu.sql.functions.search.tokenizers import TokenizerFunction
from spanemu.values.json import Json
from spanemu.values.token_finder import finder, source_texts
from spanemu.values.token_list import Tokenizer, TokenList, tokenizer_of

T = TypeVar("T")
DictionaryRows = Sequence[tuple[str, Sequence[str | None]]]


def search(tokens: bytes | None, *arguments: Any) -> bool | None:
    """Return `SEARCH(tokens, query, ...)`."""
    return _search("SEARCH", tokens, arguments)


def search_substring(tokens: bytes | None, *arguments: Any) -> bool | None:
    """Return `SEARCH_SUBSTRING(tokens, query, ...)`."""
    return _search("SEARCH_SUBSTRING", tokens, arguments)


def search_ngrams(tokens: bytes | None, *arguments: Any) -> bool | None:
    """Return `SEARCH_NGRAMS(tokens, query, ...)`."""
    return _search("SEARCH_NGRAMS", tokens, arguments)


def _search(name: str, tokens: bytes | None, arguments: Sequence[Any]) -> bool | None:
    if tokens is None:
        return None
    query = _latest_query[name].of(tokenizer_of(tokens), arguments)
    if query is None:
        return None
    if query.has_few_tokens:
        return fulfils(query.tree, finder(tokens))
    return matches(query, TokenList.decode(tokens))


def score(tokens: bytes | None, *arguments: Any) -> float:
    """Return `SCORE(tokens, query, ...)`."""
    if tokens is None:
        return 0.0
    query = _latest_score.of(tokenizer_of(tokens), arguments)
    if query is None:
        return 0.0
    if query.is_open:
        decoded = TokenList.decode(tokens)
        return query.among(vocabulary_of(decoded.postings)).scorer(occurrences_in(decoded))
    return query.scorer(finder(tokens))


class _Latest(Generic[T]):
    """A cache for the latest call, because the calls for all rows of a statement are alike."""

    def __init__(self, prepare: Callable[[Tokenizer, Sequence[Any]], T]) -> None:
        self._prepare = prepare
        self._latest: tuple[Tokenizer, Sequence[Any], T] | None = None

    def of(self, tokenizer: Tokenizer, arguments: Sequence[Any]) -> T:
        """Return the prepared query for lists of a tokenizer and constants."""
        latest = self._latest
        if latest is not None and latest[0] is tokenizer and _is_same(latest[1], arguments):
            return latest[2]
        prepared = self._prepare(tokenizer, arguments)
        self._latest = (tokenizer, arguments, prepared)
        return prepared


def _is_same(some: Sequence[Any], others: Sequence[Any]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


_latest_score = _Latest(queries.score_query)
_latest_query = {
    name: _Latest(partial(queries.search_query, name)) for name in queries.SEARCH_FUNCTIONS
}


def score_ngrams(tokens: bytes | None, *arguments: Any) -> float:
    """Return `SCORE_NGRAMS(tokens, query, ...)`."""
    if tokens is None:
        queries.check_ngram_score_options(*arguments[1:])
        return 0.0
    scorer = _latest_ngram_score.of(tokenizer_of(tokens), arguments)
    return 0.0 if scorer is None else scorer.of_texts(source_texts(tokens))


_latest_ngram_score = _Latest(queries.ngram_score_query)


class _Snippet(NamedTuple):
    """The arguments of SNIPPET."""

    text: str | None
    query: str | None
    language_tag: str | None = None
    enhance_query: bool | None = None
    dictionary: DictionaryRows | None = None
    max_snippet_width: int | None = None
    max_snippets: int | None = None
    content_type: str | None = None


def snippet_value(*arguments: Any) -> dict[str, Any] | None:
    """Return the members of `SNIPPET(text, query, ...)`."""
    given = _Snippet(*arguments)
    language = settings.language(given.language_tag, "SNIPPET")
    is_html = settings.is_html(given.content_type, "SNIPPET")
    width = snippet.limit(given.max_snippet_width, "max_snippet_width", snippet.WIDTH_DEFAULT)
    count = snippet.limit(given.max_snippets, "max_snippets", snippet.COUNT_DEFAULT)
    if given.text is None or given.query is None:
        return None
    tree = queries.fulltext_tree(
        given.query,
        given.dictionary,
        is_enhanced=bool(given.enhance_query),
        language=language,
    )
    return snippet.snippets(given.text, tree, width=width, count=count, is_html=is_html)


def snippet_json(*arguments: Any) -> Json | None:
    """Return `SNIPPET(text, query, ...)`."""
    value = snippet_value(*arguments)
    return None if value is None else Json(value)


def debug_tokenlist(tokens: bytes) -> str:
    """Return `DEBUG_TOKENLIST(tokens)`."""
    return debug_text(TokenList.decode(tokens))


# ---------------------------------------------------------------------------- signatures

_LANGUAGE = ", [*language_tag=>STRING = NULL]"
_CONTENT = ", [*content_type=>STRING = NULL]"
_DIACRITICS = ", [*remove_diacritics=>BOOL = NULL]"
_SIZES = ", [*ngram_size_min=>INT64 = NULL], [*ngram_size_max=>INT64 = NULL]"
_FULLTEXT = f"{_LANGUAGE}{_CONTENT}, [*token_category=>STRING = NULL]{_DIACRITICS}"
_SUBSTRING = (
    f"{_LANGUAGE}{_SIZES}, [*relative_search_types=>ARRAY<STRING> = NULL]{_CONTENT}"
    f", [*short_tokens_only_for_anchors=>BOOL = NULL]{_DIACRITICS}"
    ", [*support_relative_search=>BOOL = NULL]"
)
_ENHANCED = ", [*enhance_query=>BOOL = NULL], [*dictionary=>STRING = NULL]"
_DIALECT = ", [*dialect=>STRING = NULL]"


def _number_options(type_: str) -> str:
    return (
        ", [*comparison_type=>STRING = NULL], [*algorithm=>STRING = NULL]"
        f", [*min=>{type_} = NULL], [*max=>{type_} = NULL], [*granularity=>{type_} = NULL]"
        ", [*tree_base=>INT64 = NULL], [*precision=>INT64 = NULL], [*ieee_precision=>INT64 = NULL]"
    )


def _tokenizer(
    prepare: Any, types: Sequence[str], options: str = "", name: str = "value=>"
) -> list[Overload]:
    """Return the overloads of a tokenizer for some types and for arrays of them."""
    of_value, of_array = TokenizerFunction(prepare), TokenizerFunction(prepare, of_array=True)
    overloads = []
    for type_ in types:
        for value, evaluate in ((type_, of_value), (f"ARRAY<{type_}>", of_array)):
            text = f"({name}{value}{options}) -> TOKENLIST"
            overloads.append(overload(text, evaluate, called=True))
    return overloads


def _query(text: str, evaluate: Any, result: str = "BOOL") -> list[Overload]:
    return [overload(f"(tokens=>TOKENLIST, {text}) -> {result}", evaluate, called=True)]


FUNCTIONS = chapter(
    "search",
    {
        "DEBUG_TOKENLIST": (overload("(TOKENLIST) -> STRING", debug_tokenlist),),
        "SCORE": function(
            _query(
                f"query=>STRING{_DIALECT}{_LANGUAGE}{_ENHANCED}, [*options=>JSON = NULL]",
                score,
                "FLOAT64",
            ),
            operation=Operation.SCORE,
            is_slow=True,
        ),
        "SCORE_NGRAMS": function(
            _query(
                f"ngrams_query=>STRING{_LANGUAGE}, [*algorithm=>STRING = NULL]"
                ", [*array_aggregator=>STRING = NULL]",
                score_ngrams,
                "FLOAT64",
            ),
            operation=Operation.SCORE_NGRAMS,
            is_slow=True,
        ),
        "SEARCH": function(
            _query(f"query=>STRING{_DIALECT}{_LANGUAGE}{_ENHANCED}", search),
            operation=Operation.SEARCH,
            is_slow=True,
        ),
        "SEARCH_NGRAMS": function(
            _query(
                f"ngrams_query=>STRING{_LANGUAGE}, [*min_ngrams=>INT64 = NULL]"
                ", [*min_ngrams_percent=>FLOAT64 = NULL]",
                search_ngrams,
            ),
            operation=Operation.SEARCH_NGRAMS,
            is_slow=True,
        ),
        "SEARCH_SUBSTRING": function(
            _query(
                f"query=>STRING{_LANGUAGE}, [*relative_search_type=>STRING = NULL]",
                search_substring,
            ),
            operation=Operation.SEARCH_SUBSTRING,
            is_slow=True,
        ),
        "SNIPPET": function(
            (
                overload(
                    f"(value=>STRING, query=>STRING{_LANGUAGE}{_ENHANCED}"
                    ", [*max_snippet_width=>INT64 = NULL], [*max_snippets=>INT64 = NULL]"
                    f"{_CONTENT}) -> JSON",
                    snippet_json,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "TOKEN": _tokenizer(tokenizers.exact, ("STRING", "BYTES"), name=""),
        "TOKENIZE_BOOL": _tokenizer(tokenizers.bools, ("BOOL",)),
        "TOKENIZE_FULLTEXT": _tokenizer(tokenizers.fulltext, ("STRING",), _FULLTEXT),
        "TOKENIZE_JSON": (
            overload(
                "(value=>JSON) -> TOKENLIST", TokenizerFunction(tokenizers.documents), called=True
            ),
        ),
        "TOKENIZE_NGRAMS": _tokenizer(tokenizers.ngrams, ("STRING",), f"{_SIZES}{_DIACRITICS}"),
        "TOKENIZE_NUMBER": (
            *_tokenizer(tokenizers.integers, ("INT64",), _number_options("INT64")),
            *_tokenizer(tokenizers.floats, ("FLOAT64",), _number_options("FLOAT64")),
            *_tokenizer(tokenizers.floats, ("FLOAT32",), _number_options("FLOAT32")),
        ),
        "TOKENIZE_SUBSTRING": _tokenizer(tokenizers.substring, ("STRING",), _SUBSTRING),
        "TOKENLIST_CONCAT": (
            overload("(tokens=>ARRAY<TOKENLIST>) -> TOKENLIST", tokenizers.concat, called=True),
        ),
    },
    safe_allowed=False,
)
