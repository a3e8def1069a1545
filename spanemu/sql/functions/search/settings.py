"""The options of search functions: checked once, with Spanner's sentences where they are known.

A text option may be written in any letter case. NULL is the default, and so is an empty language.
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.deferred import lazy_pattern
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.values.token_list import Category

NGRAM_SIZE_MAX = 12
RELATIVE_TYPES = ("phrase", "value_prefix", "value_suffix", "word_prefix", "word_suffix")
PLAIN = "text/plain"
HTML = "text/html"

_CATEGORIES = {category.name.lower(): category for category in Category}
_LANGUAGE = lazy_pattern(r"[A-Za-z]{1,8}([-_][A-Za-z0-9]{1,8})*")


def language(tag: str | None, function: str) -> str:
    """Return a language tag in lower case."""
    if not tag:
        return ""
    if len(tag) > 255 or not _LANGUAGE.fullmatch(tag):
        raise InvalidSearch(f"Invalid use of {function}: language_tag. '{tag}' is no language tag")
    return tag.lower().replace("_", "-")


def is_html(content_type: str | None, function: str) -> bool:
    """Return whether a content type is HTML's."""
    chosen = PLAIN if content_type is None else content_type.lower()
    if chosen not in (PLAIN, HTML):
        raise InvalidSearch(
            f"Invalid use of {function}: content_type. '{content_type}' is not a supported content"
            f" type. Supported options:[{HTML}, {PLAIN}]"
        )
    return chosen == HTML


def category(name: str | None) -> Category | None:
    """Return the token category of a name."""
    if name is None:
        return None
    if (known := _CATEGORIES.get(name.lower())) is None:
        raise InvalidSearch(
            f"Invalid use of TOKENIZE_FULLTEXT: token_category. '{name}' is not a supported token"
            f" category. Supported options:[{', '.join(_CATEGORIES)}]"
        )
    return known


def ngram_sizes(smallest: int | None, largest: int | None) -> tuple[int, int]:
    """Return the sizes of the n-grams of a list."""
    smallest = 1 if smallest is None else smallest
    largest = 4 if largest is None else largest
    for name, size in (("ngram_size_max", largest), ("ngram_size_min", smallest)):
        if size < 1:
            raise InvalidSearch(f"{name} must be greater than 0.")
    if smallest > largest:
        raise InvalidSearch("ngram_size_min cannot be greater than ngram_size_max.")
    if largest > NGRAM_SIZE_MAX:
        raise InvalidSearch(f"ngram_size_max cannot be greater than {NGRAM_SIZE_MAX}.")
    return smallest, largest


def relative_type(name: str) -> str:
    """Return a relative search type in lower case."""
    if name.lower() not in RELATIVE_TYPES:
        raise InvalidSearch(f"Invalid relative_search_type: '{name}'.")
    return name.lower()


def relative_types(names: Iterable[str | None] | None, older: bool | None) -> frozenset[str]:
    """Return the relative search types of a list; `older` is the flag for all of them."""
    if names is not None and older is not None:
        raise InvalidSearch(
            "TOKENIZE_SUBSTRING: only one of 'support_relative_search' and 'relative_search_types'"
            " can be specified."
        )
    if older:
        return frozenset(RELATIVE_TYPES)
    chosen = [name for name in names or () if name is not None]
    if any(name.lower() == "all" for name in chosen):
        return frozenset(RELATIVE_TYPES)
    return frozenset(relative_type(name) for name in chosen)
