"""What tests need besides this project, as far as it is here: packages, and Google's emulator."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

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


def official_binary() -> Path | None:
    """Return Google's emulator, which its command line installs; None where there is none."""
    gcloud = shutil.which("gcloud")
    if gcloud is None:
        return None
    binary = Path(gcloud).resolve().parent / "cloud_spanner_emulator" / "emulator_main"
    return binary if binary.exists() else None
