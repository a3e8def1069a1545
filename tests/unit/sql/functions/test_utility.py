"""UUIDs and sequences: calls of the statement's context."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from spanemu.base.rand import Randomness
from spanemu.sql.functions import utility
from spanemu.sql.functions.errors import RaisedByQuery
from spanemu.sql.functions.utility import error
from spanemu.sql.googlesql.catalog import CATALOG


def test_uuids_come_from_the_seed() -> None:
    first: Any = SimpleNamespace(randomness=Randomness(1))
    second: Any = SimpleNamespace(randomness=Randomness(1))
    uuid = utility.new_uuid(first)
    assert isinstance(uuid, UUID)
    assert uuid.version == 4
    assert utility.generate_uuid(second) == str(uuid)
    assert utility.new_uuid(first) != uuid


def test_sequences_ask_the_context() -> None:
    context: Any = SimpleNamespace(
        next_sequence_value=lambda name: f"next {name}",
        sequence_state=lambda name: f"state {name}",
        identity_state=lambda column: f"identity {column}",
    )
    assert utility.get_next_sequence_value(context, "s") == "next s"
    assert utility.get_internal_sequence_state(context, "s") == "state s"
    assert utility.get_table_column_identity_state(context, "t.c") == "identity t.c"


@pytest.mark.parametrize(
    "name",
    [
        "GENERATE_UUID",
        "NEW_UUID",
        "GET_NEXT_SEQUENCE_VALUE",
        "GET_INTERNAL_SEQUENCE_STATE",
        "ERROR",
    ],
)
def test_uuid_and_sequence_functions_are_never_folded(name: str) -> None:
    assert all(overload.volatile for overload in CATALOG.scalars[name].overloads)


def test_error_raises_its_argument() -> None:
    with pytest.raises(RaisedByQuery) as failure:
        error(" Show this ")
    assert failure.value.message == " Show this "
    with pytest.raises(RaisedByQuery):
        error(None)
