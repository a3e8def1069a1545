"""`spanemu ddl`: formats, validates, compares, applies and draws schema files.

    spanemu ddl fmt schema.sql --check         check whether a file is formatted
    spanemu ddl check schema.sql               check whether Spanner would accept a schema
    spanemu ddl diff old.sql new.sql           print the statements that lead from old to new
    spanemu ddl apply new.sql --database P     migrate a database to a schema
    spanemu ddl export --database P            print the schema of a database
    spanemu ddl graph schema.sql --format dot  print the dependencies between objects
    spanemu ddl check pg.sql --dialect postgresql

A schema is any number of files, of directories with `.sql` and `.ddl` files in the order of their
numbers, or `-` for standard input.

exit 0   success
exit 1   fmt --check: a file is not formatted; diff --exit-code: the schemas differ
exit 2   the command line or a schema is invalid, or the server or database is unavailable
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, Unpack

import click
from google.api_core.exceptions import GoogleAPICallError

from spanemu.api.client import message_with_position, official_client
from spanemu.api.probe import Unreachable
from spanemu.base.counts import counted
from spanemu.base.errors import SpannerError
from spanemu.cli.commands import SuggestingGroup, dialect_option
from spanemu.cli.databases import NameOptions, find_database
from spanemu.cli.target import TargetOptions, check_answers, find_target, target_options
from spanemu.ddl import (
    Dependency,
    Migration,
    dependencies,
    diff,
    format_ddl,
    parse,
    schema_of,
)
from spanemu.ddl.errors.columns import TypeNotFound
from spanemu.frontend.convert.types import types_from_descriptors
from spanemu.lint.source import SourceMissing, SourceText, read_sources
from spanemu.schema.dialect import DATABASE_DIALECTS, POSTGRESQL, DatabaseDialect, dialect_named
from spanemu.schema.indexes import KINDS
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.schema_source import (
    PsqlCommandSkipped,
    SchemaRejected,
    SchemaStatement,
    rejected,
    split_schema,
)

T = TypeVar("T")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_SOURCE = "FILE|DIRECTORY|-"
_SCHEMA = click.argument("sources", nargs=-1, required=True, metavar=f"{_SOURCE}...")
_DATABASE = (
    click.option(
        "--database",
        required=True,
        metavar="NAME",
        help="The database: an id, which is searched in all instances of the server, or a full "
        "name.",
    ),
    click.option("--project", metavar="ID", help="The project of the database."),
    click.option("--instance", metavar="ID", help="The instance of the database."),
)
_DIALECT_QUERY = """
SELECT option_value FROM information_schema.database_options WHERE option_name = 'database_dialect'
"""


_PROTOS = click.option(
    "--proto-descriptors",
    "protos",
    type=_FILE,
    help="A FileDescriptorSet (protoc --descriptor_set_out) with the types of proto bundles.",
)


class DatabaseOptions(NameOptions, TargetOptions):
    """The values of the options that name a database of a server."""


def database_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a database of a server to a command."""
    command = target_options(command)
    for option in reversed(_DATABASE):
        command = option(command)
    return command


class Rejected(click.ClickException):
    """An error in a schema or from a server, not in the command line itself."""

    exit_code = 2


@click.group(cls=SuggestingGroup)
def ddl() -> None:
    """Format, check, compare and apply schemas."""


@ddl.command()
@_SCHEMA
@dialect_option
@click.option("--check", is_flag=True, help="Change no file; exit 1 if a file would change.")
def fmt(sources: Sequence[str], dialect: str, check: bool) -> None:
    """Format files: one column per line; comments stay where they are."""
    texts = _texts(sources, dialect_named(dialect))
    errors = [str(error) for text in texts for error in _errors(text)]
    if errors:
        raise Rejected("\n".join(errors))
    changed = [_format(text, check=check) for text in texts]
    raise SystemExit(1 if check and any(changed) else 0)


