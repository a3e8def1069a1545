"""The facts of a run: its date, duration and command, and the commit it ran on."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spanemu.base.record import dataclass

_GIT_SECONDS_MAX = 5


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts of a run.

    `commit` is a Git hash, "" outside a repository; `subject` is the first line of its message.
    `has_local_changes` is true if tracked files differ from the commit.
    """

    started: str = ""
    seconds: float = 0.0
    command: str = ""
    commit: str = ""
    subject: str = ""
    has_local_changes: bool = False

    @classmethod
    def of(cls, started: str, seconds: float, arguments: Sequence[str], root: Path) -> RunFacts:
        """Return the facts of a run with these arguments, in a project at `root`."""
        commit, _, subject = _git(root, "log", "-1", "--format=%H%n%s").partition("\n")
        changes = _git(root, "status", "--porcelain", "--untracked-files=no") if commit else ""
        command = shlex.join(["pytest", *arguments])
        return cls(started, seconds, command, commit, subject, bool(changes))

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def _git(root: Path, *arguments: str) -> str:
    """Return the output of Git, "" if Git fails or is not installed."""
    try:
        process = subprocess.run(
            ["git", "-C", root, *arguments],
            capture_output=True, text=True, errors="replace", timeout=_GIT_SECONDS_MAX, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout.strip()
