from __future__ import annotations

import pytest

from spanemu.base.errors import Unsupported
from spanemu.sql.functions.text.collation import collation_key
from tests.unit.sql.world import ask


def ordered(tag: str, *texts: str) -> list[str]:
    return sorted(texts, key=collation_key(tag))


def test_letters_come_before_case():
    assert ordered("en_us", "b", "B", "AC", "a", "Ab", "aB", "ab", "A") == [
        "a", "A", "ab", "aB", "Ab", "AC", "b", "B",
    ]  # fmt: skip


def test_kinds_of_characters_have_an_order():
    assert ordered("und", "z", "9", "+", "@", " x", "") == ["", " x", "@", "+", "9", "z"]


def test_accents_decide_before_case_and_after_letters():
    assert ordered("en", "é", "e", "E", "f", "É") == ["e", "E", "é", "É", "f"]


def test_expansions():
    assert ordered("de", "ßd", "ssc", "ßb", "ssa") == ["ssa", "ßb", "ssc", "ßd"]


def test_texts_are_equal_without_case():
    key = collation_key("und:ci")
    assert key("Straße") == key("STRASSE")
    assert collation_key("und")("a") != collation_key("und")("A")


@pytest.mark.parametrize("tag", ["binary", "unicode", "unicode:cs"])
def test_binary_and_unicode_order_by_code_point(tag):
    assert ordered(tag, "a", "B") == ["B", "a"]


def test_unicode_without_case_is_the_root_collation():
    assert ordered("unicode:ci", "b", "A", "a", "B") == ["A", "a", "b", "B"]


def test_ignorable_characters_are_skipped():
    texts = ["\u2060orange2", "orange3", "oran\u2060ge1"]
    assert ordered("und", *texts) == ["oran\u2060ge1", "\u2060orange2", "orange3"]


def test_letters_of_a_language():
    assert ordered("cs", "ci", "h", "ch", "cg", "c", "čz", "CH", "i") == [
        "c", "cg", "ci", "čz", "h", "ch", "CH", "i",
    ]  # fmt: skip
    assert ordered("es_MX", "o", "ñ", "nz", "Ñ") == ["nz", "ñ", "Ñ", "o"]


def test_tailored_languages_are_refused():
    with pytest.raises(Unsupported):
        collation_key("sv_se")


def test_in_a_query():
    assert ask("SELECT x FROM UNNEST(['b', 'A', NULL, 'a']) x ORDER BY x COLLATE 'en_US' DESC") == [
        ("b",), ("A",), ("a",), (None,),
    ]  # fmt: skip
