"""CREATE statements for objects other than tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.schema.access import SYSTEM_ROLES, Grant, Role
from spanemu.schema.graph import Element, Endpoint, Label, Property, PropertyGraph
from spanemu.schema.index import NamedPart, SearchIndex, VectorIndex
from spanemu.schema.objects import (
    DEFAULT,
    ChangeStream,
    LocalityGroup,
    Model,
    ModelColumn,
    Placement,
    ProtoBundle,
    UserFunction,
    Watched,
)
from spanemu.schema.table_text import clause_options, option_value
from spanemu.values.types import Type, TypeCode


def options_text(options: Mapping[str, Any]) -> str:
    """Return ` OPTIONS ( a = 1, b = 'x' )`, or "" without options."""
    if not options:
        return ""
    settings = ", ".join(f"{name} = {option_value(value)}" for name, value in options.items())
    return f" OPTIONS ( {settings} )"


def unlimited(type_: Type) -> str:
    """Return a type as DDL writes it with all lengths MAX."""
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
    """Return CREATE CHANGE STREAM."""
    watched = ""
    if stream.watches_all:
        watched = " FOR ALL"
    elif stream.tables:
        watched = f" FOR {', '.join(map(_watched, stream.tables))}"
    return f"CREATE CHANGE STREAM {quoted(stream.name)}{watched}{options_text(stream.options)}"


def _watched(table: Watched) -> str:
    columns = "" if table.columns is None else f"({_names(table.columns)})"
    return f"{quoted_path(table.table)}{columns}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# ---------------------------------------------------------------------------- routines


def function_text(function: UserFunction) -> str:
    """Return CREATE FUNCTION."""
    parameters = ", ".join(
        f"{quoted(each.name)} {each.type}"
        + ("" if each.default is None else f" DEFAULT {each.default}")
        for each in function.parameters
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
    """Return CREATE MODEL."""
    lines = [f"CREATE MODEL {quoted_path(model.name)}"]
    for word, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
        if columns is not None:
            lines += [f"{word}(", *map(_model_column, columns), ")"]
    lines.append(f"REMOTE\n{options_text(model.options)}".rstrip())
    return "\n".join(lines)


def _model_column(column: ModelColumn) -> str:
    text = f"{quoted(column.name)} {unlimited(column.type)}{options_text(column.options)}"
    return f"  {text},"


# ---------------------------------------------------------------------------- storage


def locality_group_text(group: LocalityGroup) -> str:
    """Return CREATE LOCALITY GROUP, or ALTER LOCALITY GROUP for the default group."""
    if group.name == DEFAULT:
        return f"ALTER LOCALITY GROUP {quoted(DEFAULT)} SET{options_text(group.options)}"
    return f"CREATE LOCALITY GROUP {quoted(group.name)}{options_text(group.options)}"


def placement_text(placement: Placement) -> str:
    """Return CREATE PLACEMENT."""
    return f"CREATE PLACEMENT {quoted(placement.name)}{options_text(placement.options)}"


def proto_bundle_text(bundle: ProtoBundle) -> str:
    """Return CREATE PROTO BUNDLE, one type a line."""
    types = "".join(f"  {quoted_path(name)},\n" for name in sorted(bundle.names))
    return f"CREATE PROTO BUNDLE (\n{types})"


def statistics_text(package: str, allow_gc: bool) -> str:
    """Return ALTER STATISTICS."""
    value = option_value(allow_gc)
    return f"ALTER STATISTICS {quoted(package)} SET OPTIONS (allow_gc = {value})"


# ---------------------------------------------------------------------------- roles


def role_texts(roles: Sequence[Role]) -> Iterator[str]:
    """Yield CREATE ROLE for each role, then the grants of each role.

    System roles need no CREATE ROLE and come last: a schema holds them only if they have grants.
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


def graph_text(graph: PropertyGraph) -> str:
    """Return CREATE PROPERTY GRAPH with explicit defaults."""
    text = f"CREATE PROPERTY GRAPH {quoted_path(graph.name)}\nNODE TABLES(\n"
    text += "".join(f"  {' '.join(_element(one))},\n" for one in graph.nodes) + ")"
    if graph.edges:
        text += "\nEDGE TABLES(\n"
        text += "".join(f"  {' '.join(_element(one))},\n" for one in graph.edges) + ")"
    return text


