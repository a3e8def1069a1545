"""What `library` does, on any target: embedded, a process of its own, Google's emulator."""

import library
import pytest
from sqlalchemy.exc import DatabaseError


@pytest.mark.parametrize("title", ["Notes", "Letters"])
def test_what_is_committed_is_gone_after_the_test(spanner_session, spanner_sql, title):
    spanner_session.add(library.Book(title=title, author=library.Author(name="Ada")))
    spanner_session.commit()
    assert library.catalogue(spanner_session) == [(title, "Ada")]
    assert spanner_sql("SELECT title FROM books") == [{"title": title}]


def test_a_book_has_an_author(spanner_session):
    spanner_session.add(library.Book(title="Notes", author_id="nobody"))
    with pytest.raises(DatabaseError):
        spanner_session.commit()


def test_what_is_rolled_back_was_never_there(spanner_session, spanner_sql):
    spanner_session.add(library.Author(name="Ada"))
    spanner_session.flush()
    spanner_session.rollback()
    assert spanner_sql("SELECT * FROM authors") == []


def test_both_catalogues_agree(spanner_session, spanner_factory):
    spanner_factory.books.many(3)
    books = library.catalogue(spanner_session)
    assert len(books) == 3
    assert library.catalogue_one_by_one(spanner_session) == books
