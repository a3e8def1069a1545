"""What the plugin finds in `library`, whose schema is Alembic's."""

from contextlib import nullcontext

import library
import pytest
from google.api_core.exceptions import Aborted


@pytest.fixture
def books(spanner_factory):
    return [spanner_factory.books(title=f"Book {n}") for n in range(3)]


def test_an_n_plus_one_is_found(spanner_session, spanner_assert, books):
    with (
        pytest.raises(AssertionError, match="3x  SELECT authors"),
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


def test_and_an_index_for_it(spanner_session, spanner_database, spanner_assert, books):
    # A schema change is undone with the test, too.
    spanner_database.update_ddl(["CREATE INDEX books_by_title ON books (title)"]).result()
    with spanner_assert.no_full_scan():
        assert len(library.by_title(spanner_session, "Book 1")) == 1


@pytest.mark.spanner_hotspots(expect=["SPN802:visits_by_time"])
def test_a_hotspot_is_found(spanner_session, spanner_assert):
    spanner_assert.load(lambda _: library.save_visit_by_time(spanner_session), times=210)


def test_and_fixed(spanner_session, spanner_assert):
    spanner_assert.load(lambda _: library.save_visit(spanner_session), times=210)
    spanner_assert.no_hotspots("visits").so_far()


@pytest.mark.spanner_abort_each(max=1)
def test_a_missing_retry_is_found(spanner_database, request):
    is_aborted = "abort@1" in request.node.name
    with pytest.raises(Aborted) if is_aborted else nullcontext():
        library.import_authors_without_retry(spanner_database, ["Ada"])


@pytest.mark.spanner_abort_each(max=1)
def test_and_its_retry(spanner_session, spanner_database, spanner_sql):
    library.import_authors(spanner_database, ["Ada"])
    library.add_author(spanner_session, "Grace")
    assert spanner_sql("SELECT COUNT(*) n FROM authors") == [{"n": 2}]


def test_a_lost_answer_adds_one_author(spanner_session, spanner_faults, spanner_sql):
    spanner_faults.lose_response("Commit")
    library.add_author(spanner_session, "Ada")
    assert spanner_sql("SELECT name FROM authors") == [{"name": "Ada"}]


def test_a_migration_leaves_the_books(spanner_migrator):
    spanner_migrator.up("0001")
    spanner_migrator.insert("books", title="Notes")
    spanner_migrator.head()
    assert spanner_migrator.sql("SELECT title FROM books") == [{"title": "Notes"}]
