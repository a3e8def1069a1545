"""The revisions of an upgrade by Alembic, and a key for the state after each of them.

A key covers the text of every revision up to the state, in order, of env.py and of the project's
modules that these import, and the environment variables that they name. The keys end before the
first revision whose effect may depend on something else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_spanemu.sources.code_facts import CodeFacts, Import
from pytest_spanemu.sources.known_facts import KnownFacts
from pytest_spanemu.sources.source import NOT_CODE, project_files
from spanemu.base.record import dataclass

# States are kept after all revisions but these numbers of the last ones. The last is what people
# change most; the others are for a change of several, as by another branch of the repository.
LEFT_OUT = (64, 8, 1)

After = Callable[[int], None]  # called with the number of revisions that have run


class OtherRevisions(Exception):
    """Alembic would run other revisions than those that follow the kept state."""


@dataclass(frozen=True, slots=True)
class State:
    """The state after some revisions. A volatile state may have rows with times in it."""

    key: bytes
    is_volatile: bool


class Upgrade:
    """An upgrade of an empty database to a target revision."""

    def __init__(
        self, script: Any, target: str, root: Path, settings: bytes, facts: KnownFacts
    ) -> None:
        self._script, self._target = script, target
        steps = script._upgrade_revs(target, ())
        self.revisions = tuple(step.revision.revision for step in steps)
        code = _Code(root, facts)
        self.states = tuple(_states(script, [step.revision for step in steps], code, settings))
        facts.save()
        self.is_regular = True  # False once env.py has asked for other revisions

    def states_to_keep(self) -> set[int]:
        """Return the numbers of revisions after which the state is worth keeping.

        Besides states near the end, these are the last that is known, and the last without times.
        """
        steady = sum(not state.is_volatile for state in self.states)  # these come first
        total = len(self.revisions)
        ends = {total - left_out for left_out in LEFT_OUT}
        if len(self.states) < total:
            ends.add(len(self.states))
        if steady < len(self.states):
            ends.add(steady)
        return {number for number in ends if 0 < number <= len(self.states)}

    def run(self, environment: Any, config: Any, done: int, after: After) -> None:
        """Run the revisions after the first `done`. `environment` is Alembic's class.

        Raises OtherRevisions if `done` is positive and Alembic would run others.
        """
        calls = 0

        def steps(heads: Any, context: Any) -> Iterable[Any]:
            nonlocal calls
            calls += 1
            listed = self._script._upgrade_revs(self._target, heads)
            revisions = tuple(step.revision.revision for step in listed)
            if calls > 1 or revisions != self.revisions[done:]:
                self.is_regular = False
                if done:
                    raise OtherRevisions
                return list(listed)
            return _observed(listed, done, after)

        with environment(
            config, self._script, fn=steps, as_sql=False, starting_rev=None,
            destination_rev=self._target, tag=None,
        ):  # fmt: skip
            self._script.run_env()
        if calls != 1:
            self.is_regular = False
            if done:
                raise OtherRevisions


def _observed(steps: Sequence[Any], done: int, after: After) -> Iterator[Any]:
    """Yield steps. Alembic asks for the next step after the version table names the step before."""
    for number, step in enumerate(steps, done + 1):
        yield step
        after(number)


def _states(script: Any, revisions: Sequence[Any], code: _Code, settings: bytes) -> Iterator[State]:
    """Yield the state after each revision, in order, as long as it is known."""
    environment = code.read([Path(script.env_py_location)], in_environment=True)
    if environment is None:
        return
    state = State(sha256(settings + environment.key).digest(), environment.is_volatile)
    for revision in revisions:
        own = code.read([Path(revision.path)], in_environment=False)
        if own is None:
            return
        name = repr((revision.revision, revision.down_revision)).encode()
        key = sha256(state.key + sha256(name).digest() + own.key).digest()
        state = State(key, state.is_volatile or own.is_volatile)
        yield state


class _Code:
    """The project's Python files, found by the names that import statements use."""

    def __init__(self, root: Path, facts: KnownFacts) -> None:
        self._root = root
        self._found = facts
        self._by_tail: dict[str, list[Path]] = {}
        for path in project_files(root):
            parts = path.relative_to(root).with_suffix("").parts
            for start in range(len(parts)):
                self._by_tail.setdefault(".".join(parts[start:]), []).append(path)
        self._known: dict[tuple[Path, bool], tuple[bytes, CodeFacts | None]] = {}

    def read(self, paths: list[Path], *, in_environment: bool) -> State | None:
        """Return the key of files and of all project files that they import, None if unknown."""
        waiting, seen = list(paths), set(paths)
        parts: list[bytes] = []
        is_volatile = False
        while waiting:
            path = waiting.pop()
            text, facts = self._facts(path, in_environment)
            if facts is None:
                return None
            is_volatile |= facts.is_volatile
            parts.append(sha256(str(os.path.relpath(path, self._root)).encode()).digest() + text)
            parts += [
                sha256(repr((name, os.environ.get(name))).encode()).digest()
                for name in facts.variables
            ]
            for imported in facts.imports:
                files = self._files(imported)
                if not self._is_complete(imported) and not imported.is_known(in_environment):
                    return None
                waiting += [file for file in files if file not in seen]
                seen.update(files)
        return State(sha256(b"".join(sorted(parts))).digest(), is_volatile)

    def _facts(self, path: Path, in_environment: bool) -> tuple[bytes, CodeFacts | None]:
        known = path, in_environment
        if known not in self._known:
            try:
                text = path.read_bytes()
            except OSError:
                return b"", None
            self._known[known] = self._found.of(text, in_environment=in_environment)
        return self._known[known]

    def _is_complete(self, imported: Import) -> bool:
        """Return whether the project has the module, or all names as submodules of a namespace."""
        names = imported.module, *imported.names
        if any(part.startswith(NOT_CODE) for name in names for part in name.split(".")):
            return False
        if imported.module and self._of_name(imported.module):
            return True
        return bool(imported.names) and all(map(self._of_name, imported.names))

    def _files(self, imported: Import) -> list[Path]:
        """Return the files of a module, its packages and its submodules, wherever they are."""
        files: list[Path] = []
        for name in filter(None, (imported.module, *imported.names)):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                files += self._of_name(".".join(parts[:end]))
        return files

    def _of_name(self, module: str) -> list[Path]:
        return [*self._by_tail.get(module, ()), *self._by_tail.get(f"{module}.__init__", ())]
