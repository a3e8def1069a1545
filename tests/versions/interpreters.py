"""The versions of Python that pyproject.toml names, and the newest of them that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_CLASSIFIER = re.compile(r"Programming Language :: Python :: 3\.(\d+)")
# What a new environment needs. The commands of pyenv exist also where they start nothing.
_PROBE = "import ensurepip, sys, venv; print(*sys.version_info[:2], sep='.')"
_PROBE_SECONDS = 60


def named_versions(project: Mapping[str, Any]) -> list[str]:
    """Return the versions that the project's classifiers name, such as "3.13", newest first."""
    found = filter(None, map(_CLASSIFIER.fullmatch, project["classifiers"]))
    return [f"3.{minor}" for minor in sorted((int(each[1]) for each in found), reverse=True)]


def newest(versions: list[str], environ: Mapping[str, str] = os.environ) -> tuple[str, Path] | None:
    """Return the first of the versions that is installed, and its interpreter; None without any.

    Looked at are the commands in PATH, such as python3.13, and the interpreters of pyenv.
    """
    for version in versions:
        for command in _candidates(version, environ):
            if _answers(command, version):
                return version, command
    return None


def _candidates(version: str, environ: Mapping[str, str]) -> Iterator[Path]:
    if (command := shutil.which(f"python{version}", path=environ.get("PATH"))) is not None:
        yield Path(command)
    root = Path(environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(root.glob(f"versions/{version}*/bin/python{version}"), reverse=True)


def _answers(command: Path, version: str) -> bool:
    """Return whether a command starts this version of Python, with which environments are made."""
    try:
        done = subprocess.run(
            [command, "-c", _PROBE], capture_output=True, text=True, timeout=_PROBE_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == version
