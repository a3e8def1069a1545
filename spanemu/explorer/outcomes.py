"""The outcome of a run: the final rows, and the answer of each actor.

What differs from run to run without meaning is replaced by a name: generated values by their kind
and actor, times near the run by `<now>`.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from spanemu.database.database import Database
from spanemu.explorer.actors import Actor
from spanemu.explorer.cells import HOUR_NANOS, NOW, cell_text
from spanemu.explorer.run import Run
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.values.types import Type

_ADDRESS = re.compile(" at 0x[0-9a-f]+")
Rows = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Outcome:
    """The rows of each table as text, and the answer of each actor, None for one that did not run.

    `answers` are texts that begin with "returned" or "raised".
    """

    rows: tuple[tuple[str, tuple[str, ...]], ...]
    answers: tuple[str | None, ...]

    def matches(self, other: Outcome, *, answers: bool, without: Collection[int] = ()) -> bool:
        """Return whether the outcomes are equal, leaving the answers of some actors out."""
        if self.rows != other.rows:
            return False
        pairs = enumerate(zip(self.answers, other.answers, strict=True))
        return not answers or all(
            mine == theirs for number, (mine, theirs) in pairs if number not in without
        )


class OutcomeReader:
    """A reader of the outcomes of runs on one database; `ignore` names columns as "Table.Column".

    Raises ValueError for a column that does not exist.
    """

    def __init__(self, database: Database, ignore: Sequence[str] = ()) -> None:
        self._database = database
        self.tables: list[Table] = sorted(
            database.schema.tables.values(), key=lambda table: table.name
        )
        self._ignored: set[tuple[str, int]] = set()
        self._ignored.update(map(self._position, ignore))
        self._columns = {table.name: self._compared(table) for table in self.tables}
        self._before: dict[str, tuple[str, ...]] = {}  # the rows of tables that no run wrote yet

    def _position(self, name: str) -> tuple[str, int]:
        table_name, _, column_name = name.rpartition(".")
        for table in self.tables:
            if table.name.lower() == table_name.lower():
                for column in table.columns:
                    if column.name.lower() == column_name.lower():
                        return table.name, column.position
        raise ValueError(f"ignore={name!r} names no column; columns are written Table.Column")

    def _compared(self, table: Table) -> list[tuple[int, Type]]:
        """Return the positions and types of the columns of a table that are compared."""
        return [
            (column.position, column.type)
            for column in table.columns
            if (table.name, column.position) not in self._ignored and not column.is_virtual
        ]

    def of(self, run: Run) -> Outcome:
        """Return the outcome of a run that has just ended."""
        written = {change.tree for step in run.steps for change in step.changes}
        rows = {table.name: self._rows(table) for table in self.tables if tree_of(table) in written}
        ran = [actor for actor in run.actors if actor.root.number in run.plan.order]
        names = self._names(ran, rows)
        now = self._database.clock.peek()
        return Outcome(
            tuple(
                (table.name, _texts(rows[table.name], names, now))
                if table.name in rows
                else (table.name, self._unwritten(table, now))
                for table in self.tables
            ),
            tuple(
                _answer(actor, run, names, now) if actor.number in run.plan.order else None
                for actor in run.actors
                if actor.parent is None
            ),
        )

    def _unwritten(self, table: Table, now: int) -> tuple[str, ...]:
        """Return the rows of a table that the run has not written, which are always the same."""
        known = self._before.get(table.name)
        if known is None:
            known = self._before[table.name] = _texts(self._rows(table), {}, now)
        return known

    def _rows(self, table: Table) -> list[list[tuple[Any, Type]]]:
        """Return the rows of a table as cells, each with its type."""
        columns = self._columns[table.name]
        return [
            [(row[position] if position < len(row) else None, type_) for position, type_ in columns]
            for _, row in self._database.core.store.scan_items(tree_of(table))
        ]

    def _names(self, ran: Sequence[Actor], rows: Mapping[str, Any]) -> dict[Any, str]:
        """Return the names of the generated values that have survived, by value as text."""
        if not any(actor.generated for actor in ran):
            return {}
        present: set[str] = set()
        for table in rows.values():
            present.update(str(cell) for row in table for cell, _ in row)
        for actor in ran:
            _collect(actor.result, present)
        names: dict[Any, str] = {}
        for actor in ran:
            counts: dict[str, int] = {}
            for kind, value in actor.generated:
                texts = {str(value), value.hex} if isinstance(value, uuid.UUID) else {str(value)}
                if present & texts - names.keys():
                    counts[kind] = counts.get(kind, 0) + 1
                    names.update(dict.fromkeys(texts, f"<{kind} {counts[kind]} of {actor.name}>"))
        return names


def _collect(value: Any, into: set[str]) -> None:
    if isinstance(value, Mapping):
        for pair in value.items():
            _collect(pair, into)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            _collect(item, into)
    else:
        into.add(str(value))


def _texts(
    rows: Sequence[Sequence[tuple[Any, Type]]], names: Mapping[Any, str], now: int
) -> tuple[str, ...]:
    """Return the rows of a table as sorted texts."""
    return tuple(sorted(_row_text(row, names, now) for row in rows))


def _row_text(row: Sequence[tuple[Any, Type]], names: Mapping[Any, str], now: int) -> str:
    cells = [
        names[str(cell)]
        if names and isinstance(cell, int | str | uuid.UUID) and str(cell) in names
        else cell_text(cell, type_, now)
        for cell, type_ in row
    ]
    return f"({', '.join(cells)})"


def value_text(value: Any, names: Mapping[Any, str], now: int) -> str:
    """Return a Python value as text, with the names of generated values in it."""
    if isinstance(value, int | str | uuid.UUID) and str(value) in names:
        return names[str(value)]
    if isinstance(value, datetime):
        near = abs(value.timestamp() * 1_000_000_000 - now) < HOUR_NANOS
        return NOW if near else value.isoformat()
    if isinstance(value, Mapping):
        pairs = ", ".join(
            f"{value_text(key, names, now)}: {value_text(each, names, now)}"
            for key, each in value.items()
        )
        return f"{{{pairs}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(value_text(each, names, now) for each in value))}}}"
    if isinstance(value, list | tuple):
        ends = "[]" if isinstance(value, list) else "()"
        texts = ", ".join(value_text(each, names, now) for each in value)
        return f"{ends[0]}{texts}{ends[1]}"
    if value is None or isinstance(value, int | str | float | bytes | bool):
        return repr(value)
    text = repr(value)
    # The address of an object says nothing, and differs from run to run.
    return f"<{type(value).__name__}>" if " at 0x" in text else text


def _answer(actor: Actor, run: Run, names: Mapping[Any, str], now: int) -> str:
    error = actor.error
    text = f"returned {value_text(actor.result, names, now)}"
    if error is not None:
        text = f"raised {error_text(error)}"
    for thread in run.actors:
        if thread.root is actor and thread is not actor and thread.error is not None:
            text += f", {thread.name} raised {error_text(thread.error)}"
    return text


def status_of(error: BaseException) -> str:
    """Return the status code of an exception of the client library, "" for another exception."""
    return str(getattr(getattr(error, "grpc_status_code", None), "name", ""))


def error_text(error: BaseException) -> str:
    """Return an exception as text: without the client's request ids, which differ in each call."""
    if status_of(error):
        return type(error).__name__
    text = _ADDRESS.sub("", str(error))
    return f"{type(error).__name__}({text!r})" if text else type(error).__name__


class Allowed:
    """The outcomes of serial orders, by the actors that took part; `find` runs them."""

    def __init__(self, find: Callable[[tuple[int, ...]], list[tuple[str, Outcome]]]) -> None:
        self._find = find
        self._known: dict[tuple[int, ...], list[tuple[str, Outcome]]] = {}

    def of(self, numbers: tuple[int, ...]) -> list[tuple[str, Outcome]]:
        """Return the outcomes of the serial orders of some actors, with the names of the orders."""
        if numbers not in self._known:
            self._known[numbers] = self._find(numbers)
        return self._known[numbers]

    def forget(self) -> None:
        """Forget all outcomes."""
        self._known.clear()
