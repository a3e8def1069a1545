"""The shell on a terminal: a line editor with history, completion and highlighting.

Enter runs a statement that ends with a semicolon, or a command. Any other text continues on the
next line; Escape Enter runs it as it is. Only interactive shells import this module, because
prompt_toolkit is an extra.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
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

from spanemu.cli.shell.commands import Rejected, ShellEnded, run_lines
from spanemu.cli.shell.completion import Completer
from spanemu.cli.shell.interpreter import Shell
from spanemu.cli.shell.script import InputReader


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
