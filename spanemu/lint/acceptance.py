"""The statements that Spanner would refuse: all of a run, at the parts that are at fault.

Each statement is applied to the schema of the statements before it, as `spanemu ddl check` does. A
refused statement is tried again without one of its parts: the part without which the failure is
gone is at fault, and the rest of the statement is applied, with the faults that it may have itself.

What is missing because of a fault is in doubt: a table that was refused, or a column without a
valid type. A later failure of a statement that mentions it is a consequence, and is not reported.

Not here: statements that cannot be read, which `run` reports; features that spanemu does not
support, and types of protocol buffers, whose descriptors the linter does not have.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from spanemu.base.deep_stack import deep_stack
from spanemu.base.errors import SpannerError, Unsupported
from spanemu.base.excerpts import position_of_name
from spanemu.base.identifiers import fold
from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.ddl.statements import run_statement
from spanemu.lint.source import Statement
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.schema.objects import NO_TYPES
from spanemu.schema.schema import Schema, empty_schema
from spanemu.sql import ddl_ast
from spanemu.sql.dialects import dialect_of
from spanemu.sql.syntax_tree import Identifier, Node, Path, TypeName

MAX = "MAX"
_WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
# The name after the kind of an object, in a statement that cannot be read.
_NAMED = re.compile(
    r"\b(?:TABLE|INDEX|VIEW|SEQUENCE|STREAM|ROLE|SCHEMA|GRAPH|MODEL|FUNCTION|QUEUE|PLACEMENT)\s+"
    r"(?:IF\s+(?:NOT\s+)?EXISTS\s+)?[`\"]?(?P<name>[\w.]+)",
    re.IGNORECASE,
)
_LENGTHS = {"string", "bytes"}
# Declares a column with the type that a column gets whose own type is invalid.
_SAMPLES = {
    GOOGLE_STANDARD_SQL: "CREATE TABLE T (c STRING(MAX)) PRIMARY KEY (c)",
    POSTGRESQL: "CREATE TABLE t (c varchar PRIMARY KEY)",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for which a statement is refused, at an offset of its text."""

    message: str
    at: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a statement, and the statement without it. `doubtful` is a column it declares."""

    node: Node
    rest: ddl_ast.DdlStatement
    doubtful: str = ""


class Acceptance:
    """The schema of the statements so far, as Spanner would have it."""

    def __init__(self, dialect: DatabaseDialect) -> None:
        self._schema = empty_schema(DEFAULT_LIMITS, dialect)
        sample = dialect_of(dialect).parse_ddl(_SAMPLES[dialect])
        assert isinstance(sample, ddl_ast.CreateTable)
        self._valid_type = sample.columns[0].type
        self._doubtful: set[str] = set()  # objects
        self._doubtful_columns: dict[str, set[str]] = {}  # by table

    def mark_unparsed(self, text: str) -> None:
        """Mark as doubtful what a statement would declare that cannot be parsed."""
        if (named := _NAMED.search(text)) is not None:
            self._doubtful.add(fold(named["name"]))

    def mark_unreadable(self, text: str) -> None:
        """Mark as doubtful all names of a text that cannot be divided into statements."""
        self._doubtful |= _words(text)

    @deep_stack()
    def refusals(self, statement: Statement, tree: ddl_ast.DdlStatement) -> list[Refusal]:
        """Apply a statement, as far as it is valid, and return why Spanner would refuse it."""
        refusals: list[Refusal] = []
        faulty: set[int] = set()  # offsets of parts, each of which is left out once
        while isinstance(outcome := self._applied(tree), SpannerError):
            part = self._faulty_part(statement, tree, outcome, faulty)
            node = tree if part is None else part.node
            # The rest of a statement may have too few parts, such as an index without columns.
            is_rest = part is None and bool(faulty)
            if not (is_rest or self._is_consequence(statement, tree, node, outcome)):
                refusals.append(Refusal(str(outcome), _place(statement, node, outcome)))
            if part is None:
                self._mark_declared(tree)
                break
            faulty.add(part.node.at)
            if part.doubtful:
                self._mark_column(_table_of(tree), part.doubtful)
            tree = part.rest
        else:
            self._schema = outcome
        return sorted(refusals, key=lambda refusal: refusal.at)

    def _applied(self, tree: ddl_ast.DdlStatement) -> Schema | SpannerError:
        try:
            return run_statement(tree, self._schema, NO_TYPES).schema
        except SpannerError as failure:
            return failure

    def _faulty_part(
        self,
        statement: Statement,
        tree: ddl_ast.DdlStatement,
        failure: SpannerError,
        known: Collection[int],
    ) -> _Part | None:
        """Return the part without which the failure does not happen, None for no single part.

        `known` are the offsets of the faulty parts that the tree lacks already. Parts that have a
        name of the failure are tried first.
        """
        named = {fold(str(fact)) for fact in failure.facts().values()}
        parts = [part for part in _parts(tree, self._valid_type) if part.node.at not in known]
        parts.sort(key=lambda part: not named & _words(_text(statement, part.node)))
        outcomes = [(part, self._applied(part.rest)) for part in parts]
        for part, outcome in outcomes:
            if not isinstance(outcome, SpannerError):
                return part
        for part, outcome in outcomes:  # The rest of a statement may have faults of its own.
            if isinstance(outcome, SpannerError) and _differ(outcome, failure):
                return part
        return None

    # ------------------------------------------------------------------ consequences

    def _is_consequence(
        self, statement: Statement, tree: ddl_ast.DdlStatement, node: Node, failure: SpannerError
    ) -> bool:
        """Return whether a failure may come from what is in doubt, or from what nobody knows."""
        if isinstance(failure, Unsupported) or isinstance(tree, _BUNDLES):
            return True
        words = _words(_text(statement, node))
        if words & self._doubtful:
            return True
        tables = words | {_table_of(tree)}
        return any(words & self._doubtful_columns.get(table, set()) for table in tables)

    def _mark_column(self, table: str, column: str) -> None:
        self._doubtful_columns.setdefault(table, set()).add(fold(column))

    def _mark_declared(self, tree: ddl_ast.DdlStatement) -> None:
        """Mark as doubtful what a refused statement would have declared or changed."""
        match tree:
            case ddl_ast.CreateTable(name=name, columns=columns):
                known = self._schema.tables.get(self._schema.fold(str(name)))
                if known is None:
                    self._doubtful.add(fold(str(name)))
                    return
                existing = {fold(column.name) for column in known.columns}
                for column in columns:
                    if fold(column.name.name) not in existing:
                        self._mark_column(fold(str(name)), column.name.name)
            case ddl_ast.AlterTable(name=name, action=action):
                if isinstance(action, ddl_ast.RenameTo):
                    self._doubtful.add(fold(str(action.name)))
                changed = getattr(action, "column", None)
                if isinstance(changed, ddl_ast.ColumnDefinition):
                    changed = changed.name
                if isinstance(changed, Identifier):
                    self._mark_column(fold(str(name)), changed.name)
            case ddl_ast.RenameTables(renames=renames):
                self._doubtful.update(fold(str(new)) for _, new in renames)
            case ddl_ast.CreateProtoBundle(types=types):
                self._doubtful.update(fold(str(each)) for each in types)
            case ddl_ast.AlterProtoBundle(inserts=types):
                self._doubtful.update(fold(str(each)) for each in types)
            case ddl_ast.Drop(name=name):
                self._doubtful.add(fold(str(name)))
            case _ if isinstance(path := getattr(tree, "name", None), Path):
                if not self._is_known(str(path)):
                    self._doubtful.add(fold(str(path)))

    def _is_known(self, name: str) -> bool:
        """Return whether a table or an index has the name, which no other object can have, then."""
        key = self._schema.fold(name)
        return key in self._schema.tables or key in self._schema.indexes


_BUNDLES = (ddl_ast.CreateProtoBundle, ddl_ast.AlterProtoBundle, ddl_ast.DropProtoBundle)


def _differ(failure: SpannerError, other: SpannerError) -> bool:
    return type(failure) is not type(other) or failure.facts() != other.facts()


def _text(statement: Statement, node: Node) -> str:
    return statement.text[node.at : node.end]


def _words(text: str) -> set[str]:
    """Return the names in a text, folded: of `a.b`, `a`, `b` and `a.b`."""
    words = set()
    for match in _WORD.finditer(text.replace("`", "").replace('"', "")):
        words |= {fold(match[0]), *map(fold, match[0].split("."))}
    return words


def _place(statement: Statement, node: Node, failure: SpannerError) -> int:
    """Return the offset of the name that a failure is about, or of the faulty part."""
    text = _text(statement, node)
    position = position_of_name(text, str(failure))
    if position is None:
        return getattr(node, "name", node).at if isinstance(node, ddl_ast.DdlStatement) else node.at
    line, column = position
    before = text.split("\n")[: line - 1]
    return node.at + sum(len(each) + 1 for each in before) + column - 1


def _table_of(tree: ddl_ast.DdlStatement) -> str:
    name = getattr(tree, "table", getattr(tree, "name", None))
    return "" if name is None else fold(str(name))


# ---------------------------------------------------------------------------- parts


def _parts(tree: ddl_ast.DdlStatement, valid_type: TypeName) -> Iterator[_Part]:
    """Yield the parts of a statement that can be left out; whole columns come last."""
    match tree:
        case ddl_ast.CreateTable():
            yield from _parts_of_table(tree, valid_type)
        case ddl_ast.IndexDefinition():
            for field in ("key", "storing", "where_not_null"):
                yield from _elements(tree, field)
            yield from _clauses(tree, ("interleave",))
        case ddl_ast.AlterTable(action=ddl_ast.AddColumn() as action):
            for column in _repaired(action.column, valid_type):
                rest = replace(tree, action=replace(action, column=column))
                yield _Part(action.column, rest, column.name.name)


def _parts_of_table(tree: ddl_ast.CreateTable, valid_type: TypeName) -> Iterator[_Part]:
    yield from _elements(tree, "constraints")
    yield from _clauses(tree, ("interleave", "row_deletion_policy"))
    yield from _elements(tree, "primary_key")
    for number, column in enumerate(tree.columns):
        for repaired in _repaired(column, valid_type):
            columns = (*tree.columns[:number], repaired, *tree.columns[number + 1 :])
            yield _Part(column, replace(tree, columns=columns), column.name.name)
    yield from reversed([*_elements(tree, "columns")])


def _elements(tree: ddl_ast.DdlStatement, field: str) -> Iterator[_Part]:
    """Yield the elements of a list of a statement."""
    elements: Sequence[Node] = getattr(tree, field) or ()
    for number, element in enumerate(elements):
        rest = (*elements[:number], *elements[number + 1 :])
        yield _Part(element, replace(tree, **{field: rest}))  # type: ignore[arg-type]


def _clauses(tree: ddl_ast.DdlStatement, fields: Sequence[str]) -> Iterator[_Part]:
    """Yield the clauses of a statement."""
    for field in fields:
        if (clause := getattr(tree, field, None)) is not None:
            yield _Part(clause, replace(tree, **{field: None}))  # type: ignore[arg-type]


def _repaired(
    column: ddl_ast.ColumnDefinition, valid_type: TypeName
) -> Iterator[ddl_ast.ColumnDefinition]:
    """Yield a column with a length, without each of its clauses, and with another type."""
    if _with_length(column.type) != column.type:
        yield replace(column, type=_with_length(column.type))
    for clause in ("default", "on_update", "generated", "identity", "options"):
        if getattr(column, clause) is not None:
            yield replace(column, **{clause: None})  # type: ignore[arg-type]
    yield ddl_ast.ColumnDefinition(
        column.name,
        valid_type,
        column.not_null,
        primary_key=column.primary_key,
        at=column.at,
        end=column.end,
    )


def _with_length(type_: TypeName) -> TypeName:
    """Return STRING and BYTES with a length, also as the type of elements."""
    if type_.element is not None:
        return replace(type_, element=_with_length(type_.element))
    if type_.length is None and fold(str(type_.path)) in _LENGTHS:
        return replace(type_, length=MAX)
    return type_
