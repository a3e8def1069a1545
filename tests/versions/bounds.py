"""The lowest versions that pyproject.toml admits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

EXTRAS = ("alembic", "django", "functions", "sqlalchemy")  # whose libraries are used or known
# Tools of the extra `test` that users run beside the plugin; the others are this project's own.
TOOLS = ("freezegun", "pytest", "pytest-django", "pytest-html", "pytest-xdist", "time-machine")
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[\w,-]*\])?(?:>=(?P<lowest>[\w.]+)(?:,<[\w.]+)?)?(?: *;.*)?"
)


def pins(project: dict[str, Any]) -> dict[str, str]:
    """Return the lowest version of each dependency, by name.

    Raises ValueError for a requirement without a lower bound.
    """
    return dict(sorted(_pins(project)))


def _pins(project: dict[str, Any]) -> Iterator[tuple[str, str]]:
    optional = project["optional-dependencies"]
    requirements = [
        *project["dependencies"],
        *(each for extra in EXTRAS for each in optional[extra]),
    ]
    for requirement in (*requirements, *optional["test"]):
        result = _REQUIREMENT.fullmatch(requirement)
        if result is not None and result["lowest"]:
            if requirement in requirements or result["name"] in TOOLS:
                yield result["name"], result["lowest"]
        elif requirement in requirements:
            raise ValueError(f"{requirement!r} has no lower bound of the form NAME>=VERSION")