def _errors(text: SourceText) -> Iterator[SpannerError]:
    """Yield an error with its position for each invalid statement."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PsqlCommandSkipped)
            statements = split_schema(text.text, text.origin, dialect=text.dialect.database)
    except SchemaRejected as failure:
        yield failure
        return
    except PsqlCommandSkipped as skipped:
        raise Rejected(f"{skipped}: remove the command to format the file") from skipped
    for statement in statements:
        try:
            parse(statement.text, statement.dialect)
        except SpannerError as failure:
            yield rejected(statement, failure)


def _format(text: SourceText, *, check: bool) -> bool:
    """Format a text and return whether it changed; with `check`, write nothing.

    Standard input is formatted to standard output.
    """
    after = format_ddl(text.text, text.dialect.database)
    changes = after != text.text
    path = Path(text.origin)
    if not check and not path.is_file():
        click.echo(after, nl=False)
    elif changes:
        click.echo(f"{text.origin}: {'would be' if check else 'was'} reformatted", err=True)
        if not check:
            path.write_text(after, encoding="utf-8", newline="\n")
    return changes


@ddl.command()
@_SCHEMA
@dialect_option
@_PROTOS
def check(sources: Sequence[str], dialect: str, protos: Path | None) -> None:
    """Check whether Spanner would accept the schema that all files form together."""
    schema = _schema(sources, dialect_named(dialect), _types(protos))
    indexes = sum(len(getattr(schema, kind.schema_field)) for kind in KINDS)
    counts = [
        counted(len(schema.tables), "table"),
        counted(indexes, "index", "indexes"),
        counted(len(schema.views), "view"),
    ]
    rarer = ((schema.models, "model"), (schema.graphs, "property graph"))
    counts += [counted(len(objects), noun) for objects, noun in rarer if objects]
    click.echo(", ".join(counts))


@ddl.command(name="diff")
@click.argument("before", metavar=f"BEFORE({_SOURCE})")
@click.argument("after", metavar=f"AFTER({_SOURCE})")
@dialect_option
@click.option("--exit-code", is_flag=True, help="Exit 1 if the schemas differ.")
@_PROTOS
def difference(before: str, after: str, dialect: str, exit_code: bool, protos: Path | None) -> None:
    """Print the statements that lead from one schema to another."""
    own, types = dialect_named(dialect), _types(protos)
    migrations = diff(_schema([before], own, types), _schema([after], own, types))
    _print(migrations)
    raise SystemExit(1 if exit_code and migrations else 0)


@ddl.command()
@_SCHEMA
@database_options
@click.option("--dry-run", is_flag=True, help="Print the statements without running them.")
@click.option("--allow-destructive", is_flag=True, help="Also drop tables and columns.")
@_PROTOS
def apply(
    sources: Sequence[str],
    protos: Path | None,
    dry_run: bool,
    allow_destructive: bool,
    **given: Unpack[DatabaseOptions],
) -> None:
    """Migrate a database to the schema of the files, which are in the database's dialect."""
    database = _database(given)
    schema = _schema(sources, _dialect_of(database), _types(protos))
    migrations = diff(_schema_of(database), schema, database.database_id)
    if dry_run or not migrations:
        _print(migrations)
        return
    destructive = [step.statement for step in migrations if step.destructive]
    if destructive and not allow_destructive:
        lines = "\n".join(destructive)
        raise Rejected(f"these statements lose rows and need --allow-destructive:\n{lines}")
    descriptors = b"" if schema.proto_bundle is None else schema.proto_bundle.descriptors
    statements = [step.statement for step in migrations]
    try:
        operation = database.update_ddl(statements, proto_descriptors=descriptors)
    except GoogleAPICallError as error:
        raise Rejected(message_with_position(error)) from error
    try:
        operation.result()
    except GoogleAPICallError as error:
        applied = len(operation.metadata.commit_timestamps)
        count = f"{applied} of {len(statements)} statements applied"
        raise Rejected(f"{message_with_position(error)}\n{count}") from error
    click.echo(f"{counted(len(statements), 'statement')} applied", err=True)


@ddl.command()
@database_options
def export(**given: Unpack[DatabaseOptions]) -> None:
    """Print the schema of a database."""
    for statement in _database(given).ddl_statements:
        click.echo(f"{statement};\n")


@ddl.command()
@_SCHEMA
@dialect_option
@click.option("--format", "shape", type=click.Choice(["text", "dot", "mermaid"]), default="text")
@_PROTOS
def graph(sources: Sequence[str], dialect: str, shape: str, protos: Path | None) -> None:
    """Print the dependencies between objects."""
    schema = _schema(sources, dialect_named(dialect), _types(protos))
    click.echo(_SHAPES[shape](dependencies(schema)))


