"""Words of scripts that are written without blanks."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.search import queries, segmentation
from spanemu.sql.functions.search.words import fulltext_words
from tests.unit.sql.functions.search.lists import fulltext, searches


@pytest.fixture
def _dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the words of ICU, as with the extra."""
    pytest.importorskip("icu4py")
    queries._kept_query.cache_clear()
    monkeypatch.setattr(segmentation, "segmenter", lambda: segmentation._dictionary_words)


def test_characters_keep_their_marks_and_vowels() -> None:
    assert segmentation.clusters("ไม้") == ["ไ", "ม้"]
    assert segmentation.clusters("\u1112\u1161\u11ab") == ["\u1112\u1161\u11ab"]
    assert segmentation.clusters("") == []


def test_a_word_of_several_characters_is_a_phrase() -> None:
    tokens = fulltext("東京旅行に行きました")
    assert searches(tokens, "旅行")
    assert searches(tokens, "東京 行き")
    assert not searches(tokens, "行旅")
    assert searches(tokens, "旅行", "words")


@pytest.mark.parametrize("language", ["zh", "ZH-Hans", "ja"])
def test_blanks_between_characters_mean_nothing_in_some_languages(language: str) -> None:
    tokens = fulltext("旅 行 a b", language_tag=language)
    assert searches(tokens, "旅行")
    assert searches(tokens, "旅 行", None, language)
    assert searches(tokens, "a b")
    assert segmentation.without_inner_blanks("旅 行 a b", "") == "旅 行 a b"
    assert segmentation.without_inner_blanks("旅 行 a b", "zh") == "旅行 a b"


@pytest.mark.usefixtures("_dictionaries")
def test_dictionaries_segment_text_into_words() -> None:
    assert fulltext_words("東京旅行") == ["東京", "旅行"]
    assert fulltext_words("我喜欢全文搜索 ok") == ["我", "喜欢", "全文", "搜索", "ok"]
    tokens = fulltext("東京旅行に行きました")
    assert searches(tokens, "旅行")
    assert not searches(tokens, "京旅")
    assert fulltext_words("旅 行") == ["旅", "行"]
    assert searches(fulltext("旅 行", language_tag="zh"), "旅行")
