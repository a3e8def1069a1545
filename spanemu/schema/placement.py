"""Where rows are kept: locality groups and placements. Nothing that is read depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DEFAULT = "default"  # the locality group, and the placement, that every database has


@dataclass(frozen=True, slots=True)
class LocalityGroup:
    """A kind of storage that columns, tables and indexes can ask for."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placement:
    """A name for an instance partition, as placement keys hold it."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
