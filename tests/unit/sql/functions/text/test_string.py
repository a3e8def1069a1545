"""String functions: documented examples, then edges."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument, ValueTooLarge
from spanemu.values.types import BYTES, INT64, STRING, array_of
from tests.unit.sql.functions.calling import call, result_type, typed

NULL = typed(None, STRING)

CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("BYTE_LENGTH", ("абвгд",), 10),
    ("BYTE_LENGTH", (b"\xff\x00",), 2),
    ("OCTET_LENGTH", ("ascii",), 5),
    ("CHAR_LENGTH", ("абвгд",), 5),
    ("CHARACTER_LENGTH", ("",), 0),
    ("LENGTH", ("абвгд",), 5),
    ("LENGTH", ("абвгд".encode(),), 10),
    ("LENGTH", (NULL,), None),
    ("CODE_POINTS_TO_BYTES", ((65, 98, 67, 100),), b"AbCd"),
    ("CODE_POINTS_TO_STRING", ((65, 255, 513, 1024),), "AÿȁЀ"),
    ("CODE_POINTS_TO_STRING", ((97, 0, 0xF9B5),), "a\0\uf9b5"),
    ("CODE_POINTS_TO_STRING", ((65, 255, None, 1024),), None),
    ("CODE_POINTS_TO_STRING", ((),), ""),
    ("CONCAT", ("T.P.", " ", "Bar"), "T.P. Bar"),
    ("CONCAT", (b"a", b"b"), b"ab"),
    ("CONCAT", ("a", NULL), None),
    ("ENDS_WITH", ("apple", "e"), True),
    ("ENDS_WITH", (b"apple", b"x"), False),
    ("STARTS_WITH", ("bar", "b"), True),
    ("STARTS_WITH", ("bar", ""), True),
    ("FROM_BASE32", ("MFRGGZDF74======",), b"abcde\xff"),
    ("TO_BASE32", (b"abcde\xff",), "MFRGGZDF74======"),
    ("FROM_BASE64", ("/+A=",), b"\xff\xe0"),
    ("FROM_BASE64", ("/+A",), b"\xff\xe0"),
    ("FROM_BASE64", ("",), b""),
    ("FROM_BASE64", (" /+\nA= ",), b"\xff\xe0"),
    ("TO_BASE64", (b"\377\340",), "/+A="),
    ("FROM_HEX", ("00010203aaeeefff",), bytes.fromhex("00010203aaeeefff")),
    ("FROM_HEX", ("0AF",), b"\x00\xaf"),
    ("FROM_HEX", ("",), b""),
    ("TO_HEX", (b"\x00\x01\x02\x03\xaa\xee\xef\xff",), "00010203aaeeefff"),
    ("LOWER", ("FOO BAR BAZ",), "foo bar baz"),
    ("LOWER", (b"AZ\xc0",), b"az\xc0"),
    ("LCASE", ("ÀÉ",), "àé"),
    ("UPPER", ("foo",), "FOO"),
    ("UCASE", (b"a\xe0",), b"A\xe0"),
    ("LPAD", ("c", 5), "    c"),
    ("LPAD", ("b", 5, "a"), "aaaab"),
    ("LPAD", ("abc", 10, "ghd"), "ghdghdgabc"),
    ("LPAD", ("abc", 2, "d"), "ab"),
    ("LPAD", (b"abc", 10, b"ghd"), b"ghdghdgabc"),
    ("LPAD", ("hello world", 7), "hello w"),
    ("LPAD", ("abc", 0), ""),
    ("LPAD", ("例子", 4, "中"), "中中例子"),
    ("RPAD", ("c", 5), "c    "),
    ("RPAD", ("b", 5, "a"), "baaaa"),
    ("RPAD", ("abc", 10, "ghd"), "abcghdghdg"),
    ("RPAD", ("abc", 2, "d"), "ab"),
    ("RPAD", (b"abc", 10, b"ghd"), b"abcghdghdg"),
    ("LTRIM", ("   apple   ",), "apple   "),
    ("LTRIM", ("***apple***", "*"), "apple***"),
    ("LTRIM", ("xxxapplexxx", "xyz"), "applexxx"),
    ("RTRIM", ("***apple***", "*"), "***apple"),
    ("RTRIM", ("applexxz", "xyz"), "apple"),
    ("TRIM", ("   apple   ",), "apple"),
    ("TRIM", ("\u3000\u00a0 apple\u2028",), "apple"),
    ("TRIM", ("\x1capple\x1f",), "\x1capple\x1f"),
    ("TRIM", ("***apple***", "*"), "apple"),
    ("TRIM", ("xzxapplexxy", "xyz"), "apple"),
    ("TRIM", ("abaW\u030a", "Y\u030a"), "abaW"),
    ("TRIM", ("W\u030aaba", "Y\u030a"), "W\u030aaba"),
    ("TRIM", ("abaU\u0304\u030a", "Y\u030a"), "abaU\u0304"),
    ("TRIM", (b"apple", b"na\xab"), b"pple"),
    ("TRIM", ("aba", ""), "aba"),
    ("NORMALIZE", ("\u0065\u0302",), "\u00ea"),
    ("NORMALIZE", ("Raha\u2004Mahan", "NFKC"), "Raha Mahan"),
    ("NORMALIZE", ("\u00ea", "NFD"), "e\u0302"),
    ("NORMALIZE_AND_CASEFOLD", ("The Red Barn",), "the red barn"),
    ("NORMALIZE_AND_CASEFOLD", ("\u2168", "NFKC"), "ix"),
    ("NORMALIZE_AND_CASEFOLD", ("\u0041\u030a", "NFD"), "a\u030a"),
    ("REPEAT", ("abc", 3), "abcabcabc"),
    ("REPEAT", ("abc", 0), ""),
    ("REPEAT", ("", 1 << 40), ""),
    ("REPEAT", (b"ab", 2), b"abab"),
    ("REPEAT", ("abc", typed(None, INT64)), None),
    ("REPLACE", ("cherry pie", "pie", "cobbler"), "cherry cobbler"),
    ("REPLACE", ("abc", "", "x"), "abc"),
    ("REPLACE", (b"aXa", b"a", b""), b"X"),
    ("REVERSE", ("abc",), "cba"),
    ("REVERSE", (b"1a3",), b"3a1"),
    ("SAFE_CONVERT_BYTES_TO_STRING", (b"\xc2",), "\ufffd"),
    ("SAFE_CONVERT_BYTES_TO_STRING", (b"a\xffb",), "a\ufffdb"),
    ("SAFE_CONVERT_BYTES_TO_STRING", (b"\xf0\x9f\x98\xe2\x82\xac",), "\ufffd\ufffd\ufffd\u20ac"),
    ("SOUNDEX", ("Ashcraft",), "A261"),
    ("SOUNDEX", ("Raven",), "R150"),
    ("SOUNDEX", ("Ribbon",), "R150"),
    ("SOUNDEX", ("apple",), "a140"),
    ("SOUNDEX", ("Hello world!",), "H464"),
    ("SOUNDEX", ("Honda",), "H530"),
    ("SOUNDEX", ("中文",), ""),
    ("SOUNDEX", ("",), ""),
    ("SPLIT", ("b c d", " "), ("b", "c", "d")),
    ("SPLIT", ("", " "), ("",)),
    ("SPLIT", ("a,b",), ("a", "b")),
    ("SPLIT", ("añb", ""), ("a", "ñ", "b")),
    ("SPLIT", ("", ""), ("",)),
    ("SPLIT", (b"ab", b""), (b"a", b"b")),
    ("SPLIT", (b"a|b|", b"|"), (b"a", b"b", b"")),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 1, 0), ""),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 1, 2), "www.abc"),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 1, 1), "www"),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", -1, 1), "com"),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 0, 3), "www.abc.xyz"),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 5, 3), ""),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", -5, 3), "www.abc.xyz"),
    ("SPLIT_SUBSTR", ("www.abc.xyz.com", ".", 3), "xyz.com"),
    ("SPLIT_SUBSTR", ("aaa***bbb***ccc", "**", 1, 2), "aaa***bbb"),
    ("SPLIT_SUBSTR", ("aaa***bbb***ccc", "**", 2, 2), "*bbb***ccc"),
    ("STRPOS", ("foo@example.com", "@"), 4),
    ("STRPOS", ("ñandú", "ú"), 5),
    ("STRPOS", ("abc", "x"), 0),
    ("STRPOS", ("abc", ""), 1),
    ("STRPOS", (b"\xc3\xb1a", b"a"), 3),
    ("SUBSTR", ("apple", 2), "pple"),
    ("SUBSTR", ("apple", 2, 2), "pp"),
    ("SUBSTR", ("apple", -2), "le"),
    ("SUBSTR", ("apple", 1, 123), "apple"),
    ("SUBSTR", ("apple", 123), ""),
    ("SUBSTR", ("apple", 123, 5), ""),
    ("SUBSTR", ("apple", 0, 2), "ap"),
    ("SUBSTR", ("apple", -99, 2), "ap"),
    ("SUBSTR", ("apple", -3, 2), "pl"),
    ("SUBSTRING", (b"apple", -2), b"le"),
    ("SUBSTR", ("日本語", 2, 1), "本"),
    ("TO_CODE_POINTS", ("foo",), (102, 111, 111)),
    ("TO_CODE_POINTS", (b"\x00\x01\x10\xff",), (0, 1, 16, 255)),
    ("TO_CODE_POINTS", ("Ā",), (256,)),
    ("TO_CODE_POINTS", ("Ā".encode(),), (196, 128)),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_value(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *arguments) == expected


FAILURES: list[Any] = [
    ("CODE_POINTS_TO_BYTES", ((256,),)),
    ("CODE_POINTS_TO_BYTES", ((-1,),)),
    ("CODE_POINTS_TO_STRING", ((0xD800,),)),
    ("CODE_POINTS_TO_STRING", ((0x110000,),)),
    ("FROM_BASE32", ("MFRGGZDF7",)),
    ("FROM_BASE32", ("é",)),
    ("FROM_BASE64", ("%",)),
    ("FROM_BASE64", ("A",)),
    ("FROM_BASE64", ("é",)),
    ("FROM_HEX", ("0g",)),
    ("FROM_HEX", ("é",)),
    ("LPAD", ("a", -1)),
    ("LPAD", ("a", 3, "")),
    ("LPAD", ("a", 1 << 40)),
    ("RPAD", ("é", 600_000, "é")),
    ("NORMALIZE", ("a", "NFX")),
    ("REPEAT", ("a", -1)),
    ("REPEAT", ("a", 1 << 40)),
    ("REPEAT", ("ab", 600_000)),
    ("REPEAT", ("a" * 1_000, 1 << 40)),
    ("REPLACE", ("a" * 1_000_000, "a", "b" * 1_000_000)),
    ("SPLIT_SUBSTR", ("a", "", 1)),
    ("SPLIT_SUBSTR", ("a", ".", 1, -1)),
    ("SUBSTR", ("a", 1, -1)),
]


@pytest.mark.parametrize(("name", "arguments"), FAILURES)
def test_refused(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises((BadArgument, ValueTooLarge)):
        call(name, *arguments)


def test_replace_limits_its_output() -> None:
    with pytest.raises(ValueTooLarge):
        call("REPLACE", "a" * 1000, "a", "b" * 2000)


def test_result_types_follow_arguments() -> None:
    assert result_type("SUBSTR", b"a", 1) == BYTES
    assert result_type("SPLIT", "a") == array_of(STRING)
    assert result_type("TO_CODE_POINTS", "a") == array_of(INT64)
