"""`spanemu ddl`: schema files laid out, judged, compared, applied and drawn.

    spanemu ddl fmt schema.sql --check         is it laid out as fmt would?
    spanemu ddl check schema.sql               would Spanner take it?
    spanemu ddl diff old.sql new.sql           the statements from one to the other
    spanemu ddl apply new.sql --database P     run what is missing there
    spanemu ddl export --database P            what a database says it is
    spanemu ddl graph schema.sql --format dot  what depends on what

A schema is any number of files, of directories with `.sql` and `.ddl` files in the order of their
numbers, or `-` for what comes in.

exit 0   done, nothing to say
exit 1   fmt --check: a file is not laid out; diff --exit-code: the schemas differ
exit 2   the command line, or a schema, is wrong
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from google.api_core.exceptions import GoogleAPICallError

from spanemu.api.client import official_client, told
from spanemu.base.errors import SpannerError
from spanemu.base.resource_names import DatabaseName
from spanemu.cli.suggesting_group import SuggestingGroup
from spanemu.ddl import (
    Dependency,
    Migration,
    dependencies,
    diff,
    format_ddl,
    parse,
    schema_of,
)
from spanemu.frontend.admin.descriptors import types_from_descriptors
from spanemu.lint.source import SourceMissing, Text, read_sources
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.schema_source import SchemaRejected, SchemaStatement, rejected, split_schema

T = TypeVar("T")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_SOURCE = "FILE|DIRECTORY|-"
_SCHEMA = click.argument("sources", nargs=-1, required=True, metavar=f"{_SOURCE}...")
_DATABASE = click.option(
    "--database", "name", required=True, metavar="projects/P/instances/I/databases/D"
)
_HOST = click.option(
    "--host-port",
    metavar="HOST:PORT",
    default=lambda: os.environ.get("SPANNER_EMULATOR_HOST", "localhost:9010"),
    help="Where its server is; default: $SPANNER_EMULATOR_HOST, or localhost:9010.",
)


_PROTOS = click.option(
    "--proto-descriptors",
    "protos",
    type=_FILE,
    help="A FileDescriptorSet (protoc --descriptor_set_out) with the types of proto bundles.",
)
_REACHED_WITHIN_SECONDS = 3.0


class Rejected(click.ClickException):
    """A schema or a server is not as it should be; the command line is."""

    exit_code = 2


@click.group(cls=SuggestingGroup)
def ddl() -> None:
    """Work with schemas."""


@ddl.command()
@_SCHEMA
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if something would change.")
def fmt(sources: Sequence[str], check: bool) -> None:
    """Lay files out: one column a line, comments where they were."""
    texts = _texts(sources)
    wrong = [str(failure) for text in texts for failure in _mistakes(text)]
    if wrong:
        raise Rejected("\n".join(wrong))
    changed = [_lay_out(text, check=check) for text in texts]
    raise SystemExit(1 if check and any(changed) else 0)


def _mistakes(text: Text) -> Iterator[SpannerError]:
    """What no statement is, with its place; nothing is written while there is any."""
    try:
        statements = split_schema(text.text, text.origin)
    except SchemaRejected as failure:
        yield failure
        return
    for statement in statements:
        try:
            parse(statement.text)
        except SpannerError as failure:
            yield rejected(statement, failure)


def _lay_out(text: Text, *, check: bool) -> bool:
    """Whether a text was, or would be, laid out anew; what came in goes out."""
    after = format_ddl(text.text)
    changes = after != text.text
    path = Path(text.origin)
    if not check and not path.is_file():
        click.echo(after, nl=False)
    elif changes:
        click.echo(f"{text.origin}: {'would be' if check else 'was'} laid out anew", err=True)
        if not check:
            path.write_text(after, encoding="utf-8")
    return changes


@ddl.command()
@_SCHEMA
@_PROTOS
def check(sources: Sequence[str], protos: Path | None) -> None:
    """Say whether Spanner would take a schema, which all files make together."""
    schema = _schema(sources, _types(protos))
    click.echo(
        f"{len(schema.tables)} tables, {len(schema.indexes)} indexes, {len(schema.views)} views"
    )


@ddl.command(name="diff")
@click.argument("before", metavar=f"BEFORE({_SOURCE})")
@click.argument("after", metavar=f"AFTER({_SOURCE})")
@click.option("--exit-code", is_flag=True, help="Exit 1 when there is a difference.")
@_PROTOS
def difference(before: str, after: str, exit_code: bool, protos: Path | None) -> None:
    """Print the statements that lead from one schema to another."""
    types = _types(protos)
    way = diff(_schema([before], types), _schema([after], types))
    _print(way)
    raise SystemExit(1 if exit_code and way else 0)


@ddl.command()
@_SCHEMA
@_DATABASE
@_HOST
@click.option("--dry-run", is_flag=True, help="Print the statements; run none.")
@click.option("--allow-destructive", is_flag=True, help="Drop tables and columns too.")
@_PROTOS
def apply(
    sources: Sequence[str],
    protos: Path | None,
    dry_run: bool,
    allow_destructive: bool,
    **there: str,
) -> None:
    """Bring a database to the schema of the files."""
    wanted = _schema(sources, _types(protos))
    database = _database(**there)
    way = diff(_schema_there(database), wanted, database.database_id)
    if dry_run or not way:
        _print(way)
        return
    losing = [step.statement for step in way if step.destructive]
    if losing and not allow_destructive:
        lines = "\n".join(losing)
        raise Rejected(f"rows would be lost (--allow-destructive):\n{lines}")
    sent = b"" if wanted.proto_bundle is None else wanted.proto_bundle.descriptors
    try:
        database.update_ddl([step.statement for step in way], proto_descriptors=sent).result()
    except GoogleAPICallError as problem:
        raise Rejected(told(problem)) from problem
    click.echo(f"{len(way)} statements applied", err=True)


@ddl.command()
@_DATABASE
@_HOST
def export(name: str, host_port: str) -> None:
    """Print the schema of a database."""
    for statement in _database(name, host_port).ddl_statements:
        click.echo(f"{statement};\n")


@ddl.command()
@_SCHEMA
@click.option("--format", "shape", type=click.Choice(["text", "dot", "mermaid"]), default="text")
@_PROTOS
def graph(sources: Sequence[str], shape: str, protos: Path | None) -> None:
    """Print what depends on what."""
    click.echo(_SHAPES[shape](dependencies(_schema(sources, _types(protos)))))


# ---------------------------------------------------------------------------- what they share


def _texts(sources: Sequence[str]) -> list[Text]:
    try:
        return read_sources(sources)
    except SourceMissing as problem:
        raise Rejected(str(problem)) from problem


def _schema(sources: Sequence[str], types: ProtoTypes) -> Schema:
    texts = _texts(sources)

    def made() -> Schema:
        schema = schema_of([])
        for text in texts:
            for statement in split_schema(text.text, text.origin):
                schema = _with(schema, statement, types)
        return schema

    return _guarded(made)


def _schema_there(database: Any) -> Schema:
    """The schema of a database that was asked what it is."""
    types = types_from_descriptors(database.proto_descriptors or b"")
    return _guarded(lambda: schema_of(list(database.ddl_statements), types=types))


def _types(protos: Path | None) -> ProtoTypes:
    """The types of a file of descriptors; none without one."""
    return _guarded(lambda: types_from_descriptors(b"" if protos is None else protos.read_bytes()))


def _with(schema: Schema, statement: SchemaStatement, types: ProtoTypes) -> Schema:
    try:
        return schema_of(statement.text, schema, types)
    except SpannerError as failure:
        raise rejected(statement, failure) from failure


def _guarded(make: Callable[[], T]) -> T:
    """What `make` gives; what is wrong with a schema is wrong with the command line."""
    try:
        return make()
    except SpannerError as problem:
        raise Rejected(str(problem)) from problem


def _database(name: str, host_port: str) -> Any:
    parsed = _guarded(lambda: DatabaseName.parse(name))
    _reach(host_port)
    client = official_client(host_port, parsed.project)
    database = client.instance(parsed.instance).database(parsed.database)
    try:
        database.reload()
    except GoogleAPICallError as problem:
        raise Rejected(told(problem)) from problem
    return database


def _reach(host_port: str) -> None:
    """Refuse at once where nobody listens: the client would try again for minutes."""
    host, _, port = host_port.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _REACHED_WITHIN_SECONDS).close()
    except (OSError, ValueError) as problem:
        raise Rejected(f"no server answers at {host_port}: {problem}") from problem


def _print(way: Sequence[Migration]) -> None:
    for step in way:
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
