"""The entry points of the DDL parser: the text of a schema statement as a tree.

    parse_ddl("CREATE TABLE ...")     one statement, as UpdateDatabaseDdl takes it
    split_statements(file_text)       a schema file, split at its semicolons

Every violation of the grammar raises `DdlSyntaxFailure`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spanemu.base.deep_stack import deep_stack
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Unsupported
from spanemu.sql import ddl_ast, graph_ast
from spanemu.sql.errors import DdlStatementEmpty, DdlSyntaxFailure, SyntaxFailure
from spanemu.sql.googlesql.syntax.ddl.index import DdlIndexParser
from spanemu.sql.googlesql.syntax.ddl.objects import (
    NOT_IMPLEMENTED,
    OBJECTS,
    DdlAccessParser,
    DdlPlacementParser,
    DdlStreamParser,
)
from spanemu.sql.googlesql.syntax.ddl.table import DdlAlterTableParser
from spanemu.sql.googlesql.syntax.ddl.views import DdlGraphParser, DdlRoutineParser
from spanemu.sql.googlesql.syntax.lexer import tokenize
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import UNBOUNDED, Bounds


@deep_stack()
def parse_ddl(text: str, bounds: Bounds = UNBOUNDED) -> ddl_ast.DdlStatement:
    """Parse the single schema statement of `text`, which may end in a semicolon.

    Raises DdlSyntaxFailure, DdlStatementEmpty or Unsupported, and StatementTooLarge or
    TooManyColumns as soon as the statement exceeds `bounds`.
    """
    try:
        parser = DdlParser(text, bounds)
        if parser.token.kind is Kind.END or parser.follows(";", str(Kind.END)):
            raise DdlStatementEmpty
        try:
            statement = parser.ddl_statement()
        except RecursionError:
            raise parser.too_deep() from None
        parser.expect_end()
    except SyntaxFailure as failure:
        raise DdlSyntaxFailure(text, failure.message, failure.line, failure.column) from None
    return statement


_BLANK = r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)"
_CREATE_DATABASE = lazy_pattern(
    rf"{_BLANK}*CREATE{_BLANK}+DATABASE{_BLANK}*"
    rf"(?:`(?P<quoted>[^`]*)`|(?<=[\s/])(?P<plain>\w+)){_BLANK}*;?{_BLANK}*",
    re.IGNORECASE | re.DOTALL,
)


def created_database(text: str) -> str | None:
    """Return the database id in a CREATE DATABASE statement; None for any other text."""
    match = _CREATE_DATABASE.fullmatch(text)
    if match is None:
        return None
    return match["plain"] if match["quoted"] is None else match["quoted"]


def split_statements(text: str) -> list[tuple[str, int]]:
    """Return each statement of `text` with its offset; semicolons separate the statements.

    Comments before, after and between statements belong to no statement. A semicolon inside a
    comment, a string or a quoted name separates nothing.
    """
    statements: list[tuple[str, int]] = []
    first = last = None
    for token in tokenize(text):
        if token.symbol != ";" and token.kind is not Kind.END:
            first, last = first or token, token
        elif first is not None and last is not None:
            statements.append((text[first.at : last.end], first.at))
            first = last = None
    return statements


# Words that open a statement without being reserved.
_WORDS = """
    ALTER CREATE DATABASE DROP FUNCTION GRANT GRAPH INDEX MODEL NULL_FILTERED PROPERTY QUEUE RENAME
    REPLACE REVOKE SCHEMA SEARCH TABLE UNIQUE VECTOR
