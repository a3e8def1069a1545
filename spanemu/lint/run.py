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
from typing import TypeVar

from spanemu.base.deep_stack import deep_stack
from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import fold
from spanemu.base.severity import Severity
from spanemu.lint.acceptance import Acceptance
from spanemu.lint.build import build, hinted_indexes
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
    Position,
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
    """A statement that cannot be read, or that Spanner would refuse."""

    message: str
    file: str
    line: int
    line_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.line_column}: {self.message}"


Item = TypeVar("Item", bound=Finding | Failure)


@dataclass(frozen=True, slots=True)
class Report:
    """The findings and failures of a run, in the order of the text.

    `failures` are statements that could not be read; the others were linted without them.
    `refusals` are faults for which Spanner would refuse a statement that was linted.
    """

    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    files: tuple[str, ...] = field(default=())
    refusals: tuple[Failure, ...] = ()

    @property
    def faults(self) -> list[Failure]:
        """The failures and the refusals, in the order of the text."""
        return self._sorted([*self.failures, *self.refusals])

    @property
    def items(self) -> list[Finding | Failure]:
        """The faults and the findings, in the order of the text."""
        return self._sorted([*self.failures, *self.refusals, *self.findings])

    def _sorted(self, items: list[Item]) -> list[Item]:
        files = {file: number for number, file in enumerate(self.files)}
        return sorted(items, key=lambda each: (files[each.file], each.line, each.line_column))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def worst(self) -> Severity | None:
        """The highest severity of any finding."""
        severities = (finding.severity for finding in self.findings)
        return min(severities, key=lambda severity: severity.rank, default=None)


def run(
    sources: Source | Iterable[Source],
    settings: Settings | None = None,
    *,
    is_accepted: bool = False,
) -> Report:
    """Lint files, directories and DDL texts together, as one schema.

    With `is_accepted`, the schema is that of a database, whose statements cannot be refused. Raises
    SourceMissing for a file that cannot be read, UnknownRule if the settings name an unknown rule,
    and UndecidedRule if they select a rule that the linter cannot check.
    """
    settings = settings or Settings()
    rules = rules_of(settings.dialect)
    selected = [rule for rule in rules.values() if rule.check and is_selected(rule.id, settings)]
    check_rule_names(settings)
    dialect = dialect_named(settings.dialect)
    faults = Faults(None if is_accepted else Acceptance(dialect))
    texts = read_sources(sources, dialect)
    schema = build(_parsed(texts, faults), settings)
    schema.hinted = hinted_indexes(text.text for text in texts)
    findings = [_finding(rule, hit) for rule in selected for hit in _reported(rule, schema)]
    files = {text.origin: number for number, text in enumerate(texts)}
    findings.sort(key=lambda found: (files[found.file], found.line, found.line_column, found.id))
    return Report(tuple(findings), tuple(faults.failures), tuple(files), tuple(faults.refusals))


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


class Faults:
    """The failures of a run, and the refusals, unless `acceptance` is None.

    A run that creates no table is a part of a schema: what it refers to is not known.
    """

    def __init__(self, acceptance: Acceptance | None) -> None:
        self.failures: list[Failure] = []
        self._refusals: list[Failure] = []
        self._acceptance = acceptance
        self._creates_tables = False

    @property
    def refusals(self) -> list[Failure]:
        """The refusals of the statements of a whole schema."""
        return self._refusals if self._creates_tables else []

    def unreadable(self, failure: SyntaxFailure, before: SourceText, after: SourceText) -> None:
        """Record text that cannot be divided into statements, and that `after` lacks."""
        place = before.origin, failure.line, failure.column
        self.failures.append(Failure(failure.message, *place))
        if self._acceptance is not None:
            pairs = zip(before.text, after.text, strict=True)
            self._acceptance.mark_unreadable("".join(a if a != b else " " for a, b in pairs))

    def unparsed(self, statement: Statement, message: str, line: int = 1, column: int = 1) -> None:
        """Record a statement that cannot be parsed, at a place in its text."""
        self.at(statement, message, line, column)
        if self._acceptance is not None:
            self._acceptance.mark_unparsed(statement.text)

    def at(self, statement: Statement, message: str, line: int = 1, column: int = 1) -> None:
        """Record a failure at a place in the text of a statement."""
        source = statement.source
        first, first_column = source.line_and_column(statement.offset)
        column = first_column + column - 1 if line == 1 else column
        self.failures.append(Failure(message, source.origin, first + line - 1, column))

    def check(self, statement: Statement, tree: ddl_ast.DdlStatement) -> None:
        """Record why Spanner would refuse a statement."""
        self._creates_tables |= isinstance(tree, ddl_ast.CreateTable)
        if self._acceptance is not None:
            self._refusals += (
                Failure(refusal.message, *Position(statement, refusal.at).location)
                for refusal in self._acceptance.refusals(statement, tree)
            )


def _parsed(
    texts: Iterable[SourceText], faults: Faults
) -> Iterator[tuple[Statement, ddl_ast.DdlStatement]]:
    for text in texts:
        for statement in _statements(_without_psql_commands(text), faults):
            _check_directives(statement, faults)
            if is_client_statement(statement.text):
                continue
            tree = _tree(statement, faults)
            if tree is not None:
                faults.check(statement, tree)
                yield statement, tree


def _without_psql_commands(source: SourceText) -> SourceText:
    dialect = source.dialect.database
    text = without_psql_commands(source.text, source.origin, 1, dialect)
    return replace(source, text=text)


_UNREADABLE_MAX = 20  # unreadable statements, before the linter skips the rest of a file


def _statements(text: SourceText, faults: Faults) -> list[Statement]:
    """Return the readable statements; record a failure for each unreadable statement."""
    unreadable = 0
    while True:
        try:
            return statements_of(text)
        except SyntaxFailure as failure:
            unreadable += 1
            to_end = isinstance(failure, UnclosedText) or unreadable >= _UNREADABLE_MAX
            rest = text.without_statement(failure, to_end=to_end)
            faults.unreadable(failure, text, rest)
            text = rest


_SHALLOW_CHARS = 1_000  # a shorter statement is never nested too deeply for the rules


@deep_stack()
def _tree(statement: Statement, faults: Faults) -> ddl_ast.DdlStatement | None:
    try:
        tree = statement.source.dialect.parse_ddl(statement.text)
        if len(statement.text) > _SHALLOW_CHARS:
            deque(walk(tree), maxlen=0)
        return tree
    except (RecursionError, StatementTooLarge):
        faults.unparsed(statement, "Nested too deeply")
    except DdlSyntaxFailure as failure:
        faults.unparsed(statement, failure.message, failure.line, failure.column)
    except SpannerError as failure:
        faults.unparsed(statement, str(failure))
    return None


def _check_directives(statement: Statement, faults: Faults) -> None:
    """Record a failure for each unknown directive, so that none is silently ignored."""
    for directive in statement.directives:
        for name in directive.ignore:
            try:
                check_rule_name(name)
            except UnknownRule as error:
                faults.at(statement, f"In a comment: {error}")
        if directive.unknown:
            faults.at(
                statement, f"Unknown directive {directive.unknown!r} in a comment for spanemu."
            )
