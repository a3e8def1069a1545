"""Options that a test's markers, or a factory's arguments, request for the test's database."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.options import Dialect, Isolation
from pytest_spanemu.settings import as_tuple, parse_dialect, parse_isolation, parse_target
from spanemu.base.record import dataclass
from spanemu.base.suggestions import did_you_mean

if TYPE_CHECKING:
    from pytest_spanemu.rows.factory import SpannerFactory


def arguments_of(item: pytest.Item, marker: str, known: Collection[str]) -> dict[str, Any]:
    """Merge the arguments of all markers of a name on a test, its class and its module.

    The marker closest to the test wins. Raises pytest.UsageError for unknown arguments.
    """
    merged: dict[str, Any] = {}
    for mark in item.iter_markers(marker):
        unknown = sorted(mark.kwargs.keys() - set(known))
        wrong = [*map(repr, mark.args), *unknown]
        if wrong:
            hint = did_you_mean(unknown[0], known) if unknown else ""
            raise marker_error(
                item,
                marker,
                f"does not take {', '.join(wrong)}.{hint} It takes {', '.join(sorted(known))}.",
            )
        merged = dict(mark.kwargs) | merged
    return merged


def marker_error(item: pytest.Item, marker: str, problem: str) -> pytest.UsageError:
    """Return the error for a marker of a test with invalid arguments."""
    return pytest.UsageError(f"{item.nodeid}: marker {marker} {problem}")


def check_count(
    item: pytest.Item, marker: str, name: str, value: object, *, least: int = 0
) -> None:
    """Raise pytest.UsageError unless an argument is an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        of = f"whole number of at least {least}" if least else "whole number"
        raise marker_error(item, marker, f"takes a {of} as {name}, not {value!r}.")


_TEXTS = frozenset({"schema", "seeds", "targets"})
_KEYWORDS = frozenset({"schema", "seeds", "dialect", "isolation", "targets"})


@dataclass(frozen=True, slots=True)
class RequestedOptions:
    """The requested options; None means the run's setting."""

    schema: tuple[str, ...] | None = None
    seeds: tuple[str, ...] | None = None
    dialect: Dialect | None = None
    isolation: Isolation | None = None
    targets: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TemplateSpec:
    """The schema and rows of a template other than the default template.

    None means the schema, seeds or dialect of the run. `fill` adds rows. `base` is built first, in
    the same database.
    """

    schema: tuple[str, ...] | None = None
    seeds: tuple[str, ...] | None = None
    dialect: Dialect | None = None
    fill: Callable[[SpannerFactory], object] | None = None
    base: TemplateSpec | None = None

    @property
    def layers(self) -> tuple[TemplateSpec, ...]:
        """The specifications to build in order: the bases, then this specification."""
        return (self,) if self.base is None else (*self.base.layers, self)


_NONE = RequestedOptions()
_REQUESTED = pytest.StashKey[RequestedOptions]()


def requested_options_of(node: pytest.Item) -> RequestedOptions:
    """Return the options of a test's `spanner` markers. The closest marker wins."""
    requested = node.stash.get(_REQUESTED, None)
    if requested is None:
        requested = node.stash[_REQUESTED] = _read(node)
    return requested


def _read(node: pytest.Item) -> RequestedOptions:
    arguments = arguments_of(node, "spanner", _KEYWORDS)
    where = f"{node.nodeid}: marker spanner"
    return parse_requested_options(arguments, where) if arguments else _NONE


def parse_requested_options(given: dict[str, Any], where: str) -> RequestedOptions:
    """Parse the keyword arguments of a marker or a factory. Raises pytest.UsageError."""
    isolation, dialect = given.get("isolation"), given.get("dialect")
    try:
        schema, seeds, targets = (
            as_tuple(given.get(name)) for name in ("schema", "seeds", "targets")
        )
    except TypeError:
        texts = ", ".join(f"{name}={given[name]!r}" for name in _TEXTS & given.keys())
        raise pytest.UsageError(
            f"{where}: schema, seeds and targets take a text or a list of texts, not {texts}."
        ) from None
    for target in targets or ():
        parse_target(target, f"{where}: targets")
    return RequestedOptions(
        schema=schema,
        seeds=seeds,
        dialect=None if dialect is None else parse_dialect(dialect, f"{where}: dialect"),
        isolation=None if isolation is None else parse_isolation(isolation, f"{where}: isolation"),
        targets=targets,
    )
