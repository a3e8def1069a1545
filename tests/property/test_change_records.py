"""Records of change streams, applied to an empty copy, give the rows: in every encoding."""

from __future__ import annotations

import json as standard_json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from google.cloud.spanner_v1.types import ChangeStreamRecord
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.change_streams import mutable, pg_json, rows
from spanemu.change_streams.records import DataChangeRecord
from spanemu.ddl import schema_of
from spanemu.frontend.convert.types import list_from_proto
from spanemu.frontend.wire import ListValue
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.values import pg_jsonb, pg_numeric
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import decoder, encoder
from tests.property.value_strategies import INTS, STRINGS, VALUES, same
from tests.unit.change_streams.commits import Commit

CAPTURES = ("OLD_AND_NEW_VALUES", "NEW_VALUES", "NEW_ROW", "NEW_ROW_AND_OLD_VALUES")
DDL = {
    GOOGLE_STANDARD_SQL: """
CREATE TABLE t (
  a BOOL, b INT64, c FLOAT32, d FLOAT64, e NUMERIC, k INT64 NOT NULL, f STRING(MAX), g BYTES(MAX),
  h DATE, i TIMESTAMP, j JSON, l UUID, m ARRAY<INT64>, n ARRAY<FLOAT64>, o ARRAY<STRING(MAX)>,
) PRIMARY KEY (k);
CREATE CHANGE STREAM s FOR t OPTIONS (value_capture_type = '{}');
""",
    POSTGRESQL: """
CREATE TABLE t (
  a boolean, b bigint, c real, d double precision, e numeric, k bigint NOT NULL PRIMARY KEY,
  f varchar, g bytea, h date, i timestamptz, j jsonb, l uuid, m bigint[], n double precision[],
  o varchar[]
);
CREATE CHANGE STREAM s FOR t WITH (value_capture_type = '{}');
""",
}
STRATEGIES = {
    **VALUES,
    TypeCode.PG_NUMERIC: st.integers(-(10**9), 10**9).map(lambda n: pg_numeric.parse(f"{n}.50")),
    TypeCode.PG_JSONB: st.dictionaries(st.sampled_from(["a", "bb"]), INTS).map(
        lambda members: pg_jsonb.parse(standard_json.dumps(members))
    ),
    TypeCode.ARRAY: st.just(()),
}

Row = dict[str, Any]
Contents = dict[int, Row]


@cache
def schema_of_stream(dialect: DatabaseDialect, capture: str) -> Schema:
    return schema_of(DDL[dialect].format(capture), dialect=dialect)


def values(type_: Type) -> st.SearchStrategy[Any]:
    if type_.is_array:
        return st.none() | st.lists(values(type_.item()), max_size=3).map(tuple)
    return st.none() | (STRINGS if type_.code is TypeCode.STRING else STRATEGIES[type_.code])


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Commit], list[Contents]]:
    """Draw commits over a few keys, and the contents after each of them."""
    schema = schema_of_stream(
        draw(st.sampled_from([GOOGLE_STANDARD_SQL, POSTGRESQL])), draw(st.sampled_from(CAPTURES))
    )
    columns = {column.name: column.type for column in schema.tables["t"].columns}
    del columns["k"]
    some = st.lists(st.sampled_from(list(columns)), min_size=1, max_size=3, unique=True)

    def cells(names: list[str]) -> Row:
        return {name: draw(values(columns[name])) for name in names}

    contents: Contents = {}
    commits, states = [], []
    for _ in range(draw(st.integers(1, 4))):
        commit = Commit(schema)
        for key in draw(st.lists(st.integers(1, 3), unique=True, min_size=1)):
            before = contents.get(key)
            written = cells(draw(some))
            if before is None:
                contents[key] = {"k": key, **dict.fromkeys(columns), **written}
                commit.insert("t", **contents[key])
                continue
            kind = draw(st.sampled_from(["update", "replace", "delete"]))
            if kind == "update":
                contents[key] = {**before, **written}
                commit.update("t", before, **written)
            elif kind == "replace":
                contents[key] = {"k": key, **dict.fromkeys(columns), **written}
                commit.replace("t", before, contents[key])
            else:
                commit.delete("t", **contents.pop(key))
        commits.append(commit)
        states.append({key: dict(row) for key, row in contents.items()})
    return commits, states


Change = tuple[str, Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]


def of_struct(record: DataChangeRecord) -> Iterator[Change]:
    """Yield kind, keys, new values and old values of each mod, from the wire form of a struct."""
    (((fields,), _, _),) = encoder(rows.CHANGE_RECORD)(rows.data_row(record)[0])
    for mod in fields[6]:
        keys, new, old = map(standard_json.loads, mod)
        yield fields[7], keys, new, old


def of_jsonb(record: DataChangeRecord) -> Iterator[Change]:
    """Yield the same from a JSONB object."""
    text = pg_json.data_row(record)[0].text
    data = standard_json.loads(text, parse_int=float)["data_change_record"]
    for mod in data["mods"]:
        yield data["mod_type"], mod["keys"], mod["new_values"], mod["old_values"]


def of_message(record: DataChangeRecord) -> Iterator[Change]:
    """Yield the same from a message."""
    message = ChangeStreamRecord.pb().FromString(mutable.data_row(record)[0])
    data = message.data_change_record
    names = [column.name for column in data.column_metadata]

    def plain(cells: Any) -> Row:
        listed = list_from_proto(ListValue(values=[cell.value for cell in cells]))
        places = [names[cell.column_metadata_index] for cell in cells]
        return dict(zip(places, listed, strict=True))

    kind = type(data).ModType.Name(data.mod_type)
    for mod in data.mods:
        yield kind, plain(mod.keys), plain(mod.new_values), plain(mod.old_values)


def decoded(schema: Schema, cells: Mapping[str, Any]) -> Row:
    by_name = schema.tables["t"].by_name
    return {name: decoder(by_name[name].type)(wire) for name, wire in cells.items()}


def equal(left: Row, right: Row) -> bool:
    return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)


@given(histories(), st.sampled_from([of_struct, of_jsonb, of_message]))
@settings(max_examples=40, deadline=None)
def test_records_applied_to_a_copy_give_the_rows(
    history: tuple[list[Commit], list[Contents]], read: Any
) -> None:
    copy: Contents = {}
    for commit, contents in zip(*history, strict=True):
        schema = commit.schema
        if read is of_jsonb and schema.dialect is not POSTGRESQL:
            read = of_struct
        for kind, *cells in (change for record in commit.records() for change in read(record)):
            keys, new, old = (decoded(schema, each) for each in cells)
            if kind == "DELETE":
                before = copy.pop(keys["k"])
            else:
                before = copy.get(keys["k"], {})
                assert bool(before) is (kind == "UPDATE")
                copy[keys["k"]] = {**before, **keys, **new}
            assert equal(old, {name: before[name] for name in old})
        assert copy.keys() == contents.keys()
        assert all(equal(copy[key], contents[key]) for key in copy)
