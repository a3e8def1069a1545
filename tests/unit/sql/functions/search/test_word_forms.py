"""Other forms of a word, with and without the extra "stems"."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spanemu.sql.functions.search import word_forms
from spanemu.sql.functions.search.word_forms import forms


@pytest.fixture(params=["with", "without"])
def _stems(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run with the extra, and without it."""
    if request.param == "with":
        pytest.importorskip("snowballstemmer")
    else:
        monkeypatch.setattr(word_forms, "_stemmer", lambda _: None)
    forms.cache_clear()
    yield
    forms.cache_clear()


@pytest.mark.usefixtures("_stems")
@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("album", "albums"),
        ("albums", "album"),
        ("classic", "classical"),
        ("running", "run"),
        ("run", "running"),
        ("story", "stories"),
        ("stories", "story"),
        ("box", "boxes"),
    ],
)
def test_regular_forms_are_known(word: str, form: str) -> None:
    assert form in forms(word)
    assert word not in forms(word)


@pytest.mark.usefixtures("_stems")
@pytest.mark.parametrize("word", ["", "42", "a1", "a"])
def test_other_words_have_no_forms(word: str) -> None:
    assert forms(word) == ()


def test_forms_have_the_stem_of_the_word() -> None:
    pytest.importorskip("snowballstemmer")
    assert "care" not in forms("car")
    assert "hauses" in forms("haus", "de-DE")
    assert "maisons" in forms("maison", "fr")
    assert forms("maison", "xx") == ()
    assert "smörgåsarna" not in forms("haus", "sv")
