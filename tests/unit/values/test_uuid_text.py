"""UUID text: canonical on the wire, looser in SQL."""

from uuid import UUID

import pytest

from spanemu.values import uuid_text
from spanemu.values.types import BadValue

TEXT = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
ODD_HYPHENS = "f81d-4fae7dec-11d0a765-00a0c91e6bf6"


def test_canonical_text() -> None:
    assert uuid_text.parse(TEXT.upper()) == UUID(TEXT)
    assert uuid_text.format(UUID(TEXT)) == TEXT
    assert uuid_text.format(UUID(int=0)) == str(UUID(int=0))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("-", ""),
        "{" + TEXT + "}",
        TEXT[:-1] + "0_",
        "f81d-4fae7dec-11d0a765-00a0c91e6bf6",
    ],
)
def test_only_sql_is_loose(text: str) -> None:
    with pytest.raises(BadValue):
        uuid_text.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.upper(),
        TEXT.replace("-", ""),
        "{" + TEXT + "}",
        "f81d-4fae7dec-11d0a765-00a0c91e6bf6",
    ],
)
def test_sql_text(text: str) -> None:
    assert uuid_text.parse_sql(text) == UUID(TEXT)


@pytest.mark.parametrize(
    "text", ["", TEXT[:-1], TEXT + "0", "-" + TEXT, TEXT + "-", "{" + TEXT, TEXT.replace("-", "--")]
)
def test_invalid_uuids_are_refused(text: str) -> None:
    with pytest.raises(BadValue):
        uuid_text.parse_sql(text)
