"""The public suffix of a host name: `co.uk` of `www.example.co.uk`.

The rules are the list of publicsuffix.org, its ICANN part only, as the package `tldextract` ships
it. That package is not imported, for it brings an HTTP client along; only its copy of the list is
read, when a query first asks. Without the package there is no answer but Unsupported.

A rule is a suffix; `*.ck` stands for any label under ck, `!www.ck` for an exception from that.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from spanemu.base.errors import Unsupported

_PACKAGE = "tldextract"
_FILE = ".tld_set_snapshot"
_ICANN_END = "// ===END ICANN DOMAINS==="


def suffix_labels(labels: tuple[str, ...]) -> int:
    """How many of the last labels are the public suffix; 0 if no rule knows them.

    Labels are in lower case, those beyond ASCII in Punycode.
    """
    rules = _rules()
    for start in range(len(labels)):
        name = ".".join(labels[start:])
        if f"!{name}" in rules:
            return len(labels) - start - 1
        if name in rules or f"*.{'.'.join(labels[start + 1 :])}" in rules:
            return len(labels) - start
    return 0


def punycode(label: str) -> str | None:
    """A label as DNS spells it; None if it cannot be."""
    lowered = label.lower()
    if lowered.isascii():
        return lowered
    try:
        return lowered.encode("idna").decode()
    except UnicodeError:
        return None


@lru_cache(maxsize=1)
def _rules() -> frozenset[str]:
    found = find_spec(_PACKAGE)
    places = [] if found is None else found.submodule_search_locations or []
    for place in places:
        path = Path(place, _FILE)
        if path.is_file():
            return _parsed(path.read_text(encoding="utf-8"))
    raise Unsupported(f"the public suffix list without the package {_PACKAGE}")


def _parsed(text: str) -> frozenset[str]:
    rules = set()
    for line in text.partition(_ICANN_END)[0].splitlines():
        words = line.split()
        if words and not words[0].startswith("//"):
            labels = [punycode(label) for label in words[0].split(".")]
            rules.add(".".join([label or "" for label in labels]))
    return frozenset(rules)
