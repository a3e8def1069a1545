"""Options and fixtures of golden tests."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite",
        action="store_true",
        default=False,
        help="write what golden tests print back into their files, to be reviewed",
    )


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    """Return whether goldens are to be written rather than compared."""
    # The default is for runs of a directory above this one: there the option does not exist.
    return bool(request.config.getoption("--rewrite", default=False))