# ---------------------------------------------------------------------------- shared helpers


def _texts(sources: Sequence[str], dialect: DatabaseDialect) -> list[SourceText]:
    try:
        return read_sources(sources, dialect)
    except SourceMissing as error:
        raise Rejected(str(error)) from error


def _schema(sources: Sequence[str], dialect: DatabaseDialect, types: ProtoTypes) -> Schema:
    texts = _texts(sources, dialect)

    def build() -> Schema:
        schema = schema_of([], dialect=dialect)
        for text in texts:
            for statement in split_schema(text.text, text.origin, dialect=dialect):
                schema = _with(schema, statement, types)
        return schema

    return _or_rejected(build)


def _schema_of(database: Any) -> Schema:
    """Return the schema of a database, from its DDL and proto descriptors."""
    types = types_from_descriptors(database.proto_descriptors or b"")
    statements, dialect = list(database.ddl_statements), _dialect_of(database)
    return _or_rejected(lambda: schema_of(statements, types=types, dialect=dialect))


def _dialect_of(database: Any) -> DatabaseDialect:
    """Return the dialect of the official client's `Database`.

    Google's emulator does not report the dialect of a database, but the database itself does.
    """
    number = database.database_dialect
    if number == 0:
        try:
            with database.snapshot() as snapshot:
                names = {str(row[0]) for row in snapshot.execute_sql(_DIALECT_QUERY)}
        except GoogleAPICallError as error:
            raise Rejected(message_with_position(error)) from error
        number = next(each for each, own in DATABASE_DIALECTS.items() if own.name in names)
    return DATABASE_DIALECTS[number]


def _types(protos: Path | None) -> ProtoTypes:
    """Return the proto types of a descriptor file; none without a file."""
    return _or_rejected(
        lambda: types_from_descriptors(b"" if protos is None else protos.read_bytes())
    )


def _with(schema: Schema, statement: SchemaStatement, types: ProtoTypes) -> Schema:
    try:
        return schema_of(statement.text, schema, types)
    except SpannerError as failure:
        error = rejected(statement, failure)
        if isinstance(failure, TypeNotFound) and _is_postgresql(statement):
            hint = "The statement is in PostgreSQL: give --dialect postgresql."
            raise Rejected(f"{error}\n{hint}") from failure
        raise error from failure


def _is_postgresql(statement: SchemaStatement) -> bool:
    """Return whether a statement for GoogleSQL has the types of PostgreSQL."""
    try:
        parse(statement.text, POSTGRESQL)
    except SpannerError:
        return False
    return statement.dialect is not POSTGRESQL


def _or_rejected(action: Callable[[], T]) -> T:
    """Return the result of `action`; raise Rejected for a SpannerError."""
    try:
        return action()
    except SpannerError as error:
        raise Rejected(str(error)) from error


def _database(given: DatabaseOptions) -> Any:
    target = find_target(given)
    try:
        check_answers(target)
    except Unreachable as problem:
        raise Rejected(str(problem)) from problem
    name = _or_rejected(lambda: find_database(given, target))
    client = official_client(target.uri, name.project, target.tls_ca)
    database = client.instance(name.instance).database(name.database)
    try:
        database.reload()
    except GoogleAPICallError as error:
        raise Rejected(message_with_position(error)) from error
    return database


def _print(migrations: Sequence[Migration]) -> None:
    for step in migrations:
        note = "-- loses rows\n" if step.destructive else ""
        click.echo(f"{note}{step.statement};")


def _as_text(edges: Sequence[Dependency]) -> str:
    return "\n".join(f"{edge.source} -> {edge.target} ({edge.reason})" for edge in edges)


def _as_dot(edges: Sequence[Dependency]) -> str:
    lines = (f'  "{edge.source}" -> "{edge.target}" [label="{edge.reason}"];' for edge in edges)
    return "\n".join(["digraph schema {", *lines, "}"])


def _as_mermaid(edges: Sequence[Dependency]) -> str:
    lines = (f"  {edge.source} -->|{edge.reason}| {edge.target}" for edge in edges)
    return "\n".join(["graph LR", *lines])


_SHAPES: dict[str, Callable[[Sequence[Dependency]], str]] = {
    "dot": _as_dot,
    "mermaid": _as_mermaid,
    "text": _as_text,
}
