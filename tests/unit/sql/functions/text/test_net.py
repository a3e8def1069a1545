"""Net functions, by the documented examples."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from spanemu.base.errors import ExtraMissing
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.text import net
from tests.unit.sql.functions.calling import call

LOOPBACK = b"\x00" * 15 + b"\x01"
MAPPED = b"\x00" * 10 + b"\xff\xff\xc0\x00\x02\x80"


@pytest.mark.parametrize(
    ("url", "host", "suffix", "domain"),
    [
        ("", None, None, None),
        ("http://abc.xyz", "abc.xyz", "xyz", "abc.xyz"),
        ("//user:password@a.b:80/path?query", "a.b", None, None),
        ("https://[::1]:80", "[::1]", None, None),
        ("http://例子.卷筒纸.中国", "例子.卷筒纸.中国", "中国", "卷筒纸.中国"),
        ("    www.Example.Co.UK    ", "www.Example.Co.UK", "Co.UK", "Example.Co.UK"),
        ("mailto:?to=&subject=&body=", "mailto", None, None),
        ("mailto:foo@bar.com", "bar.com", "com", "bar.com"),
        ("foo.us.com", "foo.us.com", "com", "us.com"),
        ("a..com", "a..com", None, None),
        ("..a.com..", "a.com.", "com.", "a.com."),
        ("http://a@b@c.com:1#x@y", "c.com", "com", "c.com"),
        ("foo.ck", "foo.ck", "foo.ck", None),
        ("a.foo.ck", "a.foo.ck", "foo.ck", "a.foo.ck"),
        ("x.www.ck", "x.www.ck", "ck", "www.ck"),
        ("com", "com", "com", None),
        ("http://[::1", "[::1", None, None),
        ("http:\\\\a.org\\b", "a.org", "org", "a.org"),
        ("://", None, None, None),
    ],
)
def test_hosts(url: str, host: str | None, suffix: str | None, domain: str | None) -> None:
    assert call("NET.HOST", url) == host
    if find_spec(net._PACKAGE) is None:
        pytest.skip("the public suffix list is not installed")
    assert call("NET.PUBLIC_SUFFIX", url) == suffix
    assert call("NET.REG_DOMAIN", url) == domain


def test_without_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    net._suffix_rules.cache_clear()
    monkeypatch.setattr(net, "_PACKAGE", "no_such_package")
    with pytest.raises(ExtraMissing):
        call("NET.PUBLIC_SUFFIX", "a.com")
    net._suffix_rules.cache_clear()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("48.49.50.51", b"0123"),
        ("::1", LOOPBACK),
        ("3031:3233:3435:3637:3839:4041:4243:4445", b"0123456789@ABCDE"),
        ("::ffff:192.0.2.128", MAPPED),
    ],
)
def test_addresses(text: str, address: bytes) -> None:
    assert call("NET.IP_FROM_STRING", text) == address
    assert call("NET.SAFE_IP_FROM_STRING", text) == address
    assert call("NET.IP_TO_STRING", address) == text


@pytest.mark.parametrize("text", ["", "48.49.50.51/32", "48.49.50", "::wxyz", "1.2.3.4\x00", "é"])
def test_bad_addresses(text: str) -> None:
    assert call("NET.SAFE_IP_FROM_STRING", text) is None
    with pytest.raises(BadArgument):
        call("NET.IP_FROM_STRING", text)


@pytest.mark.parametrize(
    ("size", "prefix", "mask"),
    [
        (4, 0, "00000000"),
        (4, 20, "fffff000"),
        (4, 32, "ffffffff"),
        (16, 0, "00" * 16),
        (16, 1, "80" + "00" * 15),
        (16, 128, "ff" * 16),
    ],
)
def test_masks(size: int, prefix: int, mask: str) -> None:
    assert call("NET.IP_NET_MASK", size, prefix) == bytes.fromhex(mask)


@pytest.mark.parametrize(
    ("address", "prefix", "expected"),
    [
        (b"\xaa\xbb\xcc\xdd", 0, b"\x00\x00\x00\x00"),
        (b"\xaa\xbb\xcc\xdd", 11, b"\xaa\xa0\x00\x00"),
        (b"\xaa\xbb\xcc\xdd", 32, b"\xaa\xbb\xcc\xdd"),
        (b"0123456789@ABCDE", 80, b"0123456789\x00\x00\x00\x00\x00\x00"),
    ],
)
def test_truncation(address: bytes, prefix: int, expected: bytes) -> None:
    assert call("NET.IP_TRUNC", address, prefix) == expected


@pytest.mark.parametrize(
    ("number", "address"),
    [
        (0, "00000000"),
        (0xABCDEF, "00abcdef"),
        (-1, "ffffffff"),
        (-2, "fffffffe"),
        (0x1FF, "000001ff"),
    ],
)
def test_integers(number: int, address: str) -> None:
    assert call("NET.IPV4_FROM_INT64", number) == bytes.fromhex(address)
    assert call("NET.IPV4_TO_INT64", bytes.fromhex(address)) == number & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("NET.IP_TO_STRING", (b"123",)),
        ("NET.IP_NET_MASK", (5, 0)),
        ("NET.IP_NET_MASK", (4, 33)),
        ("NET.IP_NET_MASK", (4, -1)),
        ("NET.IP_TRUNC", (b"123", 0)),
        ("NET.IP_TRUNC", (b"1234", 33)),
        ("NET.IPV4_FROM_INT64", (2**32,)),
        ("NET.IPV4_FROM_INT64", (-(2**31) - 1,)),
        ("NET.IPV4_TO_INT64", (LOOPBACK,)),
    ],
)
def test_failures(name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(BadArgument):
        call(name, *arguments)
