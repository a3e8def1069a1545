"""Placements, and locality groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change, Data, Job, without_object
from spanemu.ddl.errors.objects import (
    InvalidObjectName,
    LocalityGroupExists,
    LocalityGroupInUse,
    LocalityGroupNameInvalid,
    ObjectOptionMissing,
    PlacementInUse,
    PlacementNameInvalid,
)
from spanemu.ddl.kinds.kind import ObjectKind, drop_object
from spanemu.ddl.kinds.rows import OPTION, ObjectTable, Rows
from spanemu.ddl.naming import is_plain_name
from spanemu.ddl.validators.options import Rule, Rules, changed_options, is_period, is_text, words
from spanemu.schema.objects import DEFAULT, LocalityGroup, Placement
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.storage.observer import TreeWrite

# ---------------------------------------------------------------------------- placements

_PLACEMENT_RULES: Rules = {
    "instance_partition": Rule(is_text, "the id of an instance partition"),
    "default_leader": Rule(is_text, "the name of a region"),
    "read_lease_regions": Rule(is_text, "a list of regions"),
}


def _placement(
    statement: ddl_ast.CreatePlacement | ddl_ast.AlterPlacement,
    before: Placement | None,
    _schema: Schema,
) -> Placement:
    name = str(statement.name)
    known = {} if before is None else before.options
    options = changed_options(("Placement", name), statement.options, _PLACEMENT_RULES, known)
    if "instance_partition" not in options:
        raise ObjectOptionMissing("Placement", name, "instance_partition")
    return Placement(name, options)


def _placement_name_problems(name: str) -> Iterator[SpannerError]:
    if name.lower() == DEFAULT:
        yield PlacementNameInvalid(name, "The name `default` is reserved")
    if not is_plain_name(name):
        yield InvalidObjectName("Placement", name)


def _placement_jobs(statement: ddl_ast.DdlStatement, placement: Placement) -> Sequence[Job]:
    """Return the check that no row is in a placement to drop."""
    if not isinstance(statement, ddl_ast.DropPlacement):
        return ()

    def job(data: Data) -> list[TreeWrite]:
        for table in data.rules.schema.tables.values():
            for column in table.columns:
                if not column.placement_key:
                    continue
                if any(row[column.position] == placement.name for _, row in data.rows(table)):
                    raise PlacementInUse(placement.name, table.name)
        return []

    return [job]


def _placement_rows(schema: Schema) -> Rows:
    """Yield the default placement, then users' placements."""
    yield DEFAULT, True
    yield from ((placement.name, False) for placement in schema.placements.values())


def _placement_option_rows(schema: Schema) -> Rows:
    for placement in schema.placements.values():
        for name, value in placement.options.items():
            yield placement.name, name, "STRING(MAX)", str(value)


PLACEMENT = ObjectKind(
    words="PLACEMENT",
    label="Placement",
    field="placements",
    create=ddl_ast.CreatePlacement,
    define=_placement,
    alter=ddl_ast.AlterPlacement,
    redefine=_placement,
    drop=ddl_ast.DropPlacement,
    jobs=_placement_jobs,
    limit="placements",
    name_problems=_placement_name_problems,
    duplicate=lambda name: PlacementNameInvalid(name, "There is a placement of that name"),
    tables=(
        ObjectTable("PLACEMENTS", "*PLACEMENT_NAME !IS_DEFAULT:BOOL", _placement_rows),
        ObjectTable("PLACEMENT_OPTIONS", f"*PLACEMENT_NAME {OPTION}", _placement_option_rows),
    ),
)

# ---------------------------------------------------------------------------- locality groups

_GROUP_RULES: Rules = {
    "storage": words("ssd", "hdd"),
    "ssd_to_hdd_spill_timespan": Rule(is_period("1h", "365d"), "from '1h' to '365d'"),
}


def _group(
    statement: ddl_ast.CreateLocalityGroup | ddl_ast.AlterLocalityGroup,
    before: LocalityGroup | None,
    _schema: Schema,
) -> LocalityGroup:
    name = str(statement.name)
    if before is None:
        before = LocalityGroup(name)
    options = changed_options(
        ("Locality group", name), statement.options, _GROUP_RULES, before.options
    )
    return LocalityGroup(before.name, options)


def _group_name_problems(name: str) -> Iterator[SpannerError]:
    if name.lower() == DEFAULT:
        yield LocalityGroupNameInvalid(name, "Default locality group cannot be created")
    if name.startswith("_"):
        yield LocalityGroupNameInvalid(name, "The name must not start with `_`")
    if not is_plain_name(name):
        yield InvalidObjectName("Locality group", name)


def _default_group(name: str) -> LocalityGroup | None:
    return LocalityGroup(DEFAULT) if name.lower() == DEFAULT else None


def _without_empty_default(
    _before: LocalityGroup | None, after: LocalityGroup, schema: Schema
) -> Schema:
    """Return the schema, which holds the default group only if the group has options."""
    if after == LocalityGroup(DEFAULT):
        return without_object(schema, "locality_groups", DEFAULT)
    return schema


def _drop_group(statement: ddl_ast.DropLocalityGroup, schema: Schema) -> Change:
    name = str(statement.name)
    if name.lower() == DEFAULT:
        raise LocalityGroupNameInvalid(name, "Default locality group cannot be dropped")
    return drop_object(LOCALITY_GROUP, statement, schema)


def _group_users(dropped: LocalityGroup, schema: Schema) -> Iterator[SpannerError]:
    for user, group in _selections(schema):
        if group == dropped.name:
            yield LocalityGroupInUse(dropped.name, user)


def _selections(schema: Schema) -> Iterator[tuple[str, object]]:
    """Yield (name, locality group or None) of all objects that can select a locality group."""
    option = "locality_group"
    for table in schema.tables.values():
        yield table.name, table.options.get(option)
        for column in table.columns:
            yield f"{table.name}.{column.name}", column.options.get(option)
    for index in schema.all_indexes():
        yield index.name, index.options.get(option)


def _group_option_rows(schema: Schema) -> Rows:
    for group in schema.locality_groups.values():
        for name, value in group.options.items():
            yield group.name, name.upper(), str(value)


LOCALITY_GROUP = ObjectKind(
    words="LOCALITY GROUP",
    label="Locality group",
    field="locality_groups",
    create=ddl_ast.CreateLocalityGroup,
    define=_group,
    alter=ddl_ast.AlterLocalityGroup,
    redefine=_group,
    drop=ddl_ast.DropLocalityGroup,
    statements=((ddl_ast.DropLocalityGroup, _drop_group),),
    settle=_without_empty_default,
    limit="locality_groups",
    name_problems=_group_name_problems,
    duplicate=LocalityGroupExists,
    predefined=_default_group,
    dependents=(_group_users,),
    tables=(
        ObjectTable(
            "LOCALITY_GROUP_OPTIONS",
            "*LOCALITY_GROUP_NAME *OPTION_NAME OPTION_VALUE",
            _group_option_rows,
        ),
    ),
)
