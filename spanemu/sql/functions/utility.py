"""UUIDs, sequences and ERROR, by the chapters "Utility", "Sequence" and "Debugging functions".

The declared type of ERROR is INT64, but the analyzer treats a call as an untyped NULL, which fits
wherever a value stands (`IF(ok, 'text', ERROR('...'))`). ERROR is volatile: constant folding would
fail a query that never evaluates the call.
"""

from __future__ import annotations

from typing import NoReturn
from uuid import UUID

from spanemu.sql.functions.errors import RaisedByQuery
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.registry import Context


def generate_uuid(context: Context) -> str:
    """Return `GENERATE_UUID()`: a random UUID as lower-case text."""
    return str(context.randomness.uuid4())


def new_uuid(context: Context) -> UUID:
    """Return `NEW_UUID()`: a random UUID."""
    return context.randomness.uuid4()


def get_next_sequence_value(context: Context, sequence: str) -> int:
    """Return `GET_NEXT_SEQUENCE_VALUE(sequence)`.

    The context raises an error where the transaction may not write.
    """
    return context.next_sequence_value(sequence)


def get_internal_sequence_state(context: Context, sequence: str) -> int | None:
    """Return `GET_INTERNAL_SEQUENCE_STATE(sequence)`.

    The result is the counter before bit reversal, or NULL for a sequence that was never used.
    """
    return context.sequence_state(sequence)


def get_table_column_identity_state(context: Context, column: str) -> int | None:
    """Return `GET_TABLE_COLUMN_IDENTITY_STATE("[schema.]table.column")`.

    The result is the counter of that identity column before bit reversal, or NULL if it was never
    used.
    """
    return context.identity_state(column)


def error(message: str | None) -> NoReturn:
    """Raise the error that `ERROR(message)` asks for."""
    raise RaisedByQuery("ERROR function called with NULL value" if message is None else message)


FUNCTIONS = (
    chapter(
        "utility",
        {
            "GENERATE_UUID": (
                overload("() -> STRING", generate_uuid, context=True, volatile=True),
            ),
            "NEW_UUID": (overload("() -> UUID", new_uuid, context=True, volatile=True),),
        },
    )
    + chapter(
        "sequence",
        {
            "GET_NEXT_SEQUENCE_VALUE": (
                overload(
                    "(SEQUENCE) -> INT64", get_next_sequence_value, context=True, volatile=True
                ),
            ),
            "GET_INTERNAL_SEQUENCE_STATE": (
                overload(
                    "(SEQUENCE) -> INT64", get_internal_sequence_state, context=True, volatile=True
                ),
            ),
            "GET_TABLE_COLUMN_IDENTITY_STATE": (
                overload(
                    "(STRING) -> INT64",
                    get_table_column_identity_state,
                    context=True,
                    volatile=True,
                ),
            ),
        },
        safe_allowed=False,
    )
    + chapter(
        "debugging",
        {"ERROR": (overload("(STRING) -> INT64", error, called=True, volatile=True),)},
    )
)
