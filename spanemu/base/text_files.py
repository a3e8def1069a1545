"""Text files whose line ends may be part of a value, as in the literals of a schema."""

from __future__ import annotations

from pathlib import Path

from spanemu.base.deferred import lazy_pattern

_BARE_LINE_FEED = lazy_pattern(r"(?<!\r)\n")


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark.

    Line ends stay, because a literal may contain a carriage return. A file whose lines all end in
    CR LF was written on Windows, and is read as if they ended in LF.
    """
    text = path.read_bytes().decode("utf-8-sig")
    if "\r\n" in text and _BARE_LINE_FEED.search(text) is None:
        return text.replace("\r\n", "\n")
    return text
