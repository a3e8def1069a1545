"""docs/reference.md says what the code says."""

from __future__ import annotations

from tests.plugin.reference_page import PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.plugin.reference_page`"