def _element(element: Element) -> Iterator[str]:
    yield quoted_path(element.table)
    if element.name != element.table.rpartition(".")[2]:
        yield f"AS {quoted(element.name)}"
    yield f"KEY({_element_names(element.key)})"
    for word, endpoint in (("SOURCE", element.source), ("DESTINATION", element.destination)):
        if endpoint is not None:
            yield f"{word} {_endpoint(endpoint)}"
    for label in element.labels:
        yield f"LABEL {quoted(label.name)} {_properties(label)}"
    if element.dynamic_label is not None:
        yield f"DYNAMIC LABEL({quoted(element.dynamic_label)})"
    if element.dynamic_properties is not None:
        yield f"DYNAMIC PROPERTIES({quoted(element.dynamic_properties)})"


def _endpoint(endpoint: Endpoint) -> str:
    node = f"{quoted(endpoint.node)}({_element_names(endpoint.node_columns)})"
    return f"KEY({_element_names(endpoint.columns)}) REFERENCES {node}"


def _properties(label: Label) -> str:
    if not label.properties:
        return "NO PROPERTIES"
    return f"PROPERTIES({', '.join(map(_property, label.properties))})"


def _property(declared: Property) -> str:
    if declared.expression in (declared.name, quoted(declared.name)):
        return quoted(declared.name)
    return f"{declared.expression} AS {quoted(declared.name)}"


def _element_names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# ---------------------------------------------------------------------------- metadata


def graph_metadata(graph: PropertyGraph) -> dict[str, Any]:
    """Return PROPERTY_GRAPH_METADATA_JSON, as the page "Information schema" describes it."""
    home, _, name = graph.name.rpartition(".")
    labels: dict[str, dict[str, None]] = {}
    types: dict[str, str] = {}
    for element in graph.elements:
        for label in element.labels:
            known = labels.setdefault(label.name, {})
            for declared in label.properties:
                known[declared.name] = None
                types[declared.name] = str(declared.type)
    metadata: dict[str, Any] = {"catalog": "", "schema": home, "name": name}
    metadata["labels"] = [
        {"name": label, "propertyDeclarationNames": list(names)} for label, names in labels.items()
    ]
    metadata["propertyDeclarations"] = [{"name": n, "type": type_} for n, type_ in types.items()]
    metadata["nodeTables"] = [_described(each) for each in graph.nodes]
    if graph.edges:
        metadata["edgeTables"] = [_described(each) for each in graph.edges]
    return metadata


def _described(element: Element) -> dict[str, Any]:
    home, _, table = element.table.rpartition(".")
    metadata: dict[str, Any] = {
        "name": element.name,
        "kind": "NODE" if element.source is None else "EDGE",
        "baseCatalogName": "",
        "baseSchemaName": home,
        "baseTableName": table,
        "keyColumns": list(element.key),
        "labelNames": [label.name for label in element.labels],
        "propertyDefinitions": [
            {"propertyDeclarationName": name, "valueExpressionSql": text}
            for name, text in _definitions(element).items()
        ],
    }
    if element.dynamic_label is not None:
        metadata["dynamicLabelExpr"] = element.dynamic_label
    if element.dynamic_properties is not None:
        metadata["dynamicPropertyExpr"] = element.dynamic_properties
    ends = (("sourceNodeTable", element.source), ("destinationNodeTable", element.destination))
    for word, end in ends:
        if end is not None:
            metadata[word] = {
                "nodeTableName": end.node,
                "edgeTableColumns": list(end.columns),
                "nodeTableColumns": list(end.node_columns),
            }
    return metadata


def _definitions(element: Element) -> dict[str, str]:
    return {each.name: each.expression for label in element.labels for each in label.properties}


def search_index_text(index: SearchIndex) -> str:
    """Return CREATE SEARCH INDEX."""
    text = f"CREATE SEARCH INDEX {_head(index)}{_list(' STORING ', index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_column_names(index.partition_by)}"
    if index.order_by:
        text += f" ORDER BY {', '.join(map(_part, index.order_by))}"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


def vector_index_text(index: VectorIndex) -> str:
    """Return CREATE VECTOR INDEX."""
    text = f"CREATE VECTOR INDEX {_head(index)}{_list(' STORING ', index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_column_names(index.partition_by)}"
    return text + where_text(index.where_not_null) + options_text(index.options)


def where_text(columns: Sequence[str]) -> str:
    """Return ` WHERE a IS NOT NULL AND b IS NOT NULL`, or "" without columns."""
    if not columns:
        return ""
    return f" WHERE {' AND '.join(f'{quoted(name)} IS NOT NULL' for name in columns)}"


def _head(index: SearchIndex | VectorIndex) -> str:
    return f"{quoted_path(index.name)} ON {quoted_path(index.table)}({_column_names(index.key)})"


def _list(head: str, names: Sequence[str]) -> str:
    return f"{head}({_column_names(names)})" if names else ""


def _column_names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _part(part: NamedPart) -> str:
    name, descending = part
    return f"{quoted(name)} DESC" if descending else quoted(name)
