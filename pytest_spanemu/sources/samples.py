"""Schemas with a few rows that come with the plugin, to try something out: `sample:banking`.

singers     singers, albums and songs, interleaved; concerts at venues
banking     customers, accounts by a bit-reversed sequence, bookings, a view
finance     people, accounts, and transfers between accounts
fingraph    finance, and a property graph over it
"""

from __future__ import annotations

from pathlib import Path

from pytest_spanemu.sources.files import FilesSource
from pytest_spanemu.sources.source import Source, SourceError

KIND = "sample"
_PLACE = Path(__file__).parent / "sample_schemas"
_FILES = {
    "singers": ("singers.sql",),
    "banking": ("banking.sql",),
    "finance": ("finance.sql",),
    "fingraph": ("finance.sql", "fingraph.sql"),
}


def sample(text: str, name: str) -> Source:
    """The sample of a name; `text` is the whole setting. Raises SourceError."""
    if name not in _FILES:
        known = ", ".join(_FILES)
        raise SourceError(f"schema source {text!r}: the samples are {known}")
    return FilesSource(text, [_PLACE / file for file in _FILES[name]])
