"""UUIDs, sequences, ERROR and percentiles of histograms, by the chapters of these functions.

The declared type of ERROR is INT64, but the analyzer treats a call as an untyped NULL, which fits
wherever a value stands (`IF(ok, 'text', ERROR('...'))`). ERROR is volatile: constant folding would
fail a query that never evaluates the call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn
from uuid import UUID

from spanemu.sql.functions.errors import BadArgument, RaisedByQuery
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Context, Operation


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
    """Raise the error of `ERROR(message)`."""
    raise RaisedByQuery("ERROR function called with NULL value" if message is None else message)


# ---------------------------------------------------------------------------- introspection
#
# A distribution is a struct (COUNT, MEAN, SUM_OF_SQUARED_DEVIATION, NUM_FINITE_BUCKETS,
# GROWTH_FACTOR, SCALE, BUCKET_COUNTS), or an object with these members as JSON text. Bucket 0 ends
# at SCALE. Each following bucket ends GROWTH_FACTOR times as far, and the last bucket has no end.
# Spanner's statistics tables have such histograms.

_FIELDS = ("COUNT", "NUM_FINITE_BUCKETS", "GROWTH_FACTOR", "SCALE", "BUCKET_COUNTS")
_FIELDS_COUNT = 7


def distribution_percentile(distribution: Any, percentile: float) -> float | None:
    """Return `SPANNER_SYS.DISTRIBUTION_PERCENTILE(distribution, percentile)`.

    The result estimates the value below which `percentile` percent of the values lie; it is NULL
    for a distribution without values. Raise BadArgument for a percentile outside 0 to 100 and for
    an argument that is not a distribution.
    """
    if not 0 <= percentile <= 100:
        raise BadArgument(f"DISTRIBUTION_PERCENTILE: {percentile} is not between 0 and 100")
    count, finite, growth, scale, buckets = _read(distribution)
    if not count:
        return None
    rank = count * percentile / 100
    below = 0
    for bucket, number in enumerate(buckets):
        if number and below + number >= rank:
            low = scale * growth ** (bucket - 1) if bucket else 0.0
            high = scale * growth ** min(bucket, finite)
            return float(low + (high - low) * (rank - below) / number)
        below += number
    return float(scale * growth**finite)


def _read(distribution: Any) -> tuple[int, int, float, float, Sequence[int]]:
    if isinstance(distribution, str):
        try:
            document = json.loads(distribution)
            count, finite, growth, scale, buckets = (document[name] for name in _FIELDS)
        except (ValueError, KeyError, TypeError):
            raise BadArgument("DISTRIBUTION_PERCENTILE: the text is not a distribution") from None
        return count, finite, growth, scale, buckets
    if len(distribution) != _FIELDS_COUNT:
        raise BadArgument("DISTRIBUTION_PERCENTILE: the struct is not a distribution")
    count, _, _, finite, growth, scale, buckets = distribution
    return count, finite, growth, scale, buckets


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
            "GET_NEXT_SEQUENCE_VALUE": function(
                (
                    overload(
                        "(SEQUENCE) -> INT64", get_next_sequence_value, context=True, volatile=True
                    ),
                ),
                operation=Operation.NEXT_SEQUENCE_VALUE,
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
    + chapter(
        "introspection",
        {
            "SPANNER_SYS.DISTRIBUTION_PERCENTILE": (
                overload("(T{STRUCT|STRING}, FLOAT64) -> FLOAT64", distribution_percentile),
            ),
        },
    )
)
