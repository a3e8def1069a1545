"""Words of scripts that are written without blanks: Chinese, Japanese, Korean, Thai and the like.

A run of such a script is cut by the dictionaries of ICU if the extra "cjk" is installed, and into
its characters otherwise, each with the marks and vowels that belong to it:

    東京旅行    東京  旅行            with the extra
    東京旅行    東  京  旅  行         without

A query is cut in the same way, and what follows without blanks is a phrase. So 旅行 is found in
both cases; 京旅 is found in the second case alone. Spanner has a model of its own, which is near to
the first. Token lists never leave the process that made them, so the two are never mixed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from spanemu.base.deferred import lazy_pattern

# Thai, Lao, Burmese, Khmer, Hangul, kana, bopomofo and Han.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u312f\u3130-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_LIBRARY = "icu4py"
_UNSPACED_CHARACTER = lazy_pattern(f"[{UNSPACED}]")
_INNER_BLANKS = lazy_pattern(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
# Languages in which a blank between two characters separates nothing.
_BLANKS_MEAN_NOTHING = ("zh", "ja", "th", "lo", "my", "km")

Segmenter = Callable[[str], list[str]]


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script without blanks."""
    return _UNSPACED_CHARACTER.match(character) is not None


def segments(run: str) -> list[str]:
    """Return the words of a run of a script without blanks."""
    return segmenter()(run)


def without_inner_blanks(text: str, language: str) -> str:
    """Return a text without the blanks that mean nothing in its language: 旅 行 -> 旅行 in zh."""
    if not language.startswith(_BLANKS_MEAN_NOTHING) or text.isascii():
        return text
    return _INNER_BLANKS.sub("", text)


@cache
def segmenter() -> Segmenter:
    """Return ICU's segmentation if it is installed, and that into characters otherwise."""
    return clusters if find_spec(_LIBRARY) is None else _dictionary_words


def clusters(run: str) -> list[str]:
    """Return the characters of a run, each with the marks and vowels that belong to it."""
    parts: list[str] = []
    for character in run:
        is_part = unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"
        if parts and is_part:
            parts[-1] += character
        else:
            parts.append(character)
    return parts


def _dictionary_words(run: str) -> list[str]:
    return list(_word_breaker()(run, "und"))


@cache
def _word_breaker() -> Any:
    return import_module(f"{_LIBRARY}.breakers").WordBreaker
