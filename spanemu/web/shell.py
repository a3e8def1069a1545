"""Pages that are one HTML file, which needs no network and follows the reader's light or dark mode.

A page is a title and sections, to which its navigation leads. All texts in sections are HTML.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent
_WIDE_COLUMNS_MIN = 5  # of a table that becomes lists on screens of middle width, too
_LONG_NAME = re.compile(r"\S{25,}")
_SEPARATOR = re.compile(r"(::|[/_.,(\[=-])(?=[\w&])")
_SCRIPT = re.compile("CREATE|ALTER|DROP")
_PLACEHOLDER = re.compile(r"(__[A-Z]+__)")


class Section(NamedTuple):
    """A section of a page; a section without a title comes first.

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


def breakable(name: str) -> str:
    """Return a text as HTML in which lines may break behind the separators of long names."""
    return _LONG_NAME.sub(lambda found: _SEPARATOR.sub(r"\1<wbr>", found[0]), escape(name))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[str] = ()
) -> str:
    """Return a table of cells, which are HTML. The columns `numbers` are aligned to the right.

    On a narrow screen each row becomes a list, whose entries show the heads.
    """
    kinds = [' class="n"' if head in numbers else "" for head in heads]
    head = "".join(
        f'<th scope="col"{kind}>{text}</th>' for text, kind in zip(heads, kinds, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, heads, kinds, row))}</tr>" for row in rows)
    kind = "rows wide" if len(heads) >= _WIDE_COLUMNS_MIN else "rows"
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(head: str, kind: str, cell: str) -> str:
    return f'<td{kind} data-head="{head}">{cell}</td>'


def finding_heading(rule: str, name: str, severity: str) -> str:
    """Return the heading of a finding, whose name begins with its rule, and its severity.

    The rule is a link to the element with the rule's id, which describes it on the same page.
    """
    rest = breakable(name.removeprefix(rule))
    return (
        f'<h3><a href="#{rule}">{rule}</a>{rest} '
        f'<span class="badge {severity}">{severity}</span></h3>'
    )


def fix(text: str) -> str:
    """Return the paragraph with the fix of a finding: a script as code, advice as prose."""
    shown = f"<code>{escape(text)}</code>" if _SCRIPT.match(text) else escape(text)
    return f"<p>Fix: {shown}</p>"


def _link(section: Section) -> str:
    count = "" if section.entries is None else f" <span>{section.entries:,}</span>"
    return f'<li><a href="#{section.id}">{escape(section.title)}{count}</a></li>'


def _section(section: Section) -> str:
    heading = f'<h2 id="{section.id}">{escape(section.title)}</h2>\n' if section.title else ""
    return f"<section>{heading}{section.html}</section>"
