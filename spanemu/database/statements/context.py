"""The context of a running statement for SQL functions: time, time zone, randomness, sequences."""

from __future__ import annotations

from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.models import statement as model_statement
from spanemu.schema.schema import Schema
from spanemu.sql.functions.errors import NotAnIdentityColumn
from spanemu.sql.remote_calls import RemoteCalls

_COUNTER_BITS = 63
_SKIPS_MAX = 2_000  # values of a skip range passed over before the sequence counts as exhausted


class StatementContext:
    """A `functions.registry.Context` for a statement or for a commit."""

    __slots__ = (
        "_calls", "_core", "_now", "_schema", "_store", "randomness", "time_zone", "writable",
    )  # fmt: skip

    def __init__(self, core: DatabaseCore, schema: Schema, *, writable: bool) -> None:
        self._core = core
        self._store = core.store
        self._schema = schema
        self._calls: RemoteCalls | None = None
        self._now: int | None = None
        self.randomness = core.environment.randomness
        self.writable = writable
        self.time_zone = schema.default_time_zone

    @property
    def now(self) -> int:
        """The start of the statement: the time of the first access, because most statements
        never ask.
        """
        now = self._now
        if now is None:
            now = self._now = self._store.clock.peek()
        return now

    @property
    def remote_calls(self) -> RemoteCalls:
        """The calls of models and remote functions that the statement makes."""
        calls = self._calls
        if calls is None:
            environment = self._core.environment
            calls = self._calls = model_statement.StatementCalls(
                environment.models(),
                self._core.name,
                self._schema.dialect.option,
                environment.limits.model_rows,
            )
        return calls

    def waited(self) -> float:
        """Return the seconds that the statement has waited for functions of models."""
        return 0.0 if self._calls is None else self._calls.waited

    def next_sequence_value(self, sequence: str) -> int:
        """Return the next value, which is consumed even if the transaction aborts."""
        if not self.writable:
            raise errors.SequenceInReadOnly(sequence)
        declared = self._schema.sequences[self._schema.fold(sequence)]
        start = declared.start_counter or 1
        with self._store.mutex:
            counters = self._store.sequences
            for _ in range(_SKIPS_MAX):
                counter = counters.get(declared.id, start - 1) + 1
                counters[declared.id] = counter
                value = bit_reversed(counter)
                skip = declared.skip_range
                if skip is None or not skip[0] <= value <= skip[1]:
                    if self._store.explorer is not None:
                        self._store.explorer.generated("sequence", value)
                    return value
        raise errors.SequenceExhausted(sequence)

    def sequence_state(self, sequence: str) -> int | None:
        """Return the current counter; None before the first value."""
        if self._store.explorer is not None:
            self._store.explorer.sequence_read()
        return self._store.sequences.get(self._schema.sequences[self._schema.fold(sequence)].id)

    def identity_state(self, column: str) -> int | None:
        """Return the counter of the identity column "[schema.]table.column"; None before its
        first use.
        """
        table_name, _, name = column.rpartition(".")
        table = self._schema.table(table_name)
        declared = None if table is None else table.column(name)
        if declared is None or declared.identity is None:
            raise NotAnIdentityColumn(column)
        return self.sequence_state(declared.identity.sequence)


def bit_reversed(counter: int) -> int:
    """Return the 63 bits of a positive counter in reverse order; the sign stays."""
    return int(format(counter, f"0{_COUNTER_BITS}b")[::-1], 2)
