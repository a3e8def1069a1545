"""What the plugin finds in `library`, whose schema is Alembic's."""

import library
import pytest


@pytest.fixture
def books(spanner_factory):
    return [spanner_factory.books(title=f"Book {n}") for n in range(3)]


def test_an_n_plus_one_is_found(spanner_session, spanner_assert, books):
    with (
        pytest.raises(AssertionError, match=r"3x  SELECT authors.* library.py:"),
        spanner_assert.no_duplicate_queries(),
    ):
        library.catalogue_one_by_one(spanner_session)


def test_and_its_repair(spanner_session, spanner_assert, books):
    with spanner_assert.no_duplicate_queries():
        assert len(library.catalogue(spanner_session)) == 3


def test_a_full_scan_is_found(spanner_session, spanner_assert, books):
    with (
        pytest.raises(AssertionError, match="FULL SCAN books"),
        spanner_assert.no_full_scan(),
    ):
        library.by_title(spanner_session, "Book 1")


@pytest.mark.parametrize("n", range(2))
def test_what_is_committed_is_gone_after_the_test(spanner_session, spanner_sql, n):
    author = library.Author(name="Ada")
    spanner_session.add(library.Book(title="Notes", author=author))
    spanner_session.commit()
    assert spanner_sql("SELECT COUNT(*) n FROM books") == [{"n": 1}]