"""
OPENING_WORDS = frozenset(_WORDS.split()) | {word for kind in OBJECTS for word in kind.words}


class DdlParser(
    DdlAlterTableParser,
    DdlIndexParser,
    DdlRoutineParser,
    DdlStreamParser,
    DdlGraphParser,
    DdlPlacementParser,
    DdlAccessParser,
):
    """The whole grammar of DDL: one group of statements per base class."""

    def ddl_statement(self) -> ddl_ast.DdlStatement:
        """Parse a statement, which its verb identifies."""
        rule = _VERBS.get(self.token.symbol)
        if rule is None:
            raise self.unexpected()
        return rule(self, self.advance().at)

    def create(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE of any kind of object."""
        or_replace = self.accept_all("OR", "REPLACE")
        if replaceable := _REPLACEABLE.get(self.token.symbol):
            return replaceable(self, start, or_replace)
        rule = _CREATES.get(self.token.symbol)
        if rule is None or or_replace:
            raise self._no_such_kind()
        return rule(self, start)

    def alter(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER of any kind of object."""
        rule = _ALTERS.get(self.token.symbol)
        if rule is None:
            raise self._no_such_kind("ALTER")
        return rule(self, start)

    def drop(self, start: int) -> ddl_ast.DdlStatement:
        """Parse DROP kind [IF EXISTS] name."""
        if self.accept_all("PROTO", "BUNDLE"):
            return ddl_ast.DropProtoBundle(at=start, end=self.end)
        for words, kind in _DROPS:
            if self.accept_all(*words):
                if_exists = self.if_exists()
                return kind(self.path_or_default(), if_exists, at=start, end=self.end)
        raise self._no_such_kind("DROP")

    def analyze(self, start: int) -> ddl_ast.DdlStatement:
        """Return the ANALYZE statement, which consists of its verb only."""
        return ddl_ast.Analyze(at=start, end=self.end)

    def _no_such_kind(self, verb: str = "CREATE") -> Exception:
        """Return the error for a kind of object that `verb` lacks or spanemu does not implement."""
        if self.token.symbol in NOT_IMPLEMENTED.get(verb, ()):
            return Unsupported(f"{verb} {self.token.symbol}")
        return self.unexpected()


_VERBS: Mapping[str, Callable[[DdlParser, int], ddl_ast.DdlStatement]] = {
    "ALTER": DdlParser.alter,
    "ANALYZE": DdlParser.analyze,
    "CREATE": DdlParser.create,
    "DROP": DdlParser.drop,
    "GRANT": DdlParser.grant,
    "RENAME": DdlParser.rename_tables,
    "REVOKE": DdlParser.revoke,
}
_REPLACEABLE: Mapping[str, Callable[[DdlParser, int, bool], ddl_ast.DdlStatement]] = {
    "FUNCTION": DdlParser.create_function,
    "MODEL": DdlParser.create_model,
    "PROPERTY": DdlParser.create_property_graph,
    "SCHEMA": DdlParser.create_schema,
    "VIEW": DdlParser.create_view,
}
_CREATES: Mapping[str, Callable[[DdlParser, int], ddl_ast.DdlStatement]] = {
    **{kind.words[0]: kind.create for kind in OBJECTS},
    "DATABASE": DdlParser.create_database,
    "INDEX": DdlParser.create_index,
    "NULL_FILTERED": DdlParser.create_index,
    "PROTO": DdlParser.create_proto_bundle,
    "QUEUE": DdlParser.create_queue,
    "SEARCH": DdlParser.create_search_index,
    "TABLE": DdlParser.create_table,
    "UNIQUE": DdlParser.create_index,
    "VECTOR": DdlParser.create_vector_index,
}
_ALTERS: Mapping[str, Callable[[DdlParser, int], ddl_ast.DdlStatement]] = {
    **{kind.words[0]: kind.alter for kind in OBJECTS if kind.alter is not None},
    "DATABASE": DdlParser.alter_database,
    "INDEX": DdlParser.alter_index,
    "MODEL": DdlParser.alter_model,
    "PROTO": DdlParser.alter_proto_bundle,
    "QUEUE": DdlParser.alter_queue,
    "SEARCH": DdlParser.alter_search_index,
    "STATISTICS": DdlParser.alter_statistics,
    "TABLE": DdlParser.alter_table,
    "VECTOR": DdlParser.alter_vector_index,
}
_DROPS: tuple[tuple[tuple[str, ...], type[ddl_ast.Drop]], ...] = (
    *((kind.words, kind.drop) for kind in OBJECTS),
    (("FUNCTION",), ddl_ast.DropFunction),
    (("INDEX",), ddl_ast.DropIndex),
    (("MODEL",), ddl_ast.DropModel),
    (("PROPERTY", "GRAPH"), graph_ast.DropPropertyGraph),
    (("QUEUE",), ddl_ast.DropQueue),
    (("SCHEMA",), ddl_ast.DropSchema),
    (("SEARCH", "INDEX"), ddl_ast.DropSearchIndex),
    (("TABLE",), ddl_ast.DropTable),
    (("VECTOR", "INDEX"), ddl_ast.DropVectorIndex),
    (("VIEW",), ddl_ast.DropView),
)
