"""A library on SQLAlchemy."""

import uuid

from sqlalchemy import ForeignKey, String, select
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
