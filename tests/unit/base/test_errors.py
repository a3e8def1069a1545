"""Failures hold facts; prose is made from them."""

from __future__ import annotations

from dataclasses import field

import pytest

from spanemu.base.errors import Code, SpannerError, Unsupported


class Missing(SpannerError):
    """Two facts."""

    code = Code.NOT_FOUND
    prose = "{thing} is not in {place}."
    thing: str
    place: str = "the house"


class MissingTwice(Missing):
    """A fact more than its base, to be named."""

    prose = "{thing} is not in {place}, {times} times."
    times: int = field(kw_only=True)


def test_facts_become_prose() -> None:
    failure = Missing("cat", "box")
    assert str(failure) == "cat is not in box."
    assert failure.facts() == {"thing": "cat", "place": "box"}
    assert failure.code is Code.NOT_FOUND
    assert failure.details() == ()


def test_facts_by_name_and_by_default() -> None:
    assert Missing(place="box", thing="cat").facts() == Missing("cat", "box").facts()
    assert Missing("cat").place == "the house"


def test_facts_of_a_base_come_first() -> None:
    failure = MissingTwice("cat", times=2)
    assert failure.facts() == {"thing": "cat", "place": "the house", "times": 2}
    assert isinstance(failure, Missing)


@pytest.mark.parametrize(
    ("given", "named"),
    [((), {}), (("a", "b", "c"), {}), (("a",), {"color": "red"}), ((), {"place": "box"})],
)
def test_wrong_facts_raise_a_type_error(given: tuple[str, ...], named: dict[str, str]) -> None:
    with pytest.raises(TypeError, match="Missing"):
        Missing(*given, **named)


def test_a_fact_that_must_be_named() -> None:
    with pytest.raises(TypeError):
        MissingTwice("cat", "box", 2)
    with pytest.raises(TypeError):
        MissingTwice("cat", "box")


def test_a_fresh_error_has_no_traceback() -> None:
    failure = Missing("cat")
    with pytest.raises(Missing):
        raise failure
    assert failure.__traceback__ is not None
    assert failure.fresh() is failure
    assert failure.__traceback__ is None


def test_two_failures_are_never_equal() -> None:
    assert Missing("cat") != Missing("cat")


def test_codes_have_the_numbers_of_the_wire() -> None:
    assert [code.name for code in sorted(Code)][:7] == [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS",
    ]  # fmt: skip
    assert (Code.ABORTED, Code.OUT_OF_RANGE, Code.UNIMPLEMENTED) == (10, 11, 12)
    assert (Code.INTERNAL, Code.UNAVAILABLE, Code.UNAUTHENTICATED) == (13, 14, 16)


def test_unsupported_features_are_named() -> None:
    failure = Unsupported("GRAPH_TABLE")
    assert failure.code is Code.UNIMPLEMENTED
    assert "GRAPH_TABLE" in str(failure)
