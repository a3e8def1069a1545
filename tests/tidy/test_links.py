"""Links of the pages and the README lead to files and headings that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.tidy.modules import ROOT, name_of

DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "tests").glob("*.md")])
UNBUILT = {"clients", "examples"}  # folders of programs, which docs/conf.py leaves out
FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(
    r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)"  # [text](target), ![text](target "title")
    r"|^ *\[[^\]]+\]: (\S+)"  # [name]: target
    r"|(?:href|src)=\"([^\"]+)\"",
    re.MULTILINE,
)
HEADING = re.compile(r"^#+ (.+?) *$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")  # https:, mailto:


def without_code(text: str) -> str:
    return CODE.sub("`", FENCE.sub("", text))


def links(text: str) -> Iterator[str]:
    """Yield the targets of the links in a page to files, pages and headings."""
    for groups in LINK.findall(without_code(text)):
        target = "".join(groups)
        if not ELSEWHERE.match(target):
            yield target


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    result: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        plain = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        number, anchor = 0, plain
        while anchor in result:
            number += 1
            anchor = f"{plain}-{number}"
        result.add(anchor)
    return result


@cache
def anchors_of(page: Path) -> set[str]:
    return anchors(page.read_text(encoding="utf-8"))


def is_alive(link: str, page: Path) -> bool:
    """Return whether a link of a page leads to a file, and to a heading if it names one."""
    address, _, anchor = link.partition("#")
    target = (page.parent / address).resolve() if address else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or (target.suffix == ".md" and anchor in anchors_of(target))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not [link for link in links(text) if not is_alive(link, page)]


def test_every_page_of_the_site_is_linked() -> None:
    # A table of contents of Sphinx counts: it names pages without the suffix.
    named: set[Path] = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named |= {(page.parent / link.partition("#")[0]).resolve() for link in links(text)}
        for contents in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            for name in contents.split("\n"):
                if name and not name.startswith(":"):
                    named |= {path.resolve() for path in page.parent.glob(f"{name}.md")}
    site = {page for page in DOCS.rglob("*.md") if page.parts[len(DOCS.parts)] not in UNBUILT}
    assert not [name_of(page) for page in site - named - {DOCS / "index.md"}]


def test_dead_links_are_found() -> None:
    page = DOCS / "index.md"
    dead = ["gone.md", "plugin.md#gone", "#gone", "../../outside.md"]
    text = "\n".join(f"[a](plugin.md) [b]({link})" for link in dead)
    assert [link for link in links(text) if not is_alive(link, page)] == dead
    assert not list(links("`[a](gone.md)`\n```md\n[b](gone.md)\n```\n[c](https://gone.example)"))


def test_anchors_are_those_of_github() -> None:
    text = "# `spanner_clock`, `emulator.clock`\n## What's new?\n## What's new?\n## [A](b.md) - C"
    assert anchors(text) == {
        "spanner_clock-emulatorclock",
        "whats-new",
        "whats-new-1",
        "a---c",
    }
