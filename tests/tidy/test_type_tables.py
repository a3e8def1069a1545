"""Tables by type code are whole: each names every type, or the test says which it leaves out.

So are the tables by pairs of types: what converts has a function.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import spanemu
from spanemu.base.lazy_import import run
from spanemu.sql.functions import conversion, conversion_rules
from spanemu.sql.functions.conversion_rules import CoercionLevel
from spanemu.sql.googlesql.analyzer.expressions import literals
from spanemu.values.types import API_CODES, POSTGRESQL_SCALARS, SCALARS, TOKENLIST, TypeCode

KNOWN = frozenset(
    """
    BOOL INT64 FLOAT32 FLOAT64 NUMERIC STRING BYTES DATE TIMESTAMP JSON UUID INTERVAL ENUM PROTO
    TOKENLIST PG_NUMERIC PG_JSONB PG_OID ARRAY STRUCT GRAPH_NODE GRAPH_EDGE GRAPH_PATH
    """.split()
)
COMPOUND = frozenset({"ARRAY", "STRUCT"})
GRAPH = frozenset({"GRAPH_NODE", "GRAPH_EDGE", "GRAPH_PATH"})
POSTGRESQL = frozenset({"PG_NUMERIC", "PG_JSONB", "PG_OID"})
GOOGLESQL = frozenset({"NUMERIC", "JSON", "ENUM", "PROTO", "TOKENLIST"})
NO_KEYS = COMPOUND | POSTGRESQL | {"INTERVAL", "JSON", "PROTO", "TOKENLIST"}
NO_COLUMNS = frozenset({"INTERVAL", "STRUCT", "PG_OID"})
VARYING = frozenset({"STRING", "BYTES", "JSON", "PROTO", "TOKENLIST", "PG_NUMERIC", "PG_JSONB"})
MODEL_TYPES = frozenset({"BOOL", "BYTES", "FLOAT32", "FLOAT64", "INT64", "STRING"})
TEXTUAL = frozenset({"STRING", "DATE", "TIMESTAMP", "JSON", "PG_JSONB"})

# The types that each table leaves out; the comment says what holds for them.
LEFT_OUT: dict[str, frozenset[str]] = {
    # Made of the rows for their parts.
    "values.order._SCALAR_SORT_KEYS": COMPOUND,
    "values.order._SCALAR_GROUP_KEYS": COMPOUND,
    "values.value._DECODERS": COMPOUND,
    "values.value._ENCODERS": COMPOUND,
    "values.value._TEXTS": COMPOUND
    | {"BOOL", "FLOAT32", "FLOAT64", "STRING"},  # the same on the wire
    "sql.functions.text.sql_text._DISPLAYS": COMPOUND
    | {"ENUM", "TOKENLIST"},  # no text without more
    "sql.functions.text.sql_text._LITERALS": COMPOUND | {"ENUM", "TOKENLIST"},
    # Types that cannot be part of a key.
    "values.key._ENCODERS": NO_KEYS,
    "values.key.FIXED_DECODERS": NO_KEYS | {"STRING", "BYTES"},  # whose encodings vary in size
    "values.key._FIXED_SIZES": NO_KEYS | {"STRING", "BYTES"},
    "values.key_text._KINDS": NO_KEYS,
    # Weighed by length, or by a fixed size, or as their parts are.
    "database.statistics.weight._FIXED": COMPOUND | VARYING,
    "database.statistics.weight._LENGTHS": KNOWN - VARYING,
    "txn.cells._ITEM_BYTES": COMPOUND | VARYING | NO_COLUMNS | {"NUMERIC", "ENUM", "UUID"},
    # The general decoder or encoder is as fast.
    "values.columns._DECODERS": KNOWN
    - {"BOOL", "INT64", "FLOAT64", "STRING", "BYTES", "TIMESTAMP", "JSON", "PG_JSONB"},
    "values.columns._INTEGERS": KNOWN - {"INT64", "FLOAT64", "TIMESTAMP"},
    # Types that only the other dialect has, or that no text input makes.
    "sql.functions.conversion_rules._TABLE": COMPOUND | POSTGRESQL | {"JSON"},
    "sql.functions.json.encode._SCALARS": COMPOUND | POSTGRESQL | {"ENUM", "PROTO", "TOKENLIST"},
    "sql.functions.json.encode._STRINGIFYING": (
        COMPOUND | POSTGRESQL | {"ENUM", "PROTO", "TOKENLIST"}
    ),
    "sql.functions.postgresql.json.convert._ENCODERS": COMPOUND | GOOGLESQL,
    "sql.functions.postgresql.text_input.INPUT_FUNCTIONS": COMPOUND | GOOGLESQL,
    # Written as text, as parts, or not at all because no column has the type.
    "change_streams.json_text._WRITERS": (
        NO_COLUMNS - {"PG_OID"} | {"ARRAY", "TOKENLIST", "FLOAT32", "FLOAT64"}
    ),
    "change_streams.json_text._INLINE": KNOWN - {"BOOL", "INT64", "STRING"},
    "change_streams.json_text._ANNOTATED": KNOWN - POSTGRESQL,
    "interchange.avro.records._AVRO_TYPES": NO_COLUMNS | TEXTUAL | {"ARRAY", "TOKENLIST"},
    "interchange.avro.records._WRITERS": (
        NO_COLUMNS | TEXTUAL | {"ARRAY", "TOKENLIST", "BOOL", "UUID"}
    ),
    "interchange.avro.records._READERS": KNOWN
    - {"BOOL", "FLOAT32", "FLOAT64", "NUMERIC", "PG_NUMERIC"},
    "interchange.insert_rows._GOOGLESQL": (
        COMPOUND | POSTGRESQL | {"INTERVAL", "ENUM", "PROTO", "TOKENLIST", "FLOAT32", "FLOAT64"}
    ),
    "interchange.insert_rows._POSTGRESQL": (
        COMPOUND | GOOGLESQL | {"INTERVAL", "PG_JSONB", "PG_OID"}
    ),
    "interchange.sql_text._GOOGLESQL": (
        COMPOUND | POSTGRESQL | {"INTERVAL", "ENUM", "PROTO", "TOKENLIST"}
    ),
    "interchange.sql_text._POSTGRESQL": KNOWN - {"BOOL", "INT64", "STRING", "BYTES"},
    "interchange.row_files._CSV_READERS": KNOWN - {"BOOL", "FLOAT32", "FLOAT64"},
    # Models and remote functions know fewer types.
    "models.default_answer._FINGERPRINTS": KNOWN - MODEL_TYPES,
    "models.default_answer._MAKERS": KNOWN - MODEL_TYPES,
    "models.values._READERS": (
        KNOWN - MODEL_TYPES - {"DATE", "TIMESTAMP", "NUMERIC", "JSON", "PG_JSONB"}
    ),
    "models.values._WRITERS": KNOWN - {"TIMESTAMP", "INTERVAL", "JSON", "PG_JSONB"},
    # About the named types alone.
    "sql.functions.conditional._ZEROS": KNOWN - {"INT64", "FLOAT32", "FLOAT64", "NUMERIC"},
    "sql.googlesql.analyzer.expressions.coercion._NUMBER_RANK": (
        KNOWN - {"INT64", "FLOAT32", "FLOAT64", "NUMERIC"}
    ),
    "sql.googlesql.analyzer.expressions.names._FIELD_ACCESS": (
        KNOWN - {"STRUCT", "JSON", "PROTO", "GRAPH_NODE", "GRAPH_EDGE"}
    ),
    "sql.googlesql.graph.analyzer.fillers._CONVERSIONS": (
        KNOWN - {"BOOL", "INT64", "FLOAT64", "STRING"}
    ),
    "sql.googlesql.graph.analyzer.identity._SOME_VALUE": NO_KEYS | POSTGRESQL,
    "values.types._SPELT": KNOWN - POSTGRESQL,
    "values.types.API_CODES": frozenset(),
}
# Graph elements and paths are neither stored nor sent; only these tables know them.
WITH_GRAPHS = frozenset(
    {
        "sql.googlesql.analyzer.expressions.names._FIELD_ACCESS",
        "values.order._SCALAR_GROUP_KEYS",
        "values.order._SCALAR_SORT_KEYS",
    }
)
LEFT_OUT |= {name: LEFT_OUT[name] | GRAPH for name in LEFT_OUT.keys() - WITH_GRAPHS}


@cache
def type_tables() -> dict[str, dict[Any, Any]]:
    """Return the tables by three or more type codes, by module and name."""
    homes: dict[int, tuple[str, dict[Any, Any]]] = {}
    for result in walk_packages(spanemu.__path__, "spanemu."):
        if result.name.endswith("__main__"):
            continue
        module = run(import_module(result.name))
        for name, value in list(vars(module).items()):
            is_home = name in getattr(module, "__annotations__", {})
            if _is_type_table(value) and (is_home or id(value) not in homes):
                homes[id(value)] = (f"{result.name.removeprefix('spanemu.')}.{name}", value)
    return dict(homes.values())


def _is_type_table(value: Any) -> bool:
    return (
        type(value) is dict and len(value) >= 3 and all(isinstance(key, TypeCode) for key in value)
    )


def lacking(codes: Collection[str]) -> dict[str, set[str]]:
    """Return the types that stand neither in a table nor among those that it leaves out."""
    found = {
        name: set(codes) - {code.name for code in table} - LEFT_OUT.get(name, frozenset())
        for name, table in type_tables().items()
    }
    return {name: codes for name, codes in found.items() if codes}


def test_every_type_stands_in_every_table():
    lines = [
        f"{name} lacks {', '.join(sorted(codes))}"
        for name, codes in lacking([code.name for code in TypeCode]).items()
    ]
    assert not lines, (
        "write the rows, or name the types in LEFT_OUT; add them to KNOWN last, which leaves them "
        "out of the tables that LEFT_OUT describes as KNOWN - {...}:\n" + "\n".join(lines)
    )


def test_no_table_has_a_row_for_a_type_listed_as_left_out():
    tables = type_tables()
    assert sorted(tables) == sorted(LEFT_OUT), "LEFT_OUT has an entry for each table"
    for name, table in tables.items():
        both = {code.name for code in table} & LEFT_OUT[name]
        assert not both, f"{name} has rows for {sorted(both)}, which LEFT_OUT leaves out"


def test_a_new_type_is_missed_in_every_table():
    assert {code.name for code in TypeCode} == KNOWN, "KNOWN names every type"
    assert lacking([*KNOWN, "GEOGRAPHY"]) == {name: {"GEOGRAPHY"} for name in LEFT_OUT}


def test_no_two_types_have_one_number_of_the_api():
    numbers = [
        API_CODES[type_.code]
        for type_ in (*SCALARS.values(), *POSTGRESQL_SCALARS.values())
        if type_ is not TOKENLIST  # declared by no client
    ]
    assert len(set(numbers)) == len(numbers)


def test_every_conversion_has_a_function():
    """CAST without a converter is UNIMPLEMENTED, and a coerced literal an INTERNAL error."""
    levels = {
        (from_.name, to.name): level
        for from_, row in conversion_rules._TABLE.items()
        for to, level in row.items()
    }
    casts = {(from_.name, to.name) for from_, to in conversion._CONVERTERS}
    of_literals = {(from_.name, to.name) for from_, to in literals._CONVERSIONS}
    # These are made with the definition of the type.
    defined = {pair for pair in levels if {"ENUM", "PROTO"}.intersection(pair)}
    coerced = {pair for pair, level in levels.items() if level >= CoercionLevel.LITERAL}
    typed = {pair for pair in coerced if pair[0] in {"NUMERIC", "FLOAT32"}}  # no bare literals
    assert levels.keys() - casts <= defined
    assert coerced - of_literals <= defined | typed
