"""Skips what needs packages that are not here."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(*packages: str) -> None:
    """Skip the test, or the module that is being collected, unless all of them are installed.

    Not by importing them: django_spanner changes the client library for the whole process.
    """
    for package in packages:
        if not _is_installed(package):
            pytest.skip(f"{package}: not installed here", allow_module_level=True)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # what it is a part of
        return False
