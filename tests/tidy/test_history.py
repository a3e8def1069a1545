"""Pages, CHANGELOG and docstrings say what is, not what was: only decisions (docs/adr) tell history.

Words of comparison with an earlier version are refused, and so are ids of commits. Some of these
words also say what changes while a program runs; these texts are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spanemu import __version__
from tests.tidy.modules import ROOT
from tests.tidy.test_spelling import prose
from tests.tidy.test_spelling import texts as pages_and_docstrings

WORDS = (
    r"no longer", r"as before", r"\(before", r"before: \d", r"\d[^.|;]{0,12} before\)", "formerly",
    "previously", "until recently", "used to be", "anymore", "has been renamed", "deprecated",
    r"(?:older|earlier|previous) (?:releases?|clients?|versions? of spanemu)", "an older version",
    r"backwards?[- ]compatib\w+", "Unreleased", "next release",
    r"now (?:has|have|takes?|accepts?|supports?|also)",
    r"(?-i:(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40})",  # the id of a commit
)  # fmt: skip
VERSION_LINES_MAX = 120  # of CHANGELOG.md
HISTORY = re.compile(rf"(?<![\w.-])(?:{'|'.join(WORDS)})(?![\w-])", re.IGNORECASE)

# Here the words tell what happens to rows, requests and objects while a program runs.
STATES = (
    "a hotspot no longer appears", "A lost session no longer exists", "no longer than",
    "is no longer readable", "are no longer readable", "no longer current at", "is no longer needed",
    "are no longer needed", "tables no longer need", "property graphs no longer fit",
    "the address is no longer served", "are reserved, and no longer held", "the client is no longer",
    "the client no longer", "need to wait no longer", "held are no longer accounted for",
    "is no longer a value table", "the resolved tree no longer has", "is no longer active",
    # Google's client libraries
    "older client libraries",
    # the policy on versions, and a server of another version
    "Nothing is deprecated", "is deprecated first", "A deprecated name of Python",
    "a deprecated option", "or is an older version",
    'in a section "Unreleased"',
)  # fmt: skip


def told(text: str) -> Iterator[str]:
    """Yield the words of history in a text, each with what stands around it."""
    plain = re.sub(r"\s+", " ", prose(text))
    for state in STATES:
        plain = plain.replace(state, "")
    for found in HISTORY.finditer(plain):
        yield plain[max(0, found.start() - 50) : found.end() + 20]


def texts() -> Iterator[tuple[str, str]]:
    """Yield the texts of the project that tell no history, each with the place where it stands."""
    yield "CHANGELOG.md", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for place, text in pages_and_docstrings():
        if not place.startswith("docs/adr/"):
            yield place, text


def test_history_is_found() -> None:
    assert list(told("A load takes 22 µs (59 before)."))
    assert list(told("It is\nno longer needed: see 09081ef."))
    assert not list(told("The clock moves now. 1234567 rows, added, defaced: `no longer`."))


def test_pages_and_docstrings_say_what_is() -> None:
    assert not [f"{place}: {words}" for place, text in texts() for words in told(text)]


def test_each_exception_is_needed() -> None:
    everything = " ".join(re.sub(r"\s+", " ", prose(text)) for _, text in texts())
    assert not [state for state in STATES if state not in everything]


def test_the_changelog_has_a_page_for_this_version_with_its_date() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = [each.splitlines() for each in text.split("\n## ")[1:]]
    heading, *page = next(each for each in sections if each[0] != "Unreleased")
    assert re.fullmatch(rf"{re.escape(__version__)} - \d{{4}}-\d\d-\d\d", heading)
    assert len(page) <= VERSION_LINES_MAX
