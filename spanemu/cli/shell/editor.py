"""The shell on a terminal: a line editor with history, completion and highlighting.

Enter runs a statement that ends with a semicolon, or a command. Any other text continues on the
next line; Escape Enter runs it as it is. Only interactive shells import this module, because
prompt_toolkit is an extra.

Commands, tables, columns, functions and keywords are completed. After FROM, JOIN, INTO, UPDATE and
TABLE come tables; after `t.` the columns of the table or alias t; elsewhere columns of the tables
that the statement names, functions and keywords.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.completion import Completer as ToolkitCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, completion_is_selected
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from spanemu.base.identifiers import RESERVED_WORDS
from spanemu.base.record import NamedTuple
from spanemu.cli.shell.catalog import column_names, function_names, graph_names
from spanemu.cli.shell.commands import COMMANDS, Rejected, ShellEnded, run_lines
from spanemu.cli.shell.failures import FAILURES
from spanemu.cli.shell.graph_names import Graphs, names_in_graph_query
from spanemu.cli.shell.interpreter import Shell
from spanemu.cli.shell.script import InputReader

_WORDS = """
    ACYCLIC ADD ALTER ANALYZE BEGIN CALL CASCADE CHEAPEST CHECK COLUMN COMMIT CONSTRAINT DELETE
    DESTINATION DROP EDGE EXPLAIN FILTER FOREIGN GRAPH INDEX INSERT INTERLEAVE KEY LABEL LABELED LET
    MATCH NEXT NODE OFFSET ONLY OPTIONAL OPTIONS PARENT PRIMARY PROPERTIES PROPERTY READ REFERENCES
    RETURN RETURNING ROLLBACK SHORTEST SKIP SOURCE STORING TABLE TABLES TRAIL TRANSACTION UNIQUE
    UPDATE VALUE VALUES VIEW WALK WRITE YIELD
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


def edit(shell: Shell, history: Path | None) -> None:
    r"""Read and run input until \q or the end of the input. `history` is a file, None for none."""
    editor = Editor(shell, history)
    shell.printer.note(
        f"{shell.session.name} ({shell.dialect.title}). \\? shows the commands, \\q leaves."
    )
    while True:
        try:
            text = editor.read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        try:
            _run(shell, text)
        except ShellEnded:
            break
        except KeyboardInterrupt:
            print("Cancelled.", file=sys.stderr)
    if shell.session.in_transaction:
        shell.printer.note("The open transaction is rolled back.")


def _run(shell: Shell, text: str) -> None:
    """Run an input up to the first failure."""
    try:
        run_lines(shell, text.split("\n"))
    except Rejected as problem:
        print(problem, file=sys.stderr)


class Editor:
    """A line editor for a shell."""

    def __init__(self, shell: Shell, history: Path | None) -> None:
        self._shell = shell
        self._prompt: PromptSession[str] = PromptSession(
            history=_history(history),
            completer=MenuCompleter(Completer(shell)),
            complete_while_typing=False,
            lexer=PygmentsLexer(SqlLexer),
            multiline=True,
            prompt_continuation=_continuation,
            key_bindings=self._bindings(),
            enable_open_in_editor=True,
        )

    def read(self) -> str:
        """Return the next input. Raises EOFError at its end."""
        return self._prompt.prompt(self._prefix())

    def _prefix(self) -> str:
        session = self._shell.session
        mark = "" if not session.in_transaction else "(ro)" if session.is_read_only else "*"
        return f"{session.name.database}{mark}> "

    def _is_complete(self, text: str) -> bool:
        reader = InputReader(self._shell.dialect)
        for line in text.split("\n"):
            for _ in reader.feed(line):
                pass
        return not reader.is_pending

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()

        @Condition
        def is_complete() -> bool:
            document = self._prompt.default_buffer.document
            return document.is_cursor_at_the_end and self._is_complete(document.text)

        @bindings.add("enter", filter=is_complete & ~completion_is_selected)
        def run(event: Any) -> None:
            """Run the input."""
            event.current_buffer.validate_and_handle()

        @bindings.add("enter", filter=completion_is_selected)
        def choose(event: Any) -> None:
            """Keep the selected completion and close the menu."""
            event.current_buffer.complete_state = None

        return bindings


class MenuCompleter(ToolkitCompleter):
    """The completions of a shell in the form of the line editor."""

    def __init__(self, completer: Completer) -> None:
        self._completer = completer

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield the completions of the text before the cursor."""
        for each in self._completer.candidates(document.text_before_cursor):
            yield Completion(each.text, -each.replaces, display_meta=each.kind)


def _continuation(width: int, _line: int, _wrapped: int) -> str:
    return "-> ".rjust(width)


def _history(path: Path | None) -> History:
    """Return the history in a file that only the user can read; in memory if there is no file."""
    if path is None:
        return InMemoryHistory()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    except OSError as problem:
        print(f"spanemu: no history: {problem}", file=sys.stderr)
        return InMemoryHistory()
    return FileHistory(str(path))


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
    _graphs: Graphs = field(default_factory=dict)

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
        if in_graph := names_in_graph_query(before, self._graphs):
            yield from _beginning(*in_graph)
            return
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
        """Return the ids of all databases; a database of an id that several have, by its name."""
        try:
            names = self.shell.databases()
        except FAILURES:
            return ()
        count = Counter(each.database for each in names)
        return [str(each) if count[each.database] > 1 else each.database for each in names]

    def _refresh(self) -> None:
        """Read the names of the database, unless the shell is in a transaction, which they join."""
        if self._version == self.shell.schema_version or self.shell.session.in_transaction:
            return
        try:
            self._tables = column_names(self.shell.session)
            self._functions = function_names(self.shell.session)
            self._graphs = graph_names(self.shell.session)
        except FAILURES:
            return
        self._version = self.shell.schema_version


def _beginning(prefix: str, names: Iterable[str], kind: str) -> Iterator[Candidate]:
    lower = prefix.lower()
    return (Candidate(name, len(prefix), kind) for name in names if name.lower().startswith(lower))


def _cased(names: Iterable[str], prefix: str) -> Iterable[str]:
    """Return keywords or functions in lower case if what the user typed is in lower case."""
    return map(str.lower, names) if prefix.islower() else names
