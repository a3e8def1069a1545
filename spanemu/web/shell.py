"""Pages that are one HTML file, which needs no network and follows the reader's light or dark mode.

A page is a title and sections, to which its navigation leads. All texts in sections are HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent
_PLACEHOLDER = re.compile(r"(__[A-Z]+__)")


class Section(NamedTuple):
    """A section of a page; without a title it stands above the others.

    `entries`, their number, is shown beside the title in the navigation.
    """

    id: str
    title: str
    html: str
    entries: int | None = None


@cache
def asset(name: str) -> str:
    """Return the text of a file of this package, such as "style.css"."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def fill(template: str, parts: Mapping[str, str]) -> str:
    """Return a template whose `__NAMES__` are replaced; names inside the parts are not."""
    return "".join(parts.get(piece, piece) for piece in _PLACEHOLDER.split(template))


def page(title: str, sections: Iterable[Section], scripts: str = "") -> str:
    """Return the text of a file; `scripts` are elements at its end."""
    shown = [section for section in sections if section.html]
    parts = {
        "__TITLE__": escape(title),
        "__STYLE__": asset("style.css"),
        "__MARK__": f'<span class="mark">{asset("mark.svg").strip()}spanemu</span>',
        "__SECTIONS__": "".join(_link(section) for section in shown if section.title),
        "__MAIN__": "\n".join(map(_section, shown)),
        "__SCRIPTS__": scripts,
    }
    return fill(asset("page.html"), parts)


def _link(section: Section) -> str:
    count = "" if section.entries is None else f" <span>{section.entries:,}</span>"
    return f'<li><a href="#{section.id}">{escape(section.title)}{count}</a></li>'


def _section(section: Section) -> str:
    heading = f'<h2 id="{section.id}">{escape(section.title)}</h2>\n' if section.title else ""
    return f"<section>{heading}{section.html}</section>"
