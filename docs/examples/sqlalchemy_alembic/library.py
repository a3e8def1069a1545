"""A library on SQLAlchemy."""

import uuid
from datetime import UTC, datetime

from sqlalchemy import DateTime, ForeignKey, String, select
from sqlalchemy.orm import DeclarativeBase, Mapped, joinedload, mapped_column, relationship


class Base(DeclarativeBase):
    """The models' base."""


class Author(Base):
    """Who wrote books."""

    __tablename__ = "authors"
    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=lambda: str(uuid.uuid4()))
    name: Mapped[str] = mapped_column(String(100))


class Book(Base):
    """What they wrote."""

    __tablename__ = "books"
    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=lambda: str(uuid.uuid4()))
    author_id: Mapped[str] = mapped_column(ForeignKey("authors.id"))
    title: Mapped[str] = mapped_column(String(200))
    author: Mapped[Author] = relationship()


class VisitByTime(Base):
    """A visit under a key that rises with time."""

    __tablename__ = "visits_by_time"
    visited_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), primary_key=True)


class Visit(Base):
    """A visit under a random key."""

    __tablename__ = "visits"
    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=lambda: str(uuid.uuid4()))
    visited_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


def catalogue_one_by_one(session):
    """Each book's author is loaded when it is looked at."""
    return sorted((book.title, book.author.name) for book in session.scalars(select(Book)))


def catalogue(session):
    """Authors come with their books."""
    books = session.scalars(select(Book).options(joinedload(Book.author)))
    return sorted((book.title, book.author.name) for book in books)


def by_title(session, title):
    """Goes through all books: there is no index on the title."""
    return session.scalars(select(Book).where(Book.title == title)).all()


def save_visit_by_time(session):
    """Every key is greater than all before: one server takes all writes."""
    session.add(VisitByTime(visited_at=datetime.now(UTC)))
    session.commit()


def save_visit(session):
    """Random keys spread over all servers."""
    session.add(Visit(visited_at=datetime.now(UTC)))
    session.commit()


def add_author(session, name):
    """The dialect begins an aborted transaction anew."""
    session.add(Author(name=name))
    session.commit()


def import_authors_without_retry(database, names):
    """Mutations, for speed, in a transaction by hand, which gives up at the first abort."""
    session = database.session()
    session.create()
    try:
        with session.transaction() as transaction:
            _insert(transaction, names)
    finally:
        session.delete()


def import_authors(database, names):
    """The client runs the function again when the commit is aborted."""
    database.run_in_transaction(_insert, names)


def _insert(transaction, names):
    transaction.insert("authors", ["id", "name"], [[str(uuid.uuid4()), name] for name in names])
