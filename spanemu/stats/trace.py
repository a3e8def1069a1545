"""The writes of a watched database in order."""

from __future__ import annotations

from spanemu.storage.observer import TreeWrite

Commit = tuple[int, tuple[TreeWrite, ...]]  # its timestamp, and what it wrote
