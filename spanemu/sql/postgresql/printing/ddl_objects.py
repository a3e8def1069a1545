"""The statements that create the objects of a schema other than tables and their indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.schema import objects as named
from spanemu.schema.objects import DEFAULT, SYSTEM_ROLES, Grant, Role
from spanemu.schema.schema import Schema
from spanemu.sql.postgresql.syntax.keywords import quoted
from spanemu.sql.postgresql.syntax.literals import quote_literal

# The options of a change stream in the order in which Spanner prints them; others follow.
_STREAM_OPTIONS = (
    "value_capture_type",
    "retention_period",
    "exclude_insert",
    "exclude_update",
    "exclude_delete",
    "exclude_ttl_deletes",
    "allow_txn_exclusion",
    "partition_mode",
)
# The kinds of objects of privileges, where GRANT has other words for them than the schema.
_GRANTED = {"VIEW": "TABLE", "TABLE FUNCTION": "FUNCTION"}


def quoted_name(name: str) -> str:
    """Return the full name of an object."""
    return ".".join(map(quoted, name.split(".")))


def option_value(value: Any) -> str:
    """Return the value of an option as a literal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return "NULL" if value is None else quote_literal(str(value))


def with_options(options: Iterable[tuple[str, Any]]) -> str:
    """Return `WITH (a = 1, b = 'x')`."""
    settings = ", ".join(f"{quoted(name)} = {option_value(value)}" for name, value in options)
    return f"WITH ({settings})"


def sequence_clauses(
    *, kind: bool, skip_range: tuple[int, int] | None, start: int | None
) -> Mapping[str, str]:
    """Return the clauses of a sequence or an identity column, by their first word."""
    clauses = {"BIT_REVERSED_POSITIVE": "BIT_REVERSED_POSITIVE"} if kind else {}
    if skip_range is not None:
        clauses["SKIP"] = f"SKIP RANGE {skip_range[0]} {skip_range[1]}"
    if start is not None:
        clauses["START"] = f"START COUNTER WITH {start}"
    return clauses


def _sequence(sequence: named.Sequence) -> str:
    start = 1 if sequence.start_counter is None else sequence.start_counter
    clauses = sequence_clauses(
        kind=sequence.kind_written, skip_range=sequence.skip_range, start=start
    )
    order = ("BIT_REVERSED_POSITIVE", "START", "SKIP")
    words = [clauses[word] for word in order if word in clauses]
    return " ".join([f"CREATE SEQUENCE {quoted_name(sequence.name)}", *words])


def _view(view: named.View) -> str:
    security = "INVOKER" if view.invoker_rights else "DEFINER"
    return f"CREATE VIEW {quoted_name(view.name)} SQL SECURITY {security} AS {view.query}"


def _change_stream(stream: named.ChangeStream) -> str:
    lines = [f"CREATE CHANGE STREAM {quoted_name(stream.name)}"]
    if watched := watched_text(stream):
        lines.append(watched)
    if stream.options:
        first = {name: stream.options[name] for name in _STREAM_OPTIONS if name in stream.options}
        lines.append(with_options({**first, **stream.options}.items()))
    return "\n".join(lines)


def watched_text(stream: named.ChangeStream) -> str:
    """Return the FOR clause of a change stream, or "" if it watches nothing."""
    if stream.watches_all:
        return "FOR ALL"
    return f"FOR {', '.join(map(_watched, stream.tables))}" if stream.tables else ""


def _watched(table: named.Watched) -> str:
    name = quoted_name(table.table)
    return name if table.columns is None else f"{name}({', '.join(map(quoted, table.columns))})"


def _placement(placement: named.Placement) -> str:
    name = quoted_name(placement.name)
    return f"CREATE PLACEMENT {name} {with_options(placement.options.items())}"


def _locality_group(group: named.LocalityGroup) -> str:
    verb = "ALTER" if group.name == DEFAULT else "CREATE"
    options = (f"{name.upper()} {option_value(value)}" for name, value in group.options.items())
    return "\n".join([f"{verb} LOCALITY GROUP {quoted_name(group.name)}", *options])


def _role(role: Role) -> str:
    return f"CREATE ROLE {quoted(role.name)}"


_TEXTS: Mapping[str, Callable[[Any], str]] = {
    "CHANGE STREAM": _change_stream,
    "LOCALITY GROUP": _locality_group,
    "PLACEMENT": _placement,
    "ROLE": _role,
    "SEQUENCE": _sequence,
    "VIEW": _view,
}


def object_texts(kind: str, objects: Iterable[Any], schema: Schema) -> Iterator[str]:
    """Yield the statements that create objects of a kind, and what follows all of them."""
    for each in objects:
        yield _TEXTS[kind](each)
    if kind == "ROLE":
        yield from _grants(schema.roles.values())


def _grants(roles: Iterable[Role]) -> Iterator[str]:
    """Yield the grants of roles, system roles last: a schema holds them only with grants."""
    ordered = sorted(roles, key=lambda role: role.name if role.name in SYSTEM_ROLES else "")
    for role in ordered:
        yield from (f"{_grant(grant)} TO {quoted(role.name)}" for grant in role.grants)
        if role.member_of:
            yield f"GRANT {_names(role.member_of)} TO {quoted(role.name)}"


def _grant(grant: Grant) -> str:
    columns = f"({_names(sorted(grant.columns))})" if grant.columns else ""
    kind = _GRANTED.get(grant.kind, grant.kind)
    name = quoted_name(grant.name) if grant.name else "public"
    if kind == "FUNCTION" and not name.startswith("spanner."):
        name = f"spanner.{name}"
    return f"GRANT {grant.privilege}{columns} ON {kind} {name}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))
