"""Texts cut into words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.search.words import (
    fulltext_words,
    located_words,
    substring_words,
    without_diacritics,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \t\n", []),
        ("?!", []),
        ("The quick brown fox", ["the", "quick", "brown", "fox"]),
        ("Hello DB #World", ["hello", "db", "#world"]),
        ("##a a#b c# #", ["#a", "a", "#b", "c"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("don't a.b=c/d\\e:f_g", ["don", "t", "a", "b", "c", "d", "e", "f", "g"]),
        ("~!@$%^&*()+{}[]|\";<>,?`x", ["x"]),
        ("Prices rose 10 percent in 2024", ["prices", "rose", "10", "percent", "in", "2024"]),
        ("Café CRÈME", ["café", "crème"]),
        ("Cafe\u0301", ["café"]),
        ("“Straße” — ÉTÉ…", ["straße", "été"]),
        ("Привет, мир!", ["привет", "мир"]),
        ("旅行", ["旅", "行"]),
        ("旅 行", ["旅", "行"]),
        ("日本語のABCテスト", ["日", "本", "語", "の", "abc", "テ", "ス", "ト"]),
        ("학교에서", ["학", "교", "에", "서"]),
        ("#旅行 #été", ["旅", "行", "#été"]),
        ("ภาษาไทย", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย"]),
        ("party 🎉 time", ["party", "time"]),
        ("A tout pourquoi il y a", ["a", "tout", "pourquoi", "il", "y", "a"]),
    ],
)  # fmt: skip
def test_full_text_is_cut_at_everything_but_letters_and_digits(text: str, words: list[str]) -> None:
    assert fulltext_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello, World #x", ["hello", "world", "x"]),
        ("旅行 東京", ["旅行", "東京"]),
        ("party🎉 👩‍💻 ok", ["party🎉", "👩‍💻", "ok"]),
        ("Ridg , Roub", ["ridg", "roub"]),
    ],
)
def test_substring_words_keep_emoji_and_runs_of_han(text: str, words: list[str]) -> None:
    assert substring_words(text) == words


def test_diacritics_leave_letters_and_not_vowels() -> None:
    assert without_diacritics("Café Ångström Ёлка") == "Cafe Angstrom Елка"
    assert without_diacritics("が ไม่") == "が ไม่"


@given(st.text())
def test_located_words_are_the_words_of_full_text(text: str) -> None:
    located = list(located_words(text))
    assert [word.text for word in located] == fulltext_words(text)
    assert all(0 <= word.start < word.end <= len(text) for word in located)
    assert all(left.end <= right.start for left, right in pairwise(located))
