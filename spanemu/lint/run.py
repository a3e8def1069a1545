"""Runs the rules over a schema and settles which of their findings are told.

    run("schema.sql").findings
    run([Path("db"), "CREATE TABLE ..."], Settings(nodes=20))

A finding is left out when its rule is not selected, when a comment in the statement, the settings
or the table's settings ignore it, or when it hurts at high rates only and the table is low-rate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import fold, quoted_path
from spanemu.base.severity import Severity
from spanemu.lint.build import build
from spanemu.lint.client_statements import is_client_statement
from spanemu.lint.model import Schema, Table
from spanemu.lint.rule import Hit, Rule
from spanemu.lint.rule_names import UnknownRule, check_rule_name, is_named
from spanemu.lint.rules import RULES
from spanemu.lint.selection import check_rule_names, is_selected, selects_weak_cases
from spanemu.lint.settings import Settings
from spanemu.lint.source import Source, Statement, Text, read_sources, statements_of
from spanemu.sql import ddl_ast
from spanemu.sql.errors import DdlSyntaxFailure, SyntaxFailure, UnclosedText
from spanemu.sql.googlesql.syntax.ddl.statement import parse_ddl
from spanemu.sql.googlesql.syntax.inspection import walk

_OTHERS_SHOWN = 5  # names in a finding that speaks for a whole schema


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule has to say. `column` is a column of the table or index `object`;
    `line` and `line_column` count from one.
    """

    id: str
    severity: Severity
    object: str
    column: str | None
    message: str
    fix: str
    file: str
    line: int
    line_column: int

    @property
    def rule(self) -> Rule:
        """The rule that speaks."""
        return RULES[self.id]


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that could not be read; the rest was linted without it."""

    message: str
    file: str
    line: int
    line_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.line_column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """What linting found, in the order of the text."""

    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    files: tuple[str, ...] = field(default=())

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def worst(self) -> Severity | None:
        """The highest severity of any finding."""
        return min(
            (each.severity for each in self.findings), key=lambda each: each.rank, default=None
        )


def run(sources: Source | Iterable[Source], settings: Settings | None = None) -> Report:
    """Lint files, directories and DDL texts together, as one schema.

    Raises SourceMissing for a file that cannot be read, UnknownRule for settings that name one, and
    UndecidedRule if they select one that no text tells of.
    """
    settings = settings or Settings()
    chosen = [rule for rule in RULES.values() if rule.check and is_selected(rule.id, settings)]
    check_rule_names(settings)
    failures: list[Failure] = []
    texts = read_sources(sources)
    schema = build(_parsed(texts, failures), settings)
    findings = [_finding(rule, hit) for rule in chosen for hit in _reported(rule, schema)]
    files = {text.origin: place for place, text in enumerate(texts)}
    findings.sort(key=lambda each: (files[each.file], each.line, each.line_column, each.id))
    return Report(tuple(findings), tuple(failures), tuple(files))


def _reported(rule: Rule, schema: Schema) -> Iterable[Hit]:
    """Return the hits of a rule that the settings and comments let through."""
    assert rule.check is not None
    weak = selects_weak_cases(rule.id, schema.settings)
    hits = [
        hit
        for hit in rule.check(schema)
        if (weak or not hit.opt_in) and not _is_spared(schema, rule, hit)
    ]
    return [_folded(hits)] if rule.once and hits else hits


def _folded(hits: Sequence[Hit]) -> Hit:
    """Return the first hit, which names the others."""
    first, *rest = hits
    shown = ", ".join(hit.object for hit in rest[:_OTHERS_SHOWN])
    more = ", ..." if len(rest) > _OTHERS_SHOWN else ""
    others = f" The same holds for {len(rest)} more: {shown}{more}." if rest else ""
    return replace(first, facts={**first.facts, "others": others})


def _is_spared(schema: Schema, rule: Rule, hit: Hit) -> bool:
    statements, names = [hit.spot.statement], [hit.object]
    table = _table_of(schema, hit.object)
    if table is not None:
        names.append(table.name)
        if fold(table.name) == fold(hit.object):
            statements.append(table.statement)
    known = [schema.settings.of(name) for name in names]
    ignored: Sequence[str] = [
        *(name for statement in statements for name in statement.ignored),
        *(name for each in known for name in each.ignore),
    ]
    if any(is_named(rule.id, name) for name in ignored):
        return True
    declared = [] if table is None else [table.statement]
    low = any(each.low_rate for each in known) or any(
        statement.low_rate for statement in [*statements, *declared]
    )
    return rule.rate and low


def _table_of(schema: Schema, name: str) -> Table | None:
    index = schema.indexes.get(fold(name))
    return schema.table(name) if index is None else index.table


def _finding(rule: Rule, hit: Hit) -> Finding:
    facts = {"object": hit.object, "column": hit.column, **hit.facts}
    message, fix = rule.says.format_map(facts), rule.fix.format_map({**facts, **_in_ddl(facts)})
    severity = hit.severity or (Severity.INFO if hit.opt_in else rule.severity)
    file, line, line_column = hit.spot.place
    return Finding(
        rule.id, severity, hit.object, hit.column, message, fix, file, line, line_column
    )  # fmt: skip


def _in_ddl(facts: Mapping[str, object]) -> dict[str, str]:
    """Those facts that are names, as DDL has them."""
    found = ((fact, facts.get(fact)) for fact in ("object", "column", "parent", "table", "index"))
    return {fact: quoted_path(name) for fact, name in found if isinstance(name, str)}


# ---------------------------------------------------------------------------- parsing


def _parsed(
    texts: Iterable[Text], failures: list[Failure]
) -> Iterator[tuple[Statement, ddl_ast.DdlStatement]]:
    for text in texts:
        for statement in _statements(text, failures):
            _check_directives(statement, failures)
            if is_client_statement(statement.text):
                continue
            tree = _tree(statement, failures)
            if tree is not None:
                yield statement, tree


_UNREADABLE_MAX = 20  # statements of a file, before the rest of the file is left unread


def _statements(text: Text, failures: list[Failure]) -> list[Statement]:
    """Return the statements that can be read; each of the others is a failure."""
    unreadable = 0
    while True:
        try:
            return statements_of(text)
        except SyntaxFailure as failure:
            unreadable += 1
            failures.append(Failure(failure.message, text.origin, failure.line, failure.column))
            to_end = isinstance(failure, UnclosedText) or unreadable >= _UNREADABLE_MAX
            text = text.without_statement(failure, to_end=to_end)


_SHALLOW_CHARS = 1_000  # a statement has to be longer to be nested too deeply for the rules


def _tree(statement: Statement, failures: list[Failure]) -> ddl_ast.DdlStatement | None:
    try:
        tree = parse_ddl(statement.text)
        if len(statement.text) > _SHALLOW_CHARS:
            deque(walk(tree), maxlen=0)
        return tree
    except RecursionError:
        failures.append(Failure("Nested too deeply", *_place(statement)))
    except DdlSyntaxFailure as failure:
        origin, line, column = _place(statement)
        column = column + failure.column - 1 if failure.line == 1 else failure.column
        failures.append(Failure(failure.message, origin, line + failure.line - 1, column))
    except SpannerError as failure:
        failures.append(Failure(str(failure), *_place(statement)))
    return None


def _check_directives(statement: Statement, failures: list[Failure]) -> None:
    """A comment that says what nobody understands would be ignored in silence."""
    for directive in statement.directives:
        for name in directive.ignore:
            try:
                check_rule_name(name)
            except UnknownRule as problem:
                failures.append(Failure(f"In a comment: {problem}", *_place(statement)))
        if directive.unknown:
            said = f"A comment says {directive.unknown!r} to spanemu, which means nothing."
            failures.append(Failure(said, *_place(statement)))


def _place(statement: Statement) -> tuple[str, int, int]:
    return statement.source.origin, *statement.source.place(statement.offset)
