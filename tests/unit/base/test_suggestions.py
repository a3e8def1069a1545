"""The names that a misspelt one may have been meant to be."""

from __future__ import annotations

import pytest

from spanemu.base.suggestions import closest, did_you_mean, nearest


def test_similar_names_come_first_in_any_case() -> None:
    assert nearest("evnets", ["Orders", "Events", "EventsByDay"]).split(", ")[0] == "Events"


def test_without_a_close_name_the_first_names_are_listed() -> None:
    assert nearest("zzz", ["A", "B"]) == "A, B"
    assert nearest("zzz", [f"T{n}" for n in range(20)]).endswith(", ...")
    assert nearest("zzz", []) == "none"


def test_the_names_of_a_set_are_listed_in_alphabetical_order() -> None:
    assert nearest("zzz", frozenset("HGFEDCBA")) == "A, B, C, D, E, F, G, H"


def test_names_that_begin_with_the_text_are_nearest() -> None:
    assert nearest("spn1", ["SPN813", "SPN101", "SPN102"]) == "SPN101, SPN102"


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("lnit", ["ddl", "layout", "lint", "serve"], "lint"),
        ("Commits", ["commits", "mutations"], "commits"),
        ("even", ["even_distribution", "queries"], "even_distribution"),
        ("102", ["SPN101", "SPN102"], "SPN102"),
        ("SPN1022", ["SPN102", "SPN122"], "SPN102"),  # Equally similar; it begins like SPN102.
        ("foo", ["ddl", "layout", "lint", "serve"], None),
        ("SPN999", ["SPN101", "SPN909", "SPN919"], None),  # Two are equally close.
        ("", ["lint"], None),
        ("lint", [], None),
    ],
)
def test_only_a_single_close_name_is_suggested(name, known, found) -> None:
    assert closest(name, known) == found
    assert did_you_mean(name, known) == ("" if found is None else f" Did you mean {found!r}?")
