"""Functions are found in chapters that are imported one after the other."""

from __future__ import annotations

import pytest

from spanemu.sql.googlesql.catalog import CATALOG, ChapterSearch


def test_no_name_is_that_of_a_function_and_of_an_aggregate() -> None:
    assert not CATALOG.scalars.keys() & CATALOG.aggregates.keys()


@pytest.mark.parametrize(
    ("name", "needless"),
    [
        ("COUNT", {"$add", "UPPER", "TO_JSON", "SEARCH"}),
        ("$equal", {"COUNT", "$add"}),
        ("$add", {"COUNT", "UPPER"}),
        ("UPPER", {"STDDEV", "TO_JSON", "SEARCH"}),
        ("STDDEV", {"SEARCH"}),
    ],
)
def test_chapters_after_that_of_a_function_are_not_imported(name: str, needless: set[str]) -> None:
    search = ChapterSearch()
    search.find(name)
    known = search.functions.keys() | search.aggregates.keys()
    assert name in known
    assert not known & needless


def test_an_unknown_name_is_searched_for_in_all_chapters() -> None:
    search = ChapterSearch()
    search.find("$no_such_operator")
    search.find("NO_SUCH_FUNCTION")
    assert search.functions.keys() == CATALOG.scalars.keys()
    assert search.aggregates.keys() == CATALOG.aggregates.keys()
