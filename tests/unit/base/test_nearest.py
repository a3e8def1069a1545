"""The names that a misspelt one may have been meant to be."""

from __future__ import annotations

from spanemu.base.nearest import nearest


def test_names_that_are_like_it_come_first_whatever_their_case() -> None:
    assert nearest("evnets", ["Orders", "Events", "EventsByDay"]).split(", ")[0] == "Events"


def test_where_none_is_near_the_first_few_are_told() -> None:
    assert nearest("zzz", ["A", "B"]) == "A, B"
    assert nearest("zzz", [f"T{n}" for n in range(20)]).endswith(", ...")
    assert nearest("zzz", []) == "none"


def test_names_that_go_on_after_it_are_nearest() -> None:
    assert nearest("spn1", ["SPN813", "SPN101", "SPN102"]) == "SPN101, SPN102"
