"""Facts of Python code that an earlier run has found, by the hash of the code.

To read the syntax tree of six hundred revisions takes longer than to run the last of them.
"""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from pytest_spanemu.sources.code_facts import CodeFacts, facts_of

FACTS_MAX = 20_000  # of a file; beyond it begins anew


class KnownFacts:
    """The facts in a file, and those that are found; without a path, only the latter."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._facts: dict[tuple[bytes, bool], CodeFacts | None] = _read(path)
        self._is_new = False  # whether there are facts that the file does not have

    def of(self, text: bytes, *, in_environment: bool) -> tuple[bytes, CodeFacts | None]:
        """Return the hash of a module's code, and what `facts_of` returns for it."""
        digest = sha256(text).digest()
        known = digest, in_environment
        if known not in self._facts:
            self._facts[known] = facts_of(text, in_environment=in_environment)
            self._is_new = True
        return digest, self._facts[known]

    def save(self) -> None:
        """Write new facts to the file. Other processes see the complete file or none."""
        if self._path is None or not self._is_new:
            return
        kept = self._facts if len(self._facts) <= FACTS_MAX else {}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(pickle.dumps(kept))
        temporary.replace(self._path)
        self._is_new = False


def _read(path: Path | None) -> dict[tuple[bytes, bool], CodeFacts | None]:
    """Return the facts in a file; none if it is missing or incomplete."""
    if path is not None:
        with suppress(Exception):
            facts = pickle.loads(path.read_bytes())
            if isinstance(facts, dict):
                return facts
    return {}
