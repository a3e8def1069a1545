"""The fenced blocks of a page, and what a reader does with each.

    # test_orders.py     a first line that is a comment with a file's name: saves the block there
    ```sh                types the block into a terminal
    ```console           types the lines behind `$`, and `^C`; the others are what it prints

Every other block shows something: a part of a file, or an excerpt. A page's test names these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.pages.environments import ROOT

DOCS = ROOT / "docs"
_FENCE_OR_HEADING = re.compile(r"^```([\w-]+)?\n(.*?)^```$|^#+ ([^\n]*)$", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"(?:#|--|//|<!--) ([\w./-]+\.\w+)(?: -->)?\n")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where it stands."""

    language: str
    text: str
    place: str  # page:line
    section: str  # the heading above

    @property
    def file(self) -> str | None:
        """The name of the file that the block is."""
        found = _NAME.match(self.text)
        return None if found is None else found[1]

    @property
    def commands(self) -> list[str]:
        """The commands of the block, in order."""
        if self.language == "sh":
            lines = self.text.splitlines()
        elif self.language == "console":
            typed = re.findall(r"^(\$ (?:.*\\\n)*.*|\^C)$", self.text, re.MULTILINE)
            lines = "\n".join(each.removeprefix("$ ") for each in typed).splitlines()
        else:
            return []
        return re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()

    @property
    def prints(self) -> list[str]:
        """The lines that the block shows of what a terminal prints."""
        if self.language != "console":
            return []
        lines = re.sub(r"^(\$ (?:.*\\\n)*.*|\^C)$", "", self.text, flags=re.MULTILINE)
        return list(filter(None, lines.splitlines()))


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    section = ""
    for result in _FENCE_OR_HEADING.finditer(text):
        if result[3] is not None:
            section = result[3]
            continue
        line = text.count("\n", 0, result.start()) + 1
        yield Block(result[1] or "", result[2], f"{page.name}:{line}", section)
