"""Constraints of tables and columns: CHECK, FOREIGN KEY and PRIMARY KEY.

Spanner has none of PostgreSQL's other constraints, and few of the words behind a constraint.
"""

from __future__ import annotations

from spanemu.base.record import NamedTuple
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OnDelete
from spanemu.sql.postgresql.syntax.ddl.parts import PartialMatch
from spanemu.sql.postgresql.syntax.ddl.sequence import DdlSequenceParser
from spanemu.sql.syntax_tree import Identifier

_DEFERRABLE = "<DEFERRABLE> constraints are not supported."
_NO_TYPE = "Constraint type is not supported."
_BEGINS = frozenset({"CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "EXCLUDE", "FOREIGN"})


class PrimaryKey(NamedTuple):
    """PRIMARY KEY (columns)."""

    columns: tuple[Identifier, ...]
    at: int


class DdlConstraintParser(DdlSequenceParser):
    """The grammar of constraints."""

    def constraint_follows(self) -> bool:
        """Return whether a constraint of the table follows, not a column."""
        symbol = self.token.symbol
        if symbol == "EXCLUDE":  # may be the name of a column
            return self.peek().symbol in ("USING", "(")
        return symbol in _BEGINS

    def table_constraint(self) -> ddl_ast.Constraint | PrimaryKey | None:
        """Parse [CONSTRAINT name] constraint; return None for one that is refused."""
        start = self.token.at
        name = self.constraint_name()
        match self.token.symbol:
            case "CHECK":
                self.advance()
                check = self.sql_in_parentheses()
                self._attributes()
                return ddl_ast.CheckDefinition(name, check, at=start, end=self.end)
            case "FOREIGN":
                self.expect_all("FOREIGN", "KEY")
                columns = self.column_names()
                key = self.references(name, columns, start)
                self._attributes()
                return key
            case "PRIMARY":
                return self._primary_key(name, start)
            case "UNIQUE":
                self.advance()
                self._unique_table()
                return None
        self.expect("EXCLUDE")
        self._exclude()
        return None

    def constraint_name(self) -> Identifier | None:
        """Parse CONSTRAINT name; return None if it does not follow."""
        return self.identifier() if self.accept("CONSTRAINT") else None

    def refuse_name(self, name: Identifier | None, kind: str) -> None:
        """Note that a constraint of this kind can have no name."""
        if name is not None:
            self.refuse(f"Setting a name of a <{kind}> constraint is not supported.", name.at)

    # ------------------------------------------------------------------------ keys

    def _primary_key(self, name: Identifier | None, start: int) -> PrimaryKey | None:
        self.expect_all("PRIMARY", "KEY")
        self.refuse_name(name, "PRIMARY KEY")
        if self._existing_index():
            return None
        columns = self.column_names()
        self._index_clauses()
        self._attributes()
        return PrimaryKey(columns, start)

    def _unique_table(self) -> None:
        message = "<UNIQUE> constraint is not supported, create a unique index instead."
        self.refuse(_NO_TYPE if self.statement == "ALTER TABLE" else message)
        if self._existing_index():
            return
        self.null_treatment()
        self.column_names()
        self._index_clauses()
        self._attributes()

    def _existing_index(self) -> bool:
        """Parse USING INDEX name, and note its refusal."""
        if not self.accept_all("USING", "INDEX"):
            return False
        self.refuse(_NO_TYPE)
        self.identifier()
        self._attributes()
        return True

    def null_treatment(self) -> None:
        """Parse [NULLS [NOT] DISTINCT]."""
        if self.accept("NULLS"):
            self.accept("NOT")
            self.expect("DISTINCT")

    def _exclude(self) -> None:
        self.refuse(_NO_TYPE)
        if self.accept("USING"):
            self.identifier()
        self.skip_parentheses()
        self._index_clauses()
        if self.accept("WHERE"):
            self.skip_parentheses()
        self._attributes()

    def _index_clauses(self) -> None:
        """Parse [INCLUDE (...)] [WITH (...)] [USING INDEX TABLESPACE name], all refused."""
        if self.accept("INCLUDE"):
            self.refuse("<INCLUDE> clause is not supported in constraints.")
            self.column_names()
        self.column_index_clauses()

    def column_index_clauses(self) -> None:
        """Parse [WITH (...)] [USING INDEX TABLESPACE name], both refused."""
        if self.accept("WITH"):
            self.refuse("<WITH> clause is not supported in constraint definitions.")
            self.settings()
        if self.accept_all("USING", "INDEX", "TABLESPACE"):
            clause = "<USING INDEX TABLESPACE>"
            self.refuse(f"{clause} clause is not supported in constraint definitions.")
            self.identifier()

    # ------------------------------------------------------------------------ foreign keys

    def references(
        self, name: Identifier | None, columns: tuple[Identifier, ...], start: int
    ) -> ddl_ast.ForeignKeyDefinition:
        """Parse REFERENCES table (columns) [MATCH ...] [ON DELETE ...] [ON UPDATE ...]."""
        self.expect("REFERENCES")
        table = self.object_name()
        referenced: tuple[Identifier, ...] = ()
        if self.token.symbol == "(":
            referenced = self.column_names()
        else:
            self.refuse("At least one referenced column is required in foreign key.")
        self._match()
        on_delete = self._actions()
        return ddl_ast.ForeignKeyDefinition(
            name, columns, table, referenced, on_delete, at=start, end=self.end
        )

    def _match(self) -> None:
        if not self.accept("MATCH"):
            return
        word = self.accept_any("FULL", "PARTIAL", "SIMPLE")
        if word == "PARTIAL":
            raise PartialMatch
        if word == "FULL":
            self.refuse("<MATCH FULL> clause is not supported in foreign keys.")
        elif not word:
            raise self.unexpected()

    def _actions(self) -> OnDelete | None:
        """Parse [ON DELETE action] and [ON UPDATE NO ACTION], in either order."""
        actions: dict[str, str] = {}
        while self.token.symbol == "ON" and self.peek().symbol in ("DELETE", "UPDATE"):
            event = self.peek().symbol
            if event in actions:
                break
            if event == "UPDATE" and not self._is_key_action():
                break
            self.expect_all("ON", event)
            actions[event] = self.key_action()
            if not actions[event] or (event == "UPDATE" and actions[event] == "CASCADE"):
                self.refuse("Requested foreign key action is not supported.")
        return OnDelete(actions["DELETE"]) if actions.get("DELETE") else None

    def _is_key_action(self) -> bool:
        """Return whether ON UPDATE belongs to the foreign key, not to the column's value."""
        return self.peek(2).symbol in ("NO", "CASCADE", "RESTRICT", "SET")

    # ------------------------------------------------------------------------ attributes

    def _attributes(self) -> None:
        """Parse the words behind a constraint of the table."""
        while self.attribute():
            pass

    def attribute(self) -> bool:
        """Parse a word behind a constraint; return whether it followed."""
        if self.accept_all("NOT", "DEFERRABLE") or self.accept_all("INITIALLY", "IMMEDIATE"):
            return True
        if self.accept("DEFERRABLE") or self.accept_all("INITIALLY", "DEFERRED"):
            self.refuse(_DEFERRABLE)
            return True
        if self.accept_all("NOT", "VALID"):
            message = "<NOT VALID> clause is not supported in <ALTER TABLE ADD> statement."
            self.refuse(message)
            return True
        return self.no_inherit()

    def no_inherit(self) -> bool:
        """Parse NO INHERIT, and note its refusal; return whether it followed."""
        if not self.accept_all("NO", "INHERIT"):
            return False
        self.refuse("<NO INHERIT> clause is not supported in constraints.")
        return True
