"""Files with facts of each test, which a project keeps in version control.

    {"format": 1, "tests": {"test_shop.py::test_it": {"queries": 3}}}

A file of another format is refused, so that no version of spanemu misreads what another wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

FORMAT = 1  # changes with every change that an earlier version cannot read


def write_facts(path: Path, tests: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the facts of each test to a file."""
    text = json.dumps({"format": FORMAT, "tests": tests}, indent=1, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_facts(path: Path) -> dict[str, dict[str, Any]]:
    """Return the facts of each test in a file.

    Raises OSError, ValueError for a file that has none, and pytest.UsageError for another format.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise ValueError("it has no format")
    if content["format"] != FORMAT:
        raise pytest.UsageError(
            f"{path} has format {content['format']}, and this version of spanemu reads {FORMAT}: "
            "use the version that wrote the file, or let this version write a new one."
        )
    tests = content.get("tests")
    if not isinstance(tests, dict) or not all(isinstance(each, dict) for each in tests.values()):
        raise ValueError("it has no tests")
    return tests
