"""Whatever the plugin offers by name, some test of the plugin uses by that name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pytest_spanemu import builtin_checks, fixtures, hookspecs, options, session_fixtures
from pytest_spanemu.asserts import plans
from pytest_spanemu.asserts import spanner_assert as asserts
from pytest_spanemu.databases.snapshots import SpannerSnapshot
from pytest_spanemu.factories import __all__ as FACTORIES
from pytest_spanemu.migrator import SpannerMigrator
from pytest_spanemu.options import Isolation, Start, Target, Unsupported
from pytest_spanemu.plugin import MARKERS
from pytest_spanemu.sources.registry import KINDS

TESTS = Path(__file__).parents[1] / "plugin"


def offered() -> Iterator[str]:
    """Yield fixtures, markers, settings and their words, assertions, hooks, factories, checks."""
    for name in (*vars(session_fixtures), *vars(fixtures)):
        if name.startswith("spanner_") or name == "hotspots":
            yield name
    yield from (re.split(r"\W", line)[0] for line in MARKERS)
    for option in options.OPTIONS:
        yield f"--spanner-{option.name}"
    yield from (word for kind in (Isolation, Start, Target, Unsupported) for word in kind)
    yield from options.FAIL_ON
    for kind in (asserts.SpannerAssert, plans.PlanCheck, SpannerMigrator, SpannerSnapshot):
        yield from (name for name in vars(kind) if not name.startswith("_"))
    yield from (name for name in vars(hookspecs) if name.startswith("pytest_"))
    yield from (f"factories.{name}" for name in FACTORIES)
    yield from (check.__name__ for check in builtin_checks.CHECKS)
    yield from (f"{kind}:" for kind in KINDS)


@cache
def text() -> str:
    """Return the text of the plugin's tests; an option's ini name counts as its flag."""
    found = "\n".join(path.read_text() for path in sorted(TESTS.glob("*.py")))
    names = re.findall(r"spanner_\w+", found)
    return "\n".join([found, *(f"--{name.replace('_', '-')}" for name in names)])


@pytest.mark.parametrize("name", sorted(set(offered())))
def test_every_public_name_occurs_in_a_test(name: str) -> None:
    end = "" if name.endswith(":") else r"(?![\w-])"
    assert re.search(rf"(?<![\w-]){re.escape(name)}{end}", text()), f"no test in {TESTS} names it"
