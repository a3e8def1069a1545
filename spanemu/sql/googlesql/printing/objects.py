"""The statements that create and change objects other than tables and indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Sequence as Items
from typing import Any

from spanemu.base.identifiers import quoted, quoted_column, quoted_path
from spanemu.schema.objects import (
    DEFAULT,
    SYSTEM_ROLES,
    ChangeStream,
    Element,
    Endpoint,
    Grant,
    Label,
    LocalityGroup,
    Model,
    ModelColumn,
    Placement,
    Property,
    PropertyGraph,
    ProtoBundle,
    Role,
    Sequence,
    UserFunction,
    View,
    Watched,
)
from spanemu.schema.option_text import option_value
from spanemu.sql.googlesql.printing.table_text import options_text, sequence_clauses


def proto_bundle_text(bundle: ProtoBundle) -> str:
    """Return CREATE PROTO BUNDLE, one type a line."""
    types = "".join(f"  {quoted_path(name)},\n" for name in sorted(bundle.names))
    return f"CREATE PROTO BUNDLE (\n{types})"


def statistics_text(package: str, allow_gc: bool) -> str:
    """Return ALTER STATISTICS."""
    value = option_value(allow_gc)
    return f"ALTER STATISTICS {quoted(package)} SET OPTIONS (allow_gc = {value})"


def _view_text(view: View) -> str:
    security = "INVOKER" if view.invoker_rights else "DEFINER"
    return f"CREATE VIEW {quoted_path(view.name)} SQL SECURITY {security} AS {view.query}"


def sequence_text(sequence: Sequence) -> str:
    """Return CREATE SEQUENCE, with clauses or options as it was declared."""
    head = f"CREATE SEQUENCE {quoted_path(sequence.name)}"
    if sequence.by_options:
        settings = sequence.settings if sequence.kind_written else sequence.numbers
        options = [f"{name} = {option_value(value)}" for name, value in settings.items()]
        return f"{head} OPTIONS (\n  " + ",\n  ".join(options) + ")" if options else head
    clauses = sequence_clauses(
        written_kind=sequence.kind_written,
        skip_range=sequence.skip_range,
        start_counter=sequence.start_counter,
    )
    return f"{head} {clauses}" if clauses else head


def altered_sequence(_before: Sequence, after: Sequence) -> Iterable[str]:
    """Yield the statement that changes the options of a sequence."""
    low, high = after.skip_range or ("NULL", "NULL")
    start = "NULL" if after.start_counter is None else after.start_counter
    yield (
        f"ALTER SEQUENCE {quoted_path(after.name)} SET OPTIONS (skip_range_min = {low}, "
        f"skip_range_max = {high}, start_with_counter = {start})"
    )


def function_text(function: UserFunction) -> str:
    """Return CREATE FUNCTION."""
    parameters = ", ".join(
        f"{quoted(parameter.name)} {parameter.type}"
        + ("" if parameter.default is None else f" DEFAULT {parameter.default}")
        for parameter in function.parameters
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


def altered_function(_before: UserFunction, after: UserFunction) -> Iterable[str]:
    """Yield the statement that replaces a function."""
    yield function_text(after).replace("CREATE ", "CREATE OR REPLACE ", 1)


def model_text(model: Model) -> str:
    """Return CREATE MODEL."""
    lines = [f"CREATE MODEL {quoted_path(model.name)}"]
    for word, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
        if columns is not None:
            lines += [f"{word}(", *map(_model_column, columns), ")"]
    lines.append(f"REMOTE\n{options_text(model.options)}".rstrip())
    return "\n".join(lines)


def altered_model(before: Model, after: Model) -> Iterable[str]:
    """Yield the statement that changes the options of a model, or replaces the model."""
    columns = [(model.name, model.inputs, model.outputs) for model in (before, after)]
    if columns[0] == columns[1]:
        changes = dict.fromkeys(before.options) | dict(after.options)
        yield f"ALTER MODEL {quoted_path(after.name)} SET{options_text(changes)}"
    else:
        yield model_text(after).replace("CREATE ", "CREATE OR REPLACE ", 1)


def _model_column(column: ModelColumn) -> str:
    return f"  {quoted(column.name)} {column.type_text}{options_text(column.options)},"


def change_stream_text(stream: ChangeStream) -> str:
    """Return CREATE CHANGE STREAM."""
    watched = ""
    if stream.watches_all:
        watched = " FOR ALL"
    elif stream.tables:
        watched = f" FOR {', '.join(map(_watched_text, stream.tables))}"
    return f"CREATE CHANGE STREAM {quoted(stream.name)}{watched}{options_text(stream.options)}"


def _watched_text(table: Watched) -> str:
    if table.columns is None:
        return quoted_path(table.table)
    return f"{quoted_path(table.table)}({', '.join(map(quoted, table.columns))})"


def _placement_text(placement: Placement) -> str:
    return f"CREATE PLACEMENT {quoted(placement.name)}{options_text(placement.options)}"


def _group_text(group: LocalityGroup) -> str:
    if group.name == DEFAULT:
        return f"ALTER LOCALITY GROUP {quoted(DEFAULT)} SET{options_text(group.options)}"
    return f"CREATE LOCALITY GROUP {quoted(group.name)}{options_text(group.options)}"


def altered_group(before: LocalityGroup, after: LocalityGroup) -> Iterable[str]:
    """Yield the statement that changes the options of a locality group."""
    removed = {name: None for name in before.options if name not in after.options}
    options = options_text({**removed, **after.options})
    yield f"ALTER LOCALITY GROUP {quoted(after.name)} SET{options}"


def _role_text(role: Role) -> str:
    return f"CREATE ROLE {quoted(role.name)}"


def grant_texts(roles: Iterable[Role]) -> Iterator[str]:
    """Yield the grants of roles, system roles last: a schema holds them only with grants."""
    ordered = sorted(roles, key=lambda role: role.name if role.name in SYSTEM_ROLES else "")
    for role in ordered:
        yield from (f"{_grant_text(grant)} TO ROLE {quoted(role.name)}" for grant in role.grants)
        if role.member_of:
            names = ", ".join(map(quoted, role.member_of))
            yield f"GRANT ROLE {names} TO ROLE {quoted(role.name)}"


def _grant_text(grant: Grant) -> str:
    columns = f"({', '.join(map(quoted, sorted(grant.columns)))})" if grant.columns else ""
    name = "DEFAULT" if grant.kind == "SCHEMA" and not grant.name else quoted_path(grant.name)
    return f"GRANT {grant.privilege}{columns} ON {grant.kind} {name}"


def graph_text(graph: PropertyGraph) -> str:
    """Return CREATE PROPERTY GRAPH with explicit defaults."""
    text = f"CREATE PROPERTY GRAPH {quoted_path(graph.name)}\nNODE TABLES(\n"
    text += "".join(f"  {' '.join(_element_text(element))},\n" for element in graph.nodes) + ")"
    if graph.edges:
        text += "\nEDGE TABLES(\n"
        text += "".join(f"  {' '.join(_element_text(element))},\n" for element in graph.edges) + ")"
    return text


def _element_text(element: Element) -> Iterator[str]:
    yield quoted_path(element.table)
    if element.name != element.table.rpartition(".")[2]:
        yield f"AS {quoted(element.name)}"
    if element.key:
        yield f"KEY({_quoted(element.key)})"
    for word, endpoint in (("SOURCE", element.source), ("DESTINATION", element.destination)):
        if endpoint is not None:
            yield f"{word} {_endpoint_text(endpoint)}"
    for label in element.labels:
        yield f"LABEL {quoted(label.name)} {_properties_text(label)}"
    if element.dynamic_label is not None:
        yield f"DYNAMIC LABEL({quoted(element.dynamic_label)})"
    if element.dynamic_properties is not None:
        yield f"DYNAMIC PROPERTIES({quoted(element.dynamic_properties)})"


def _endpoint_text(endpoint: Endpoint) -> str:
    node = f"{quoted(endpoint.node)}({_quoted(endpoint.node_columns)})"
    return f"KEY({_quoted(endpoint.columns)}) REFERENCES {node}"


def _properties_text(label: Label) -> str:
    if not label.properties:
        return "NO PROPERTIES"
    return f"PROPERTIES({', '.join(map(_property_text, label.properties))})"


def _property_text(declared: Property) -> str:
    if declared.expression in (declared.name, quoted_column(declared.name)):
        return quoted_column(declared.name)
    return f"{declared.expression} AS {quoted(declared.name)}"


def _quoted(names: Items[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# By the kind, as DDL names it.
TEXTS: Mapping[str, Callable[[Any], str]] = {
    "CHANGE STREAM": change_stream_text,
    "FUNCTION": function_text,
    "LOCALITY GROUP": _group_text,
    "MODEL": model_text,
    "PLACEMENT": _placement_text,
    "PROPERTY GRAPH": graph_text,
    "ROLE": _role_text,
    "SEQUENCE": sequence_text,
    "VIEW": _view_text,
}
ALTERATIONS: Mapping[str, Callable[[Any, Any], Iterable[str]]] = {
    "FUNCTION": altered_function,
    "LOCALITY GROUP": altered_group,
    "MODEL": altered_model,
    "SEQUENCE": altered_sequence,
}
