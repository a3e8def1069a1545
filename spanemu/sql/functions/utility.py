"""UUIDs and sequences, by the chapters "Utility functions" and "Sequence functions"."""

from __future__ import annotations

from uuid import UUID

from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.registry import Context


def generate_uuid(context: Context) -> str:
    """A random UUID as lower-case text."""
    return str(context.randomness.uuid4())


def new_uuid(context: Context) -> UUID:
    """A random UUID."""
    return context.randomness.uuid4()


def get_next_sequence_value(context: Context, sequence: str) -> int:
    """The sequence's next value; the context refuses it where nothing may be written."""
    return context.next_sequence_value(sequence)


def get_internal_sequence_state(context: Context, sequence: str) -> int | None:
    """The counter before bit reversal; NULL for a sequence that was never used."""
    return context.sequence_state(sequence)


def get_table_column_identity_state(context: Context, column: str) -> int | None:
    """The counter of an identity column, named as text "[schema.]table.column"."""
    return context.identity_state(column)


FUNCTIONS = chapter(
    "utility",
    {
        "GENERATE_UUID": (overload("() -> STRING", generate_uuid, context=True, volatile=True),),
        "NEW_UUID": (overload("() -> UUID", new_uuid, context=True, volatile=True),),
    },
) + chapter(
    "sequence",
    {
        "GET_NEXT_SEQUENCE_VALUE": (
            overload("(SEQUENCE) -> INT64", get_next_sequence_value, context=True, volatile=True),
        ),
        "GET_INTERNAL_SEQUENCE_STATE": (
            overload(
                "(SEQUENCE) -> INT64", get_internal_sequence_state, context=True, volatile=True
            ),
        ),
        "GET_TABLE_COLUMN_IDENTITY_STATE": (
            overload(
                "(STRING) -> INT64", get_table_column_identity_state, context=True, volatile=True
            ),
        ),
    },
    safe_allowed=False,
)
