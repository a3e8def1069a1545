"""Applies the rules to a schema and decides which findings are reported.

    run("schema.sql").findings
    run([Path("db"), "CREATE TABLE ..."], Settings(nodes=20))

A finding is not reported when its rule is not selected, when a comment in the statement, the
settings or the table's settings ignore the rule, or when the rule is about high write rates and the
table is low-rate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from spanemu.base.deep_stack import deep_stack
from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import fold
from spanemu.base.severity import Severity
from spanemu.lint.build import build
from spanemu.lint.model import Schema, Table
from spanemu.lint.rule import Hit, Rule
from spanemu.lint.rules import RULES
from spanemu.lint.rules.postgresql import in_postgresql, rules_of
from spanemu.lint.selection import (
    UnknownRule,
    check_rule_name,
    check_rule_names,
    is_named,
    is_selected,
    selects_weak_cases,
)
from spanemu.lint.settings import Settings
from spanemu.lint.source import (
    Source,
    SourceText,
    Statement,
    is_client_statement,
    read_sources,
    statements_of,
)
from spanemu.schema.dialect import POSTGRESQL, dialect_named
from spanemu.schema_source import without_psql_commands
from spanemu.sql import ddl_ast
from spanemu.sql.dialect import Dialect
from spanemu.sql.errors import DdlSyntaxFailure, StatementTooLarge, SyntaxFailure, UnclosedText
from spanemu.sql.inspection import walk

_OTHERS_SHOWN = 5  # object names in a finding about a whole schema


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of a rule. `column` is a column of the table or index `object`; `line` and
    `line_column` count from one.
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
    def name(self) -> str:
        """The rule with the object and the column to blame: SPN102 Events(EventTs)."""
        return f"{self.id} {self.object}" + (f"({self.column})" if self.column else "")

    @property
    def rule(self) -> Rule:
        """The rule of this finding."""
        return RULES[self.id]


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement that could not be read; the other statements were linted without it."""

    message: str
    file: str
    line: int
    line_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.line_column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings and failures of a run, in the order of the text."""

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
        severities = (finding.severity for finding in self.findings)
        return min(severities, key=lambda severity: severity.rank, default=None)


def run(sources: Source | Iterable[Source], settings: Settings | None = None) -> Report:
    """Lint files, directories and DDL texts together, as one schema.

    Raises SourceMissing for a file that cannot be read, UnknownRule if the settings name an unknown
    rule, and UndecidedRule if they select a rule that the linter cannot check.
    """
    settings = settings or Settings()
    rules = rules_of(settings.dialect)
    selected = [rule for rule in rules.values() if rule.check and is_selected(rule.id, settings)]
    check_rule_names(settings)
    failures: list[Failure] = []
    texts = read_sources(sources, dialect_named(settings.dialect))
    schema = build(_parsed(texts, failures), settings)
    findings = [_finding(rule, hit) for rule in selected for hit in _reported(rule, schema)]
    files = {text.origin: number for number, text in enumerate(texts)}
    findings.sort(key=lambda found: (files[found.file], found.line, found.line_column, found.id))
    return Report(tuple(findings), tuple(failures), tuple(files))


def _reported(rule: Rule, schema: Schema) -> Iterable[Hit]:
    """Return the hits of a rule that neither settings nor comments ignore."""
    assert rule.check is not None
    weak = selects_weak_cases(rule.id, schema.settings)
    hits = [
        hit
        for hit in rule.check(schema)
        if (weak or not hit.opt_in) and not _is_ignored(schema, rule, hit)
    ]
    return [_combined(hits)] if rule.once and hits else hits


def _combined(hits: Sequence[Hit]) -> Hit:
    """Return the first hit with the names of the other hits in its facts."""
    first, *rest = hits
    shown = ", ".join(hit.object for hit in rest[:_OTHERS_SHOWN])
    more = ", ..." if len(rest) > _OTHERS_SHOWN else ""
    others = f" The same holds for {len(rest)} more: {shown}{more}." if rest else ""
    return replace(first, facts={**first.facts, "others": others})


def _is_ignored(schema: Schema, rule: Rule, hit: Hit) -> bool:
    statements, names = [hit.position.statement], [hit.object]
    table = _table_of(schema, hit.object)
    if table is not None:
        names.append(table.name)
        if fold(table.name) == fold(hit.object):
            statements.append(table.statement)
    configured = [schema.settings.of(name) for name in names]
    ignored: Sequence[str] = [
        *(name for statement in statements for name in statement.ignored),
        *(name for table_settings in configured for name in table_settings.ignore),
    ]
    if any(is_named(rule.id, name) for name in ignored):
        return True
    declared = [] if table is None else [table.statement]
    low = any(table_settings.low_rate for table_settings in configured) or any(
        statement.low_rate for statement in [*statements, *declared]
    )
    return rule.rate and low


def _table_of(schema: Schema, name: str) -> Table | None:
    index = schema.indexes.get(fold(name))
    return schema.table(name) if index is None else index.table


def _finding(rule: Rule, hit: Hit) -> Finding:
    dialect = hit.position.dialect
    facts = {"object": hit.object, "column": hit.column, **hit.facts}
    if dialect.database is POSTGRESQL:
        facts |= {name: in_postgresql(str(facts[name])) for name in _TYPED & facts.keys()}
    message = rule.message.format_map(facts)
    fix = rule.fix.format_map({**facts, **_quoted_names(facts, dialect)})
    severity = hit.severity or (Severity.INFO if hit.opt_in else rule.severity)
    file, line, line_column = hit.position.location
    return Finding(
        rule.id, severity, hit.object, hit.column, message, fix, file, line, line_column
    )  # fmt: skip


# The facts that may contain names of types.
_TYPED = frozenset({"left", "order", "reason", "type", "what"})


def _quoted_names(facts: Mapping[str, object], dialect: Dialect) -> dict[str, str]:
    """Return the facts that are names, quoted as DDL requires."""
    names = ((fact, facts.get(fact)) for fact in ("object", "column", "parent", "table", "index"))
    return {fact: dialect.quoted_path(name) for fact, name in names if isinstance(name, str)}


# ---------------------------------------------------------------------------- parsing


def _parsed(
    texts: Iterable[SourceText], failures: list[Failure]
) -> Iterator[tuple[Statement, ddl_ast.DdlStatement]]:
    for text in texts:
        for statement in _statements(_without_psql_commands(text), failures):
            _check_directives(statement, failures)
            if is_client_statement(statement.text):
                continue
            tree = _tree(statement, failures)
            if tree is not None:
                yield statement, tree


def _without_psql_commands(source: SourceText) -> SourceText:
    dialect = source.dialect.database
    text = without_psql_commands(source.text, source.origin, 1, dialect)
    return replace(source, text=text)


_UNREADABLE_MAX = 20  # unreadable statements, before the linter skips the rest of a file


def _statements(text: SourceText, failures: list[Failure]) -> list[Statement]:
    """Return the readable statements; record a failure for each unreadable statement."""
    unreadable = 0
    while True:
        try:
            return statements_of(text)
        except SyntaxFailure as failure:
            unreadable += 1
            failures.append(Failure(failure.message, text.origin, failure.line, failure.column))
            to_end = isinstance(failure, UnclosedText) or unreadable >= _UNREADABLE_MAX
            text = text.without_statement(failure, to_end=to_end)


_SHALLOW_CHARS = 1_000  # a shorter statement is never nested too deeply for the rules


@deep_stack()
def _tree(statement: Statement, failures: list[Failure]) -> ddl_ast.DdlStatement | None:
    try:
        tree = statement.source.dialect.parse_ddl(statement.text)
        if len(statement.text) > _SHALLOW_CHARS:
            deque(walk(tree), maxlen=0)
        return tree
    except (RecursionError, StatementTooLarge):
        failures.append(Failure("Nested too deeply", *_location(statement)))
    except DdlSyntaxFailure as failure:
        origin, line, column = _location(statement)
        column = column + failure.column - 1 if failure.line == 1 else failure.column
        failures.append(Failure(failure.message, origin, line + failure.line - 1, column))
    except SpannerError as failure:
        failures.append(Failure(str(failure), *_location(statement)))
    return None


def _check_directives(statement: Statement, failures: list[Failure]) -> None:
    """Record a failure for each unknown directive, so that none is silently ignored."""
    for directive in statement.directives:
        for name in directive.ignore:
            try:
                check_rule_name(name)
            except UnknownRule as error:
                failures.append(Failure(f"In a comment: {error}", *_location(statement)))
        if directive.unknown:
            message = f"Unknown directive {directive.unknown!r} in a comment for spanemu."
            failures.append(Failure(message, *_location(statement)))


def _location(statement: Statement) -> tuple[str, int, int]:
    return statement.source.origin, *statement.source.line_and_column(statement.offset)
