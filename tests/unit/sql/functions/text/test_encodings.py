"""Normalization of long texts: the same result, and runs of marks in less than quadratic time."""

from __future__ import annotations

import random
import unicodedata

import pytest

from spanemu.sql.functions.text.encodings import normalized

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
ALPHABET = "ab\u00e9\u0301\u0327\u0323\u1100\u1161\u11a8\uac00\ufdfa\u09c7\u09be\u0344\u1e69\u2126"


@pytest.mark.parametrize("form", FORMS)
def test_a_long_text_is_normalized_as_a_whole(form):
    chance = random.Random(1)
    for length in (300, 1_500, 5_000):
        text = "".join(chance.choices(ALPHABET, k=length))
        assert normalized(form, text) == unicodedata.normalize(form, text)


@pytest.mark.parametrize("form", FORMS)
def test_a_long_run_of_marks_is_put_into_canonical_order(form):
    text = "e" + "\u0301\u0327\u0344" * 400 + "x\u0301" + "\u0327" * 300
    assert normalized(form, text) == unicodedata.normalize(form, text)


def test_a_run_of_a_hundred_thousand_marks_is_normalized():
    text = normalized("NFD", "a" + "\u0301\u0327" * 50_000)
    assert text == "a" + "\u0327" * 50_000 + "\u0301" * 50_000
