"""Python objects as plain data, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.serialization import (
    camel_case,
    from_plain,
    snake_case,
    snake_case_names,
    to_plain,
)


class Shade(StrEnum):
    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True)
class Inner:
    data: bytes
    at: datetime | None = None


@dataclass(frozen=True)
class Outer:
    number: int
    share: float | None
    flag: bool
    shade: Shade
    names: tuple[str, ...]
    pairs: list[tuple[int, bytes]]
    by_shade: Mapping[Shade, list[Inner]] = field(default_factory=dict)
    either: int | str = 0


inner = st.builds(Inner, st.binary(), st.none() | st.datetimes(timezones=st.just(UTC)))
outer = st.builds(
    Outer,
    number=st.integers(-(2**70), 2**70),
    share=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    pairs=st.lists(st.tuples(st.integers(), st.binary())),
    by_shade=st.dictionaries(st.sampled_from(Shade), st.lists(inner)),
    either=st.integers(-9, 9) | st.text(),
)


@given(outer)
def test_a_round_trip_through_json(made: Outer) -> None:
    plain = json.loads(json.dumps(to_plain(made)))
    assert from_plain(Outer, plain) == made


@pytest.mark.parametrize(
    ("wanted", "data"),
    [
        (int, "x"), (int, 1.5), (int, True), (int, None), (float, "1"), (float, True), (str, 1),
        (bool, 1), (bytes, "?"), (datetime, "soon"), (Shade, "grey"), (list[int], "12"),
        (list[int], [1, "x"]), (tuple[int, bytes], [1]), (dict[str, int], [1]),
        (dict[str, int], {"a": "b"}), (int | None, "x"), (int | bool, "x"), (Inner, {}),
        (Inner, {"data": "", "more": 1}), (Inner, []), (Any.__class__, 1), (type(None), 0),
    ],
)  # fmt: skip
def test_mismatching_data_raises_value_error(wanted: Any, data: Any) -> None:
    with pytest.raises(ValueError, match="place"):
        from_plain(wanted, data, "place")


def test_a_misfit_is_named_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"inner\.data must be base64"):
        from_plain(Inner, {"data": "?"}, "inner")


@pytest.mark.parametrize("value", [lambda: 1, object(), Inner, {"a": object()}])
def test_values_without_a_plain_form_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        to_plain(value)


def test_names_of_fields_may_be_in_camel_case() -> None:
    assert camel_case("lock_wait_seconds") == "lockWaitSeconds"
    assert snake_case("lockWaitSeconds") == "lock_wait_seconds"
    names = {"retryDelay": 1, "tag": 2, "noSuch": 3}
    assert snake_case_names(names, ("retry_delay", "tag")) == {
        "retry_delay": 1,
        "tag": 2,
        "noSuch": 3,
    }


def test_a_time_has_a_zone() -> None:
    assert to_plain(from_plain(datetime, "2026-01-01T01:00+01:00")) == "2026-01-01T00:00:00Z"
    for naive in ("2026-01-01", "2026-01-01T00:00"):
        with pytest.raises(ValueError, match="time zone"):
            from_plain(datetime, naive)
