"""A message as FORMAT prints it, made by whoever knows its type."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class MessageText(NamedTuple):
    """A message in text format: on one line, or with a line for each field, each with its end."""

    line: str
    lines: Callable[[], str]
