"""What an engine answered, in a form that can be compared and written down."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.cloud.spanner_v1 import TypeCode
from google.protobuf.message import DecodeError

from tests.differential.parameters import bound

SECONDS_MAX = 3.0
PATIENT_SECONDS_MAX = 60.0
UNREADABLE = "UNREADABLE"
DIED = "DIED"
NO_ANSWER = frozenset({UNREADABLE, DIED, "DEADLINE_EXCEEDED"})


@dataclass(frozen=True)
class Outcome:
    """The rows and the types of the columns, or the code of the failure."""

    code: str
    types: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()  # a text for each row; sorted, unless the query orders them
    message: str = ""

    @property
    def place(self) -> str:
        """Line and column that the message names; "" if none."""
        found = re.search(r"\[at (\d+:\d+)\]", self.message)
        return found[1] if found else ""

    def agrees(self, other: Outcome) -> bool:
        return (self.code, self.types, self.rows) == (other.code, other.types, other.rows)

    def __str__(self) -> str:
        if self.code != "OK":
            return f"{self.code}: {self.message}"
        shown = list(self.rows[:12])
        return f"{', '.join(self.types)}: {len(self.rows)} rows {shown}"


def ask(database: Any, sql: str, *, ordered: bool, seconds: float = SECONDS_MAX) -> Outcome:
    """Return the answer of one engine to one query."""

    def answer() -> Outcome:
        with database.snapshot() as snapshot:
            results = snapshot.execute_sql(sql, timeout=seconds, retry=None, **bound(sql))
            rows = [row_text(row) for row in results]
        return _answered(results.fields, rows if ordered else sorted(rows))

    return _outcome(answer)


def ask_write(database: Any, sql: str, table: str, *, seconds: float = SECONDS_MAX) -> Outcome:
    """Return the rows of a DML statement, its row count, and its table afterwards.

    All in a transaction that is rolled back.
    """
    session = database.session()
    session.create()
    transaction = session.transaction()

    def answer() -> Outcome:
        transaction.begin()
        results = transaction.execute_sql(sql, timeout=seconds, retry=None, **bound(sql))
        returned = sorted(row_text(row) for row in results)
        count = f"wrote {results.stats.row_count_exact}"
        after = transaction.execute_sql(f"SELECT * FROM {table}", timeout=seconds, retry=None)
        left = sorted(f"left {row_text(row)}" for row in after)
        return _answered(results.fields, [*returned, count, *left])

    try:
        return _outcome(answer)
    finally:
        transaction.rollback()
        session.delete()


def _answered(fields: Any, rows: Sequence[str]) -> Outcome:
    return Outcome("OK", tuple(type_text(each.type_) for each in fields), tuple(rows))


def _outcome(answer: Callable[[], Outcome]) -> Outcome:
    try:
        return answer()
    except DecodeError:  # an error whose text is no UTF-8
        return Outcome(UNREADABLE)
    except GoogleAPICallError as error:
        code = error.grpc_status_code
        name = code.name if code is not None else type(error).__name__
        return Outcome(name, message=str(error.message)[:300])


def type_text(type_: Any) -> str:
    """Return a type of the wire as SQL writes it."""
    if type_.code == TypeCode.ARRAY:
        return f"ARRAY<{type_text(type_.array_element_type)}>"
    if type_.code == TypeCode.STRUCT:
        inside = (f"{each.name} {type_text(each.type_)}" for each in type_.struct_type.fields)
        return f"STRUCT<{', '.join(inside)}>"
    return str(TypeCode(type_.code).name)


def row_text(row: Sequence[Any]) -> str:
    """Return a row as text; floats to 11 digits, since the order of a sum is nobody's promise."""
    return "(" + ", ".join(map(_value_text, row)) + ")"


def _value_text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value + 0.0:.11g}" if value else "0"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value_text, value)) + "]"
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    serialize = getattr(value, "serialize", None)
    if serialize is not None:
        return f"JSON {serialize()}"
    return repr(value)
