"""Errors of approximate distances, in the sentences of Spanner's emulator where it has one.

SpannerError (INVALID_ARGUMENT)
├── DistanceMisplaced          the call is not what the query sorts by
├── OptionsRequired            GoogleSQL requires the argument `options`
├── OptionsNotLiteral
├── OptionsInvalid
├── VectorLengthsDiffer        the constant vector has another length than the column
├── ZeroVector                 a constant zero vector has no cosine
├── NoVectorIndex              no vector index fits
├── NullsFilteredByIndex       the query may need rows that the index leaves out
├── ForcedIndexOfOtherDistance
├── ForcedIndexOnOtherColumn
├── ForcedIndexNotVector
├── ForcedIndexDisabled
└── ForcedVectorIndexUnused    a query without an approximate distance names a vector index
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class DistanceMisplaced(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The use of function {function} is not supported in this query. This function can only be "
        "used to sort vectors in a table based solely on their approximate distances to another "
        "constant vector with an ORDER BY clause. The ORDER BY must be followed by a mandatory "
        "LIMIT clause. Please use {exact} in all other cases."
    )
    function: str
    exact: str


class OptionsRequired(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Argument `options` is required for function {function}."
    function: str


class OptionsNotLiteral(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Argument `options` of function {function} must be a literal."
    function: str


class OptionsInvalid(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "Argument `options` of function {function} is invalid. It must have a single "
        "`num_leaves_to_search` field with an unsigned integer value."
    )
    function: str


class VectorLengthsDiffer(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "{function}: Array length mismatch: {given} and {length}."
    function: str
    given: int
    length: int


class ZeroVector(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Cannot compute cosine distance against zero vector."


class NoVectorIndex(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = (
        "No usable vector index can be found for this query that supports {distance} distance type "
        "on column {column} for function {function}; also make sure that the vector index is not "
        "in backfilling, and the query has a filter that matches that of the vector index"
    )
    distance: str
    column: str
    function: str


class NullsFilteredByIndex(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The index {index} cannot be used because it filters nulls that are required to answer the "
        "query for column {column}."
    )
    index: str
    column: str


class ForcedIndexOfOtherDistance(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The index {index} cannot be used because it is a vector index of distance type {distance} "
        "but the query requires distance computation function {function} on column {column}."
    )
    index: str
    distance: str
    function: str
    column: str


class ForcedIndexOnOtherColumn(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The index {index} cannot be used because it is not a vector index on column {column} "
        "which is required for {function}."
    )
    index: str
    column: str
    function: str


class ForcedIndexNotVector(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "The index {index} cannot be used because it is not a vector index."
    index: str


class ForcedIndexDisabled(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "The index {index} cannot be used because its option disable_search is true."
    index: str


class ForcedVectorIndexUnused(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The index {index} cannot be used because it is a vector index: only a query that sorts by "
        "an approximate distance function, with LIMIT, can read it."
    )
    index: str
