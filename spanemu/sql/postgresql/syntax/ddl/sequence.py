"""The clauses of sequences and identity columns."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql import ddl_ast
from spanemu.sql.postgresql.syntax.ddl.parts import DdlPartParser
from spanemu.sql.syntax_tree import Kind

_WITH_NUMBER = frozenset({"CACHE", "INCREMENT", "MAXVALUE", "MINVALUE"})
_IN_CREATE = ("CREATE SEQUENCE", "CREATE TABLE")


@dataclass
class _Clauses:
    """The clauses that have been read."""

    bit_reversed: bool = False
    skip_range: tuple[int, int] | None = None
    no_skip_range: bool = False
    counter: int | None = None


class DdlSequenceParser(DdlPartParser):
    """The grammar of the clauses of sequences."""

    def sequence_clauses(self, owner: str, *, required: bool = False) -> ddl_ast.SequenceClauses:
        """Parse zero or more clauses, or one or more if `required`.

        `owner` is the statement as refusals name it: a CREATE sets the counter by START, an ALTER
        by RESTART.
        """
        start = self.token.at
        clauses = _Clauses()
        if required and not self._at_clause():
            raise self.unexpected()
        while self._at_clause():
            self._sequence_clause(clauses, owner)
        return ddl_ast.SequenceClauses(
            clauses.bit_reversed, clauses.skip_range, clauses.no_skip_range, clauses.counter,
            at=start, end=self.end,
        )  # fmt: skip

    def _at_clause(self) -> bool:
        symbol = self.token.symbol
        if symbol in ("NO", "SEQUENCE"):
            return self.peek().symbol in ("MAXVALUE", "MINVALUE", "CYCLE", "SKIP", "NAME")
        return symbol in _WORDS

    def _sequence_clause(self, into: _Clauses, owner: str) -> None:
        """Parse one clause, and note those that Spanner does not have."""
        word = self.advance().symbol
        if word == "BIT_REVERSED_POSITIVE":
            into.bit_reversed = True
            if owner not in _IN_CREATE:
                self._no_clause("bit_reversed_positive", owner)
        elif word == "SKIP":
            self.expect("RANGE")
            if into.skip_range is not None:
                self.reject_later("SKIP RANGE is set more than once.")
            into.skip_range = self.bigint(), self.bigint()
        elif word == "NO":
            self._sequence_negation(into, owner)
        elif word in ("START", "RESTART"):
            self._sequence_counter(into, word, owner)
        else:
            self._other_sequence_clause(word, owner)

    def _sequence_negation(self, into: _Clauses, owner: str) -> None:
        word = self.advance().symbol  # NO MINVALUE, NO MAXVALUE and NO CYCLE change nothing
        if word == "SKIP":
            self.expect("RANGE")
            into.no_skip_range = True
            if owner in _IN_CREATE:
                self._no_clause("NO SKIP RANGE", owner)

    def _sequence_counter(self, into: _Clauses, word: str, owner: str) -> None:
        """Parse {START | RESTART} COUNTER [WITH] n, or the clauses of PostgreSQL's own counter."""
        is_counter = self.accept("COUNTER")
        has_with = self.accept("WITH")
        name = word.lower()
        if is_counter or has_with or self.token.kind is Kind.INTEGER or self.token.symbol == "-":
            number = self.bigint()
        elif word == "START":
            raise self.unexpected()
        if not is_counter:
            self._no_clause(name, owner)
        elif (word == "START") is not (owner in _IN_CREATE):
            self._no_clause(f"{name}_counter", owner)
        else:
            if into.counter is not None:
                self.reject_later(f"{word} COUNTER WITH is set more than once.")
            into.counter = number

    def _other_sequence_clause(self, word: str, owner: str) -> None:
        """Parse a clause that Spanner has only for NONE, or does not have at all."""
        if word == "OWNED":
            self.expect("BY")
            if str(self.path_from(self.part())).lower() != "none":
                self.refuse("Optional clause <owned_by> only support `NONE` as the value.")
            return
        if word == "CYCLE":
            self.refuse("Optional clause <cycle> only support `NO CYCLE` as the value.")
            return
        if word == "INCREMENT":
            self.accept("BY")
        if word in _WITH_NUMBER:
            self.signed_number()
        elif word == "AS":
            self.type_reference()
        elif word == "SEQUENCE":
            self.expect("NAME")
            self.path()
        name = word if word in ("MAXVALUE", "MINVALUE") else word.lower()
        self._no_clause(name, owner)

    def _no_clause(self, name: str, owner: str) -> None:
        self.refuse(f"Optional clause <{name}> is not supported in <{owner}> statement.")


_WORDS = frozenset(
    {
        "AS", "BIT_REVERSED_POSITIVE", "CACHE", "CYCLE", "INCREMENT", "LOGGED", "MAXVALUE",
        "MINVALUE", "OWNED", "RESTART", "SKIP", "START", "UNLOGGED",
    }
)  # fmt: skip
