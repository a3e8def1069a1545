"""Large texts are read in Python, small ones in C, to the same values and errors."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.rest import json_texts as module
from spanemu.rest.errors import InvalidPayload
from spanemu.rest.json_texts import parsed

TEXTS = [
    b"{}",
    b'{"a":[1,-2.5,1e3,true,false,null,"x"],"b":{"c":[]}}',
    b' [ "a\\u00e9\\n" , "\xc3\xa9" ] ',
    b'{"a":1,"a":2}',
    b"[",
    b'{"a"}',
    b'["a\nb"]',
    b'["',
    b"[NaN]",
    b"[1]x",
    b'["\xff"]',
    b'{"a" 1}',
    b"[1 2]",
    b'{"a":1 "b":2}',
    b"[01]",
    b"[1.]",
    b"[-]",
    b"\t\n[\r\n 1\n,x]",
    '["\u00e9\U0001f600", x]'.encode(),
    b'["\\ud83d\\ude00\\/\\b"]',
    b'["\\x"]',
    b'["' + b"\\u0041" * 50_000 + b'"]',
    b'["' + "\u00e9".encode() * 50_000 + b'"]',
    b" " * 100_000 + b"[1]" + b" " * 100_000,
    b"[" * 100_000,
    b"[" + b"9" * 5_000 + b"]",
]


def outcome(body: bytes) -> Any:
    try:
        return parsed(body)
    except InvalidPayload as error:
        return str(error)


@pytest.mark.parametrize("body", TEXTS, ids=lambda body: repr(body[:20]))
def test_large_texts_are_read_like_small_ones(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    small = outcome(body)
    monkeypatch.setattr(module, "LARGE_BYTES", 0)
    assert outcome(body) == small


def test_the_values_of_a_large_text_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE_BYTES", 0)
    monkeypatch.setattr(module, "VALUES_MAX", 100)
    assert len(parsed(b"[" + b"{}," * 90 + b"{}]")) == 91
    for value in (b"{}", b"[]", b"1", b'""', b"1.5", b"null", b"true"):
        with pytest.raises(InvalidPayload):
            parsed(b"[" + (value + b",") * 100 + value + b"]")


def test_a_long_string_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE_BYTES", 0)
    monkeypatch.setattr(module, "STRING_BYTES_MAX", 200_000)
    assert parsed(b'["' + b"a" * 199_000 + b'"]') == ["a" * 199_000]
    with pytest.raises(InvalidPayload):
        parsed(b'["' + b"a" * 300_000 + b'"]')
