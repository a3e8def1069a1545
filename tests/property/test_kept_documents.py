"""A document that is kept as text equals the document that is parsed at once, or both are errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spanemu.values import json, pg_jsonb
from spanemu.values.json import JSON_NESTING_MAX
from spanemu.values.types import BadValue

BLANKS = st.sampled_from(["", "", " ", "\n", "\t "])
DIGITS = st.text("0123456789", min_size=1, max_size=18)
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}.{}".format, st.integers(-(10**4), 10**4), DIGITS),
    st.builds("{}e{}".format, DIGITS, st.integers(-30, 30)),
    st.sampled_from(["-0", "-0.0", "0.1", "1.50", "1E2", "NaN", "-Infinity", "01", "1.", "9" * 18]),
)
STRINGS = st.one_of(
    st.sampled_from(['"a"', '"b"', '"1e5"', '" , "', '"é"', '"2"', '""', '"123456789012345678"']),
    st.sampled_from([r'"\u0061"', r'"\ud800"', r'"\ud83d\ude00"', r'"\/"', r'"\n"', r'"\u0000"']),
    st.sampled_from(['"\n"', '"\ud800"', '"', "a"]),
    st.text(st.characters(exclude_characters='"\\', exclude_categories=["C"]), max_size=4).map(
        '"{}"'.format
    ),
)
KEYS = st.sampled_from(['"a"', '"b"', '"aa"', '"é"', '"B"', r'"\u0062"'])


def listed(items: list[str], blank: str) -> str:
    return f"[{blank}" + f"{blank},".join(items) + "]"


def members(pairs: list[tuple[str, str]], blank: str) -> str:
    return "{" + f",{blank}".join(f"{key}{blank}:{blank}{value}" for key, value in pairs) + "}"


TEXTS = st.recursive(
    st.one_of(NUMBERS, STRINGS, st.sampled_from(["true", "null", "nul", ""])),
    lambda inside: st.one_of(
        st.builds(listed, st.lists(inside, max_size=4), BLANKS),
        st.builds(members, st.lists(st.tuples(KEYS, inside), max_size=4), BLANKS),
    ),
    max_leaves=10,
)


def outcome(parse: Callable[[str], Any], text: str, first: str) -> Any:
    """Return the text and the value of a document, of which `first` is read first, or its error."""
    try:
        document = parse(text)
    except BadValue as refused:
        return str(refused)
    getattr(document, first)
    return document.text, repr(document.value), document.text, hash(document)


@given(TEXTS, st.sampled_from(["text", "value"]))
@example('{"a":1,"a":1.5}', "text")
@example("[" * (JSON_NESTING_MAX + 1) + "]" * (JSON_NESTING_MAX + 1), "text")
def test_documents_kept_as_text_are_those_that_are_parsed(text: str, first: str) -> None:
    def parse(text: str) -> Any:
        return json.parse(text, wide_number_mode="kept")

    assert outcome(json.read, text, first) == outcome(parse, text, first)
    assert outcome(pg_jsonb.read, text, first) == outcome(pg_jsonb.parse, text, first)


@given(TEXTS)
def test_the_canonical_text_is_no_longer_than_its_bound(text: str) -> None:
    for read in (json.read, pg_jsonb.read):
        try:
            document: Any = read(text)
        except BadValue:
            continue
        bound = document.chars_max
        assert len(document.text) <= bound
        assert document.chars_max == len(document.text)


def test_a_document_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        json.read("{}").size_parts  # type: ignore[attr-defined]  # noqa: B018
