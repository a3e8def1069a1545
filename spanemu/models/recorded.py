"""The latest calls of models and functions, for tests."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from spanemu.models.answers import Columns, dict_maker
from spanemu.models.request import Request
from spanemu.sql.remote_calls import Row

CALLS_MAX = 1_000
BYTES_MAX = 1024 * 1024
_CALL_BYTES = 200


class RecordedCall:
    """A request to a model or a function.

    row_count    the number of rows
    error        the message of a failure, or ""
    """

    def __init__(
        self,
        request: Request,
        outputs: Sequence[Row],
        columns: Columns | None,
        error: str = "",
    ) -> None:
        self._call = request.call
        self.row_count = len(request.rows)
        self.error = error
        self._inputs: tuple[Sequence[Row], Columns | None] = request.rows, request.inputs
        self._outputs: tuple[Sequence[Row], Columns | None] = outputs, columns

    @property
    def model(self) -> str:
        """The name of the model or of the function; the endpoint in PostgreSQL."""
        return self._call.model

    @property
    def endpoint(self) -> str:
        """The endpoint that was asked, "" if there is none."""
        return self._call.endpoint

    @property
    def function(self) -> str:
        """The function of SQL, such as "ML.PREDICT", or the name of a remote function."""
        return self._call.function

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the call."""
        return self._call.parameters

    @property
    def database(self) -> str:
        """The full name of the database."""
        return self._call.database

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts by the names of the inputs; none if they were too large to be kept."""
        return _as_dicts(*self._inputs)

    @cached_property
    def answers(self) -> list[dict[str, Any]]:
        """The outputs of each row as dicts by their names; none if the request failed."""
        return _as_dicts(*self._outputs)

    def forget_rows(self) -> None:
        """Drop rows and answers, which are too large to be kept."""
        self._inputs = self._outputs = (), None

    def __repr__(self) -> str:
        failure = f", error={self.error!r}" if self.error else ""
        return f"<call of {self.model} with {self.row_count} rows{failure}>"


def _as_dicts(rows: Sequence[Row], columns: Columns | None) -> list[dict[str, Any]]:
    return dict_maker(columns)(rows)


class Recorder:
    """The latest calls: as many as `CALLS_MAX`, of `BYTES_MAX` in all."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the fields below.
        self._calls: deque[tuple[RecordedCall, int]] = deque()
        self._bytes = 0
        self.rows: dict[str, int] = {}  # of all calls ever, by database

    def add(self, call: RecordedCall, size: int) -> None:
        """Record a call whose rows and answers have about `size` bytes."""
        if size > BYTES_MAX // 2:
            call.forget_rows()
            size = 0
        size += _CALL_BYTES
        with self._mutex:
            self.rows[call.database] = self.rows.get(call.database, 0) + call.row_count
            self._calls.append((call, size))
            self._bytes += size
            while self._bytes > BYTES_MAX or len(self._calls) > CALLS_MAX:
                self._bytes -= self._calls.popleft()[1]

    def calls(self) -> list[RecordedCall]:
        """Return the calls, the earliest first."""
        with self._mutex:
            return [call for call, _ in self._calls]

    def clear(self) -> None:
        """Forget all calls."""
        with self._mutex:
            self._calls.clear()
            self._bytes = 0
