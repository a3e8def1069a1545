"""The entry point of the DDL parser: the text of a schema statement as a tree.

    parse_ddl("CREATE TABLE ...")   one statement, as UpdateDatabaseDdl takes it

A statement that PostgreSQL has and Spanner lacks is refused without being read in detail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.deep_stack import deep_stack
from spanemu.sql import ddl_ast
from spanemu.sql.errors import DdlStatementEmpty, SyntaxFailure
from spanemu.sql.postgresql.syntax.ddl.access import DdlAccessParser
from spanemu.sql.postgresql.syntax.ddl.database import DdlDatabaseParser
from spanemu.sql.postgresql.syntax.ddl.index import DdlIndexParser
from spanemu.sql.postgresql.syntax.ddl.objects import DdlStreamParser
from spanemu.sql.postgresql.syntax.ddl.parts import PostgreSqlDdlSyntaxFailure
from spanemu.sql.postgresql.syntax.ddl.queue import DdlQueueParser
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import UNBOUNDED, Bounds

_UNSUPPORTED = "Statement is not supported."
_RESTRICT = "Only <RESTRICT> behavior is supported by <DROP> statement."


def parse_ddl(text: str, bounds: Bounds = UNBOUNDED) -> ddl_ast.DdlStatement:
    """Parse the single schema statement of `text`, which may end in semicolons.

    Raises PostgreSqlDdlSyntaxFailure or DdlStatementEmpty, the refusal of a clause, and
    StatementTooLarge or TooManyColumns as soon as the statement exceeds `bounds`.
    """
    try:
        return _parse(text, bounds)
    except SyntaxFailure as failure:
        raise PostgreSqlDdlSyntaxFailure(
            text, failure.message, failure.line, failure.column
        ) from None


@deep_stack()
def _parse(text: str, bounds: Bounds) -> ddl_ast.DdlStatement:
    parser = DdlParser(text, bounds)
    parser.skip_semicolons()
    if parser.token.kind is Kind.END:
        raise DdlStatementEmpty
    try:
        statement = parser.ddl_statement()
    except RecursionError:
        raise parser.too_deep() from None
    parser.expect_end()
    return statement


class DdlParser(
    DdlQueueParser,
    DdlStreamParser,
    DdlIndexParser,
    DdlAccessParser,
    DdlDatabaseParser,
):
    """The whole grammar of schema statements: one group of statements per base class."""

    def ddl_statement(self) -> ddl_ast.DdlStatement:
        """Parse a statement, which its verb identifies."""
        hint = self.hint()
        if hint is not None:
            self.reject_later("Statement hints are not supported in DDL.", hint.at)
        verb = self.token
        self.statement = verb.symbol
        if rule := _VERBS.get(verb.symbol):
            self.advance()
            return rule(self, verb.at)
        if verb.symbol in _OTHER_VERBS:
            return self._refused(verb.at)
        raise self.unexpected()

    def _refused(self, start: int) -> ddl_ast.DdlStatement:
        """Note the refusal of a whole statement, and consume it."""
        self.refuse(_UNSUPPORTED, start)
        self.skip_rest()
        return ddl_ast.DdlStatement(at=start, end=self.end)

    def _name_statement(self, verb: str) -> None:
        """Set the name of the statement: the verb with the words of the kind of object."""
        symbol = self.token.symbol
        words = _TWO_WORDS.get(symbol)
        kind = f"{symbol} {words}" if words and self.peek().symbol == words else symbol
        self.statement = f"{verb} {'INDEX' if kind == 'UNIQUE' else kind}"

    # ------------------------------------------------------------------------ CREATE

    def create(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE of any kind of object."""
        or_replace = self.accept_all("OR", "REPLACE")
        is_temporary = self._accept_temporary()
        if self.follows("RECURSIVE", "VIEW"):
            self.refuse(_UNSUPPORTED)
            self.advance()
        self._name_statement("CREATE")
        if is_temporary and self.token.symbol in ("TABLE", "SEQUENCE", "VIEW"):
            objects = "TEMP/TEMPORARY or UNLOGGED objects"
            self.refuse(f"{objects} are not supported in <{self.statement}> statement.", start)
        if self.token.symbol == "VIEW":
            return self.create_view(start, or_replace)
        rule = _CREATES.get(self.token.symbol)
        if rule is not None and not or_replace:
            return rule(self, start)
        if self.token.symbol in _OTHER_KINDS:
            return self._refused(start)
        raise self.unexpected()

    def _accept_temporary(self) -> bool:
        """Parse [[GLOBAL | LOCAL] {TEMPORARY | TEMP} | UNLOGGED]; return whether it followed."""
        if self.token.symbol in ("GLOBAL", "LOCAL"):
            if self.peek().symbol not in ("TEMPORARY", "TEMP"):
                return False
            self.advance()
        return bool(self.accept_any("TEMPORARY", "TEMP", "UNLOGGED"))

    # ------------------------------------------------------------------------ ALTER

    def alter(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER of any kind of object."""
        self._name_statement("ALTER")
        if rule := _ALTERS.get(self.token.symbol):
            return rule(self, start)
        if self.token.symbol not in _OTHER_KINDS | {"SYSTEM", "VIEW", "ROLE", "SCHEMA"}:
            raise self.unexpected()
        if self.token.symbol == "VIEW" and not self._moves_object():
            self.reject_later("Object type is not supported in <ALTER> statement.", start)
        return self._refused(start)

    def _moves_object(self) -> bool:
        """Return whether the statement renames a view or gives it another owner or schema."""
        symbols = {self.peek(distance).symbol for distance in range(2, 8)}
        return bool(symbols & {"RENAME", "OWNER", "SCHEMA"})

    # ------------------------------------------------------------------------ DROP

    def drop(self, start: int) -> ddl_ast.DdlStatement:
        """Parse DROP kind [IF EXISTS] name [RESTRICT]."""
        self._name_statement("DROP")
        for words, kind in _DROPS:
            if self.accept_all(*words):
                return self._drop(kind, start)
        if self.accept("ROLE"):
            return self.drop_role(start, self.if_exists())
        if self.accept_all("LOCALITY", "GROUP"):
            return self.drop_locality_group(start, self.if_exists())
        if self.token.symbol in _OTHER_KINDS:
            message = "Only the objects that Spanner creates can be dropped."
            self.refuse(f"<{self.statement}> is not supported. {message}", start)
            return self._refused(start)
        raise self.unexpected()

    def _drop(self, kind: type[ddl_ast.Drop], start: int) -> ddl_ast.DdlStatement:
        if kind is ddl_ast.DropIndex and self.accept("CONCURRENTLY"):
            self.refuse("<CONCURRENTLY> is not supported by <DROP> statement.")
        if_exists = self.if_exists()
        if kind in _IN_DEFAULT_SCHEMA:
            return kind(self.default_schema_name(), if_exists, at=start, end=self.end)
        names = self.item_list(self.object_name)
        if kind is not ddl_ast.DropSearchIndex:
            self.drop_behavior(_RESTRICT)
        if kind is ddl_ast.DropSchema:
            return ddl_ast.DropSchema(names[0], if_exists, names[1:], at=start, end=self.end)
        if len(names) > 1:
            message = "<DROP> statements support deletion of only single object per statement."
            self.refuse(message, names[1].at)
        return kind(names[0], if_exists, at=start, end=self.end)


Rule = Callable[[DdlParser, int], ddl_ast.DdlStatement]

_VERBS: Mapping[str, Rule] = {
    "ALTER": DdlParser.alter,
    "ANALYSE": DdlParser.analyze,
    "ANALYZE": DdlParser.analyze,
    "CREATE": DdlParser.create,
    "DROP": DdlParser.drop,
    "GRANT": DdlParser.grant,
    "REVOKE": DdlParser.revoke,
}
_CREATES: Mapping[str, Rule] = {
    "CHANGE": DdlParser.create_change_stream,
    "DATABASE": DdlParser.create_database,
    "INDEX": DdlParser.create_index,
    "LOCALITY": DdlParser.create_locality_group,
    "PLACEMENT": DdlParser.create_placement,
    "QUEUE": DdlParser.create_queue,
    "ROLE": DdlParser.create_role,
    "SCHEMA": DdlParser.create_schema,
    "SEARCH": DdlParser.create_search_index,
    "SEQUENCE": DdlParser.create_sequence,
    "TABLE": DdlParser.create_table,
    "UNIQUE": DdlParser.create_index,
}
_ALTERS: Mapping[str, Rule] = {
    "CHANGE": DdlParser.alter_change_stream,
    "DATABASE": DdlParser.alter_database,
    "INDEX": DdlParser.alter_index,
    "LOCALITY": DdlParser.alter_locality_group,
    "QUEUE": DdlParser.alter_queue,
    "SEARCH": DdlParser.alter_search_index,
    "SEQUENCE": DdlParser.alter_sequence,
    "STATISTICS": DdlParser.alter_statistics,
    "TABLE": DdlParser.alter_table,
}
_DROPS: tuple[tuple[tuple[str, ...], type[ddl_ast.Drop]], ...] = (
    (("CHANGE", "STREAM"), ddl_ast.DropChangeStream),
    (("INDEX",), ddl_ast.DropIndex),
    (("PLACEMENT",), ddl_ast.DropPlacement),
    (("QUEUE",), ddl_ast.DropQueue),
    (("SCHEMA",), ddl_ast.DropSchema),
    (("SEARCH", "INDEX"), ddl_ast.DropSearchIndex),
    (("SEQUENCE",), ddl_ast.DropSequence),
    (("TABLE",), ddl_ast.DropTable),
    (("VIEW",), ddl_ast.DropView),
)
_IN_DEFAULT_SCHEMA = (ddl_ast.DropChangeStream, ddl_ast.DropPlacement, ddl_ast.DropQueue)
_TWO_WORDS = {"CHANGE": "STREAM", "LOCALITY": "GROUP", "SEARCH": "INDEX"}

# What PostgreSQL can create, alter or drop, and Spanner cannot.
_OTHER_KIND_WORDS = """
    ACCESS AGGREGATE ASSERTION CAST COLLATION CONSTRAINT CONVERSION DATABASE DEFAULT DOMAIN EVENT
    EXTENSION FOREIGN FUNCTION GROUP LANGUAGE LARGE MATERIALIZED OPERATOR OWNED POLICY PROCEDURAL
    PROCEDURE PUBLICATION ROUTINE RULE SERVER STATISTICS SUBSCRIPTION TABLESPACE TEXT TRANSFORM
    TRIGGER TRUSTED TYPE USER
"""
# The first words of PostgreSQL's statements that are no schema statements of Spanner.
_OTHER_VERB_WORDS = """
    ABORT BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY DEALLOCATE DECLARE DELETE
    DISCARD DO END EXECUTE EXPLAIN FETCH IMPORT INSERT LISTEN LOAD LOCK MERGE MOVE NOTIFY PREPARE
    REASSIGN REFRESH REINDEX RELEASE RESET ROLLBACK SAVEPOINT SECURITY SELECT SET SHOW START TABLE
    TRUNCATE UNLISTEN UPDATE VACUUM VALUES WITH (
"""
_OTHER_KINDS = frozenset(_OTHER_KIND_WORDS.split())
_OTHER_VERBS = frozenset(_OTHER_VERB_WORDS.split())
