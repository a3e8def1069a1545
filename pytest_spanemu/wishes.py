"""What a test's markers, or a factory's arguments, ask for: how its database is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.kinds import Isolation
from pytest_spanemu.marker_arguments import arguments_of
from pytest_spanemu.settings import isolation_named, target_named, words

if TYPE_CHECKING:
    from pytest_spanemu.rows.factory import SpannerFactory

_KEYWORDS = frozenset({"schema", "seeds", "isolation", "targets"})


@dataclass(frozen=True, slots=True)
class Wishes:
    """None is "as the run says"."""

    schema: tuple[str, ...] | None = None
    seeds: tuple[str, ...] | None = None
    isolation: Isolation | None = None
    targets: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a template is made of, where it is not the run's own; None is "as the run has it".

    `fill` adds rows. `base` is made before, in the same database.
    """

    schema: tuple[str, ...] | None = None
    seeds: tuple[str, ...] | None = None
    fill: Callable[[SpannerFactory], object] | None = None
    base: Recipe | None = None

    @property
    def layers(self) -> tuple[Recipe, ...]:
        """The bases, the lowest first, and this one."""
        return (self,) if self.base is None else (*self.base.layers, self)


_NONE = Wishes()
_WISHES = pytest.StashKey[Wishes]()


def wishes_of(node: pytest.Item) -> Wishes:
    """What the `spanner` markers of a test ask for, the closest first."""
    wishes = node.stash.get(_WISHES, None)
    if wishes is None:
        wishes = node.stash[_WISHES] = _read(node)
    return wishes


def _read(node: pytest.Item) -> Wishes:
    found = arguments_of(node, "spanner", _KEYWORDS)
    return checked_wishes(found, node.nodeid) if found else _NONE


def checked_wishes(given: dict[str, Any], where: str) -> Wishes:
    """Check the keyword arguments of a marker or a factory. Raises pytest.UsageError."""
    isolation = given.get("isolation")
    try:
        schema, seeds, targets = (words(given.get(name)) for name in ("schema", "seeds", "targets"))
    except TypeError:
        raise pytest.UsageError(
            f"{where}: schema, seeds and targets are a text, or a list of texts."
        ) from None
    for target in targets or ():
        target_named(target, f"{where}: targets")
    return Wishes(
        schema=schema,
        seeds=seeds,
        isolation=isolation and isolation_named(isolation, f"{where}: isolation"),
        targets=targets,
    )
