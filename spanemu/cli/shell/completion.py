r"""Completion of the text before the cursor: commands, tables, columns, functions and keywords.

After FROM, JOIN, INTO, UPDATE and TABLE come tables; after `t.` the columns of the table or alias
t; elsewhere columns of the tables that the statement names, functions and keywords.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from spanemu.base.identifiers import RESERVED_WORDS
from spanemu.cli.shell.catalog import column_names, function_names
from spanemu.cli.shell.commands import COMMANDS
from spanemu.cli.shell.failures import FAILURES
from spanemu.cli.shell.interpreter import Shell

_WORDS = """
    ADD ALTER ANALYZE BEGIN CASCADE CHECK COLUMN COMMIT CONSTRAINT DELETE DROP EXPLAIN FOREIGN
    INDEX INSERT INTERLEAVE KEY OFFSET ONLY OPTIONS PARENT PRIMARY READ REFERENCES RETURN
    RETURNING ROLLBACK STORING TABLE TRANSACTION UNIQUE UPDATE VALUES VIEW WRITE
"""
_KEYWORDS = RESERVED_WORDS | set(_WORDS.split())
_PREFIX = re.compile(r"[\w.]*\Z")
_BEFORE_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE|PARENT)\s+[\w.]*\Z", re.IGNORECASE)
_SOURCE = re.compile(
    r"\b(?:FROM|JOIN|INTO|UPDATE)\s+[`\"]?([\w.]+)[`\"]?(?:@\{[^}]*\})?(?:\s+(?:AS\s+)?(\w+))?",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\s*\\(\w*)\Z")
_ARGUMENT = re.compile(r"\s*\\(\w+)\s+([\w.-]*)\Z")


class Candidate(NamedTuple):
    """A completion: the text, the length of the text before the cursor that it replaces, a kind."""

    text: str
    replaces: int
    kind: str


@dataclass(slots=True)
class Completer:
    """Completions for a shell. Names are read again after each statement that may change them."""

    shell: Shell
    _version: int = -1
    _tables: Mapping[str, list[str]] = field(default_factory=dict)
    _functions: list[str] = field(default_factory=list)

    def candidates(self, before: str) -> Iterator[Candidate]:
        """Yield the completions of the text before the cursor, the likeliest first."""
        if match := _COMMAND.match(before):
            names = (f"\\{name}" for name in COMMANDS)
            yield from _beginning(f"\\{match[1]}", names, "command")
        elif match := _ARGUMENT.match(before):
            yield from self._arguments(match[1], match[2])
        elif match := _PREFIX.search(before):
            self._refresh()
            yield from self._names(before, match[0])

    def _arguments(self, command: str, prefix: str) -> Iterator[Candidate]:
        self._refresh()
        names: Mapping[str, tuple[Callable[[], Iterable[str]], str]] = {
            "d": (lambda: self._tables, "table"),
            "c": (self._databases, "database"),
            "df": (lambda: self._functions, "function"),
        }
        if command in names:
            source, kind = names[command]
            yield from _beginning(prefix, source(), kind)

    def _names(self, before: str, prefix: str) -> Iterator[Candidate]:
        if _BEFORE_TABLE.search(before):
            yield from _beginning(prefix, self._tables, "table")
            return
        sources = self._sources(before)
        qualifier, dot, part = prefix.rpartition(".")
        if dot and (table := sources.get(qualifier.lower())) is not None:
            yield from _beginning(part, self._tables[table], "column")
            return
        columns = dict.fromkeys(
            column for table in sources.values() for column in self._tables[table]
        )
        yield from _beginning(prefix, columns, "column")
        if not prefix:
            return
        yield from _beginning(prefix, _cased(sorted(_KEYWORDS), prefix), "keyword")
        yield from _beginning(prefix, self._tables, "table")
        yield from _beginning(prefix, _cased(self._functions, prefix), "function")

    def _sources(self, before: str) -> dict[str, str]:
        """Return the tables of the statement, by their names and aliases in lower case."""
        known = {name.lower(): name for name in self._tables}
        sources = {}
        for name, alias in _SOURCE.findall(before):
            if (table := known.get(name.lower())) is not None:
                sources[name.lower()] = table
                if alias and alias.upper() not in _KEYWORDS:
                    sources[alias.lower()] = table
        return sources

    def _databases(self) -> Iterable[str]:
        try:
            return self.shell.session.database_ids()
        except FAILURES:
            return ()

    def _refresh(self) -> None:
        """Read the names of the database, unless the shell is in a transaction, which they join."""
        if self._version == self.shell.schema_version or self.shell.session.in_transaction:
            return
        try:
            self._tables = column_names(self.shell.session)
            self._functions = function_names(self.shell.session)
        except FAILURES:
            return
        self._version = self.shell.schema_version


def _beginning(prefix: str, names: Iterable[str], kind: str) -> Iterator[Candidate]:
    lower = prefix.lower()
    return (Candidate(name, len(prefix), kind) for name in names if name.lower().startswith(lower))


def _cased(names: Iterable[str], prefix: str) -> Iterable[str]:
    """Return keywords or functions in lower case if what the user typed is in lower case."""
    return map(str.lower, names) if prefix.islower() else names
