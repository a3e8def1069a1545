"""The tokens that a list has if its column fulfils a condition."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search.implied import (
    fixed_texts,
    tokens_of_document,
    tokens_of_key,
    tokens_of_path,
    tokens_of_texts,
    tokens_of_value,
)
from spanemu.values import json
from spanemu.values.token_list import Tokenizer, TokenKind

DOCUMENTS = Tokenizer(TokenKind.JSON)
NGRAMS = Tokenizer(TokenKind.NGRAMS, 2, 3)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("apple", ["apple"]),
        ("a.pple", ["a", "pple"]),
        ("(good|great)[ ]+morning", ["morning"]),
        ("^rock(ing)? chairs?$", ["rock", " chair"]),
        ("ab*c+d{2}e??f", ["a", "c", "f"]),
        (r"1\.5\*x\d", ["1.5*x"]),
        ("[]a]b[^]]c[[:alpha:]]d", ["b", "c", "d"]),
        ("(?:ab)c(?P<n>d)e", ["c", "e"]),
        ("(a|b)", []),
        ("a|b", []),
        ("(?i)abc", []),
        (r"\Qa.b\E", []),
        (r"\x41b", []),
        (r"\p{Greek}b", []),
        ("a[b", []),
        ("a(b", ["a"]),
    ],
)
def test_fixed_texts_of_regular_expressions(pattern: str, texts: list[str]) -> None:
    assert [text for text in fixed_texts(Operation.REGEXP_CONTAINS, pattern) if text] == texts


def test_fixed_texts_of_other_patterns() -> None:
    assert fixed_texts(Operation.LIKE, r"a%b_c\%") == ["a", "b", "c%"]
    assert fixed_texts(Operation.STARTS_WITH, "a%") == ("a%",)


def test_ngrams_of_texts_are_those_of_the_lower_case() -> None:
    assert tokens_of_texts(NGRAMS, ["ROCK", "x"]) == [b"roc", b"ock"]
    assert tokens_of_texts(Tokenizer(TokenKind.TOKEN), ["rock"]) == ()


def test_values_have_one_token_or_two() -> None:
    assert tokens_of_value(Tokenizer(TokenKind.TOKEN), "a") == (b"a",)
    assert tokens_of_value(Tokenizer(TokenKind.NUMBER), 0.0) == (b"==0.0", b"==-0.0")
    assert tokens_of_value(Tokenizer(TokenKind.TOKEN), None) is None


def test_parts_of_documents_have_paths() -> None:
    assert tokens_of_path(DOCUMENTS, ("a", "b")) == [b'$."a"."b"']
    assert tokens_of_path(DOCUMENTS, ()) == ()
    assert tokens_of_path(DOCUMENTS, ("a", None)) is None
    assert tokens_of_path(DOCUMENTS, None) is None
    document = json.parse('{"c": 1}')
    assert tokens_of_document(DOCUMENTS, document, ("a",)) == [
        b'$."a"', b'$."a"."c"', b'$."a"."c"=1',
    ]  # fmt: skip
    assert tokens_of_document(DOCUMENTS, document, (None,)) is None
    assert tokens_of_document(DOCUMENTS, None, ()) == ()
    assert tokens_of_key(DOCUMENTS, "k", ("a",)) == (b'$."a"."k"', b'$."a"="k"')
