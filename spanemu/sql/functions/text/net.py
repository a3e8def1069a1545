"""Internet addresses and names, by the chapter "Net functions".

A binary address is 4 or 16 bytes in network order. The parser of URLs is lenient: many texts that
RFC 3986 does not allow still have a host. Public suffixes come from the package `tldextract`,
which the extra `functions` requires.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton

from spanemu.base.errors import ExtraMissing
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import chapter, overload

_PACKAGE = "tldextract"
_FILE = ".tld_set_snapshot"
_ICANN_END = "// ===END ICANN DOMAINS==="


def suffix_labels(labels: tuple[str, ...]) -> int:
    """Return the number of last labels that make up the public suffix; 0 if no rule matches.

    Labels are in lower case, labels beyond ASCII in Punycode.
    """
    rules = _suffix_rules()
    for start in range(len(labels)):
        name = ".".join(labels[start:])
        if f"!{name}" in rules:
            return len(labels) - start - 1
        if name in rules or f"*.{'.'.join(labels[start + 1 :])}" in rules:
            return len(labels) - start
    return 0


def punycode(label: str) -> str | None:
    """Return a label as DNS spells it; None if DNS cannot spell it."""
    lowered = label.lower()
    if lowered.isascii():
        return lowered
    try:
        return lowered.encode("idna").decode()
    except UnicodeError:
        return None


@lru_cache(maxsize=1)
def _suffix_rules() -> frozenset[str]:
    spec = find_spec(_PACKAGE)
    folders = [] if spec is None else spec.submodule_search_locations or []
    for folder in folders:
        path = Path(folder, _FILE)
        if path.is_file():
            return _parse_rules(path.read_text(encoding="utf-8"))
    raise ExtraMissing("The list of public suffixes", "functions")


def _parse_rules(text: str) -> frozenset[str]:
    rules = set()
    for line in text.partition(_ICANN_END)[0].splitlines():
        words = line.split()
        if words and not words[0].startswith("//"):
            labels = [punycode(label) for label in words[0].split(".")]
            rules.add(".".join([label or "" for label in labels]))
    return frozenset(rules)


_IPV4_BYTES, _IPV6_BYTES = 4, 16
_IPV4_INT_MIN, _IPV4_INT_MAX = -0x8000_0000, 0xFFFF_FFFF
_TEXT_MAX = 45  # characters, of an IPv6 address that ends in an IPv4 address

_ASCII_SPACES = " \t\n\v\f\r"
_NETWORK_END = re.compile(r"[/?#\\]")
_RELATIVE = re.compile(r"[/\\]{2}")
_SCHEME = re.compile(r"[^:/?#\\]*:[/\\]{2}")


def ip_from_string(text: str) -> bytes:
    """Return `NET.IP_FROM_STRING(text)`."""
    address = safe_ip_from_string(text)
    if address is None:
        raise BadArgument(f"NET.IP_FROM_STRING() encountered an unparseable IP-address: {text}")
    return address


def safe_ip_from_string(text: str) -> bytes | None:
    """Return `NET.SAFE_IP_FROM_STRING(text)`: NULL for a text that is not an address."""
    if len(text) <= _TEXT_MAX:
        for family in (AF_INET, AF_INET6):
            try:
                return inet_pton(family, text)
            except (OSError, ValueError):
                continue
    return None


def ip_to_string(address: bytes) -> str:
    """Return `NET.IP_TO_STRING(address)`."""
    if len(address) == _IPV4_BYTES:
        return inet_ntop(AF_INET, address)
    if len(address) == _IPV6_BYTES:
        return inet_ntop(AF_INET6, address)
    raise BadArgument(
        "NET.IP_TO_STRING() encountered an invalid IP address. "
        f"Expected 4 (for IPv4) or 16 (for IPv6) bytes but got {len(address)}"
    )


def ip_net_mask(size: int, prefix: int) -> bytes:
    """Return `NET.IP_NET_MASK(size, prefix)`."""
    if size not in (_IPV4_BYTES, _IPV6_BYTES):
        raise BadArgument(
            "The first argument of NET.IP_NET_MASK() must be either 4 (for IPv4) or 16 "
            f"(for IPv6); got {size}"
        )
    if not 0 <= prefix <= size * 8:
        raise BadArgument(
            "The second argument of NET.IP_NET_MASK() must be between 0 and "
            f"the first argument * 8; got {prefix}"
        )
    return _mask(size, prefix).to_bytes(size, "big")


def ip_trunc(address: bytes, prefix: int) -> bytes:
    """Return `NET.IP_TRUNC(address, prefix)`."""
    size = len(address)
    if size not in (_IPV4_BYTES, _IPV6_BYTES):
        raise BadArgument(
            "The first argument of NET.IP_TRUNC() must have length 4 (for IPv4) or 16 "
            f"(for IPv6); got {size}"
        )
    if not 0 <= prefix <= size * 8:
        raise BadArgument(
            "The second argument of NET.IP_TRUNC() must be between 0 and "
            f"8 * LENGTH(first argument); got {prefix}"
        )
    return (int.from_bytes(address, "big") & _mask(size, prefix)).to_bytes(size, "big")


def ipv4_from_int64(value: int) -> bytes:
    """Return `NET.IPV4_FROM_INT64(value)`.

    A negative integer is read as a 32-bit integer whose sign was extended.
    """
    if not _IPV4_INT_MIN <= value <= _IPV4_INT_MAX:
        raise BadArgument(
            "NET.IPV4_FROM_INT64() encountered an invalid integer IP. "
            f"Expected range: [-0x80000000, 0xFFFFFFFF]; got {value}"
        )
    return (value & _IPV4_INT_MAX).to_bytes(_IPV4_BYTES, "big")


def ipv4_to_int64(address: bytes) -> int:
    """Return `NET.IPV4_TO_INT64(address)`."""
    if len(address) != _IPV4_BYTES:
        raise BadArgument(
            "NET.IPV4_TO_INT64() encountered a non-IPv4 address. "
            f"Expected 4 bytes but got {len(address)}"
        )
    return int.from_bytes(address, "big")


def host(url: str) -> str | None:
    """Return `NET.HOST(url)`, in the letter case of the URL."""
    url = url.strip(_ASCII_SPACES)
    if scheme := _RELATIVE.match(url) or _SCHEME.match(url):
        url = url[scheme.end() :]
    if end := _NETWORK_END.search(url):
        url = url[: end.start()]
    # A scheme without // after it cannot be told from a host with a port: mailto:x gives mailto.
    url = url.rpartition("@")[2]
    start = 0
    if url.startswith("["):  # An IPv6 address has colons of its own.
        bracket = re.search(r"[\[\]]", url[1:])
        start = bracket.end() + 1 if bracket else len(url)
    colon = url.find(":", start)
    name = (url if colon < 0 else url[:colon]).lstrip(".")
    stripped = name.rstrip(".")
    return name[: len(stripped) + 1] or None


def public_suffix(url: str) -> str | None:
    """Return `NET.PUBLIC_SUFFIX(url)`."""
    return _domain(url, 0)


def reg_domain(url: str) -> str | None:
    """Return `NET.REG_DOMAIN(url)`: the public suffix with one more label."""
    return _domain(url, 1)


def _domain(url: str, more: int) -> str | None:
    """Return the public suffix of the host with `more` labels; None if it has not that many."""
    name = host(url)
    if name is None:
        return None
    dot = "." if name.endswith(".") else ""
    labels = name.removesuffix(".").split(".")
    spelled = [punycode(label) for label in labels]
    known = tuple([label for label in spelled if label])
    if len(known) < len(labels):  # An empty label, or one that DNS cannot spell.
        return None
    size = suffix_labels(known)
    if not size or size + more > len(labels):
        return None
    return ".".join(labels[-size - more :]) + dot


def _mask(size: int, prefix: int) -> int:
    bits = size * 8
    return ((1 << prefix) - 1) << (bits - prefix)


FUNCTIONS = chapter(
    "net",
    {
        "NET.HOST": (overload("(STRING) -> STRING", host),),
        "NET.IP_FROM_STRING": (overload("(STRING) -> BYTES", ip_from_string),),
        "NET.IP_NET_MASK": (overload("(INT64, INT64) -> BYTES", ip_net_mask),),
        "NET.IP_TO_STRING": (overload("(BYTES) -> STRING", ip_to_string),),
        "NET.IP_TRUNC": (overload("(BYTES, INT64) -> BYTES", ip_trunc),),
        "NET.IPV4_FROM_INT64": (overload("(INT64) -> BYTES", ipv4_from_int64),),
        "NET.IPV4_TO_INT64": (overload("(BYTES) -> INT64", ipv4_to_int64),),
        "NET.PUBLIC_SUFFIX": (overload("(STRING) -> STRING", public_suffix),),
        "NET.REG_DOMAIN": (overload("(STRING) -> STRING", reg_domain),),
        "NET.SAFE_IP_FROM_STRING": (overload("(STRING) -> BYTES", safe_ip_from_string),),
    },
)
