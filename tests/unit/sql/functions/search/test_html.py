"""HTML as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.search.html import pieces, sections
from tests.unit.sql.functions.search.lists import fulltext


def _words(source: str) -> list[bytes]:
    return [
        word for value in fulltext(source, content_type="text/html").values for word in value.words
    ]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("The <b>apple</b> is <i>red</i>", "the apple is red"),
        ("<b>bold</b> tea &amp; cake", "bold tea cake"),
        ("a<br>b", "a b"),
        ("&lt;b&gt; x&#233;y &eacute;t&#xe9;", "b xéy été"),
        ("a <!-- hidden --> b <!-- open", "a b"),
        ("<script>var x = '<b>';</script>y<style>p{}</style>", "y"),
        ("<script>never closed", ""),
        ("<p title=\"a > b\" class='c>d'>e</p>", "e"),
        ("1 < 2 and 3 > 2", "1 2 and 3 2"),
        ("<!DOCTYPE html><html>x</html>", "x"),
        ("AT&T &unknown; <", "at t unknown"),
        ("<a", "a"),
    ],
)
def test_tags_make_no_words_and_entities_are_decoded(source: str, words: str) -> None:
    assert b" ".join(_words(source)).decode() == words


def test_headings_and_bold_text_have_higher_categories() -> None:
    source = "<title>t</title><h1>large</h1>small<b>medium<h1>x</h1></b>small</b></h1>"
    assert [(text, int(category)) for text, category in sections(source)] == [
        ("t", 3), ("large", 2), ("small", 0), ("medium", 1), ("x", 2), ("small", 0),
    ]  # fmt: skip


@given(st.text(alphabet="<>/ab\"'&;!-# x", max_size=60))
def test_pieces_cover_the_source_in_order(source: str) -> None:
    at = 0
    for piece in pieces(source):
        assert at <= piece.start < piece.end <= len(source)
        at = piece.end
