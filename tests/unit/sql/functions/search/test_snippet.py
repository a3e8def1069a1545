"""SNIPPET."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search.functions import snippet_json, snippet_value


def _snippets(
    text: str,
    query: str,
    width: int | None = None,
    count: int | None = None,
    kind: str | None = None,
) -> list[dict[str, Any]]:
    value = snippet_value(text, query, None, None, None, width, count, kind)
    assert value is not None
    listed: list[dict[str, Any]] = value["snippets"]
    return listed


def _marked(snippet: dict[str, Any]) -> str:
    """Return the text of a snippet with brackets around its highlights."""
    text = str(snippet["snippet"])
    for each in reversed(snippet["highlights"]):
        begin, end = int(each["begin"]) - 1, int(each["end"]) - 1
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text


def test_the_snippet_of_the_manual() -> None:
    value = snippet_json("Rock albums rock.", "rock")
    assert value is not None
    assert value.text == (
        '{"snippets":[{"highlights":[{"begin":"1","end":"5"},{"begin":"13","end":"17"}],'
        '"snippet":"Rock albums rock.","source_begin":1,"source_end":18}]}'
    )


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("foo", "foo", "[foo]"),
        ("foo bar foo", "foo", "[foo] bar [foo]"),
        ("bar foo", "foo bar", "[bar] [foo]"),
        ("bar foobar foo", "foobar", "bar [foobar] foo"),
        ("a b a", '"a b"', "[a] [b] a"),
        ("a b c", "a -b", "[a] b c"),
        ("Café crème", "CAFÉ", "[Café] crème"),
        ("see #tag now", "tag", "see [#tag] now"),
        ("東京旅行", "旅行", "東京[旅][行]"),
        ("  a \n\t b  ", "b", "a [b]"),
        ("x a y c", "a AROUND(2) c", "x [a] y [c]"),
    ],
)
def test_highlights_are_the_words_that_the_query_names(text: str, query: str, marked: str) -> None:
    assert [_marked(each) for each in _snippets(text, query)] == [marked]


@pytest.mark.parametrize(("text", "query"), [("foo", "bar"), ("", "a"), ("foo", ""), ("foo", "fo")])
def test_a_text_without_the_terms_has_no_snippets(text: str, query: str) -> None:
    assert _snippets(text, query) == []


@pytest.mark.parametrize(
    ("text", "query", "width", "marked"),
    [
        ("foo bar foo", "foo", 7, ["[foo] bar", "[foo]"]),
        ("foo bar foo", "bar", 6, ["[bar]"]),
        ("bar, bar foo", "foo", 7, ["bar [foo]"]),
        ("foo", "foo", 2, []),
        ("one two three four five", "three", 13, ["[three] four"]),
        ("one two three four five", "five", 13, ["four [five]"]),
    ],
)
def test_snippets_are_cut_between_words(
    text: str, query: str, width: int, marked: list[str]
) -> None:
    assert [_marked(each) for each in _snippets(text, query, width)] == marked


def test_snippets_are_three_unless_another_number_is_asked_for() -> None:
    text = "a x x a x x a x x a"
    assert len(_snippets(text, "a", 1)) == 3
    assert len(_snippets(text, "a", 1, 2)) == 2
    assert len(_snippets(text, "a", 1, 9)) == 4


def test_html_is_shown_without_tags_and_found_in_the_source() -> None:
    source = "<p>Tea &amp; <b>cake</b></p>"
    (snippet,) = _snippets(source, "cake tea", kind="TEXT/html")
    assert _marked(snippet) == "[Tea] & [cake]"
    assert (snippet["source_begin"], snippet["source_end"]) == (4, 21)
    assert source[3:20] == "Tea &amp; <b>cake"


def test_null_has_no_snippets_and_options_are_checked() -> None:
    assert snippet_json(None, "a") is None
    assert snippet_json("a", None) is None
    for width, count, name in (
        (0, None, "max_snippet_width"),
        (2**31, None, "max_snippet_width"),
        (None, -1, "max_snippets"),
        (None, 2**31, "max_snippets"),
    ):
        with pytest.raises(InvalidSearch, match=f"out of range value for {name} argument"):
            _snippets("a", "a", width, count)
    with pytest.raises(InvalidSearch, match="'text/markdown' is not a supported content type"):
        _snippets("a", "a", kind="text/markdown")


@given(
    st.text(alphabet="ab <>&;.-\n", max_size=60),
    st.sampled_from(["a", "b a", '"a b"', "a OR b"]),
    st.integers(1, 20),
    st.sampled_from(["text/plain", "text/html"]),
)
def test_highlights_lie_in_their_snippets(text: str, query: str, width: int, kind: str) -> None:
    end = 0
    for snippet in _snippets(text, query, width, 5, kind):
        assert 0 < len(snippet["snippet"]) <= width
        assert end < snippet["source_begin"] <= snippet["source_end"] <= len(text) + 1
        end = snippet["source_begin"]
        assert snippet["highlights"]
        for item in snippet["highlights"]:
            assert 1 <= int(item["begin"]) < int(item["end"]) <= len(snippet["snippet"]) + 1
