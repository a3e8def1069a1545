"""Sequences, UUIDs and tokenizers under the names of PostgreSQL databases.

The implementations are GoogleSQL's. A sequence is named by a text. The arguments that tune a
tokenizer may also be passed by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.sql.functions import utility
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.shared import with_operations
from spanemu.sql.functions.registry import Function, Operation, Overload
from spanemu.sql.functions.text import search
from spanemu.values.types import JSON, NUMERIC, PG_JSONB

_UTILITY = chapter(
    "utility",
    {
        "spanner.generate_uuid": (
            overload("() -> STRING", utility.generate_uuid, context=True, volatile=True),
        ),
        "gen_random_uuid": (overload("() -> UUID", utility.new_uuid, context=True, volatile=True),),
        "nextval": (
            overload(
                "(STRING) -> INT64", utility.get_next_sequence_value, context=True, volatile=True
            ),
        ),
        "spanner.get_internal_sequence_state": (
            overload(
                "(STRING) -> INT64",
                utility.get_internal_sequence_state,
                context=True,
                volatile=True,
            ),
        ),
        "spanner.get_table_column_identity_state": (
            overload(
                "(STRING) -> INT64",
                utility.get_table_column_identity_state,
                context=True,
                volatile=True,
            ),
        ),
    },
    safe_allowed=False,
)


def _tokenizers() -> Iterator[Function]:
    for function in search.FUNCTIONS:
        name = "tokenize_jsonb" if function.name == "TOKENIZE_JSON" else function.name.lower()
        overloads = (each for each in function.overloads if not _takes(each, NUMERIC))
        yield replace(
            function, name=f"spanner.{name}", overloads=tuple(map(_postgresql, overloads))
        )


def _takes(overload_: Overload, type_: object) -> bool:
    pattern = overload_.parameters[0].pattern
    return type_ in (pattern, getattr(pattern, "element", None))


def _postgresql(overload_: Overload) -> Overload:
    """Return the overload with parameters that may be passed by position, and jsonb for JSON."""
    parameters = tuple(
        replace(
            parameter,
            named_only=False,
            pattern=PG_JSONB if parameter.pattern == JSON else parameter.pattern,
        )
        for parameter in overload_.parameters
    )
    return replace(overload_, parameters=parameters)


FUNCTIONS = (
    *with_operations(_UTILITY, {"nextval": Operation.NEXT_SEQUENCE_VALUE}),
    *_tokenizers(),
)
