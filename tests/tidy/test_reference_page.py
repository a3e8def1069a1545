"""docs/reference says what the code says, in pages of a few screens."""

from __future__ import annotations

from tests.plugin.reference_page import PAGES, WIDTH, pages

LINES_MAX = 220  # of a page


def test_reference_is_up_to_date() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert kept == pages(), "run `python -m tests.plugin.reference_page`"


def test_pages_of_the_reference_are_short() -> None:
    assert not {name for name, text in pages().items() if text.count("\n") > LINES_MAX}


def test_lines_of_the_reference_are_short() -> None:
    assert not [
        f"{name}: {line}"
        for name, text in pages().items()
        for line in text.splitlines()
        if len(line) > WIDTH
    ]
