"""Functions are found in chapters that are imported one after the other."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from types import ModuleType

import pytest

from spanemu.sql.functions.chapters import ChapterSearch
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.googlesql import catalog as googlesql
from spanemu.sql.postgresql import catalog as postgresql


@pytest.mark.parametrize(
    "chapters", [googlesql.CHAPTERS, (*postgresql.CHAPTERS, *postgresql.RARE_CHAPTERS)]
)
def test_each_name_is_that_of_one_function(chapters: tuple[str, ...]) -> None:
    modules = [import_module(f"spanemu.sql.functions.{chapter}") for chapter in chapters]
    tables = [getattr(module, "FUNCTIONS", ()) for module in modules]
    tables += [getattr(module, "AGGREGATES", ()) for module in modules]
    names = [name for table in tables for each in table for name in {each.name, *each.aliases}]
    assert [name for name, count in Counter(names).items() if count > 1] == []


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
    assert name in found(search := ChapterSearch(googlesql.CHAPTERS), name)
    assert not found(search, name) & needless


@pytest.mark.parametrize(
    ("name", "needless"),
    [
        ("int8eq", {"int8pl", "count", "upper"}),
        ("count", {"upper", "to_char"}),
        ("to_char", {"int8eq", "count", "spanner.search"}),
    ],
)
def test_a_function_of_postgresql_is_found_alone(name: str, needless: set[str]) -> None:
    search = ChapterSearch(postgresql.CHAPTERS, postgresql.RARE_CHAPTERS)
    assert name in found(search, name)
    assert not found(search, name) & needless


@pytest.mark.parametrize("dialect", [googlesql, postgresql])
def test_unknown_names_are_searched_for_in_all_chapters(dialect: ModuleType) -> None:
    catalog: Catalog = dialect.CATALOG
    search = ChapterSearch(dialect.CHAPTERS)
    found(search, "$no_such_operator")
    found(search, "no_such_function")
    rare = {name for names in getattr(dialect, "RARE_CHAPTERS", {}).values() for name in names}
    assert search.functions.keys() == catalog.scalars.keys() - rare
    assert search.aggregates.keys() == catalog.aggregates.keys()


def found(search: ChapterSearch, name: str) -> set[str]:
    """Return all names that are known after a search."""
    search.find(name)
    return {*search.functions, *search.aggregates}
