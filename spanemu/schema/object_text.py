"""Everything but tables and what belongs to them, as CREATE statements write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.access import SYSTEM_ROLES, Grant, Role
from spanemu.schema.change_stream import ChangeStream, Watched
from spanemu.schema.column_text import option_value
from spanemu.schema.placement import DEFAULT, LocalityGroup, Placement
from spanemu.schema.proto_bundle import ProtoBundle
from spanemu.schema.routine import Model, ModelColumn, UserFunction
from spanemu.values.types import Type, TypeCode


def options_text(options: Mapping[str, Any]) -> str:
    """` OPTIONS ( a = 1, b = 'x' )`, or nothing."""
    if not options:
        return ""
    found = ", ".join(f"{name} = {option_value(value)}" for name, value in options.items())
    return f" OPTIONS ( {found} )"


def unlimited(type_: Type) -> str:
    """A type as DDL writes it where lengths are always MAX."""
    if type_.element is not None:
        return f"ARRAY<{unlimited(type_.element)}>"
    if type_.is_struct:
        fields = ", ".join(f"{quoted(f.name)} {unlimited(f.type)}" for f in type_.fields)
        return f"STRUCT<{fields}>"
    if type_.code in (TypeCode.STRING, TypeCode.BYTES):
        return f"{type_}(MAX)"
    return str(type_)


# ---------------------------------------------------------------------------- change streams


def change_stream_text(stream: ChangeStream) -> str:
    """CREATE CHANGE STREAM."""
    watched = ""
    if stream.watches_all:
        watched = " FOR ALL"
    elif stream.tables:
        watched = f" FOR {', '.join(map(_watched, stream.tables))}"
    return f"CREATE CHANGE STREAM {quoted(stream.name)}{watched}{options_text(stream.options)}"


def _watched(one: Watched) -> str:
    columns = "" if one.columns is None else f"({_names(one.columns)})"
    return f"{quoted_path(one.table)}{columns}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# ---------------------------------------------------------------------------- routines


def function_text(function: UserFunction) -> str:
    """CREATE FUNCTION."""
    parameters = ", ".join(
        f"{quoted(one.name)} {one.type}"
        + ("" if one.default is None else f" DEFAULT {one.default}")
        for one in function.parameters
    )
    words = [f"CREATE FUNCTION {quoted_path(function.name)}({parameters})"]
    if function.returns is not None:
        words.append(f"RETURNS {function.returns}")
    if function.determinism is not None:
        words.append(function.determinism)
    if function.language is not None:
        words.append(f"LANGUAGE {function.language}")
    if function.remote and function.language != "REMOTE":
        words.append("REMOTE")
    if function.invoker_rights:
        words.append("SQL SECURITY INVOKER")
    if function.body is not None:
        words.append(f"AS ({function.body})")
    return " ".join(words) + options_text(function.options)


def model_text(model: Model) -> str:
    """CREATE MODEL."""
    lines = [f"CREATE MODEL {quoted_path(model.name)}"]
    for word, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
        if columns is not None:
            lines += [f"{word}(", *map(_model_column, columns), ")"]
    lines.append(f"REMOTE\n{options_text(model.options)}".rstrip())
    return "\n".join(lines)


def _model_column(column: ModelColumn) -> str:
    text = f"{quoted(column.name)} {unlimited(column.type)}{options_text(column.options)}"
    return f"  {text},"


# ---------------------------------------------------------------------------- places of rows


def locality_group_text(group: LocalityGroup) -> str:
    """CREATE LOCALITY GROUP; the one that is always there is altered instead."""
    if group.name == DEFAULT:
        return f"ALTER LOCALITY GROUP {quoted(DEFAULT)} SET{options_text(group.options)}"
    return f"CREATE LOCALITY GROUP {quoted(group.name)}{options_text(group.options)}"


def placement_text(placement: Placement) -> str:
    """CREATE PLACEMENT."""
    return f"CREATE PLACEMENT {quoted(placement.name)}{options_text(placement.options)}"


def proto_bundle_text(bundle: ProtoBundle) -> str:
    """CREATE PROTO BUNDLE, one type a line."""
    types = "".join(f"  {quoted_path(name)},\n" for name in sorted(bundle.names))
    return f"CREATE PROTO BUNDLE (\n{types})"


def statistics_text(package: str, allow_gc: bool) -> str:
    """ALTER STATISTICS."""
    value = option_value(allow_gc)
    return f"ALTER STATISTICS {quoted(package)} SET OPTIONS (allow_gc = {value})"


# ---------------------------------------------------------------------------- roles


def role_texts(roles: Sequence[Role]) -> Iterator[str]:
    """CREATE ROLE for each role, then what each was granted; system roles, which nobody creates,
    come last, for they are in a schema only since something was granted to them.
    """
    created = [role for role in roles if role.name not in SYSTEM_ROLES]
    for role in created:
        yield f"CREATE ROLE {quoted(role.name)}"
    system = [role for role in roles if role.name in SYSTEM_ROLES]
    for role in (*created, *sorted(system, key=lambda role: role.name)):
        yield from (f"{_grant(grant)} TO ROLE {quoted(role.name)}" for grant in role.grants)
        if role.member_of:
            yield f"GRANT ROLE {_names(role.member_of)} TO ROLE {quoted(role.name)}"


def _grant(grant: Grant) -> str:
    columns = f"({_names(sorted(grant.columns))})" if grant.columns else ""
    name = "DEFAULT" if grant.kind == "SCHEMA" and not grant.name else quoted_path(grant.name)
    return f"GRANT {grant.privilege}{columns} ON {grant.kind} {name}"
