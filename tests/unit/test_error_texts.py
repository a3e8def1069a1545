"""Texts of errors show what a user wrote, and no Python object."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from collections.abc import Callable, Iterator
from functools import partial
from inspect import get_annotations
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from spanemu.api.handles import DatabaseHandle
from spanemu.base.errors import SpannerError
from spanemu.base.lazy_import import run
from spanemu.values.types import BadValue

SHOWN = {"str", "int", "float", "ClassVar[str]", "SpannerError"}
OBJECTS = re.compile(r"\b(?:None|True|False)\b|\w+\(\w+=| object at |<spanemu|\('")


def classes() -> list[type[SpannerError]]:
    """Return every class of errors of the package."""
    for module in pkgutil.walk_packages(spanemu.__path__, "spanemu."):
        if not module.name.endswith("__main__"):
            run(importlib.import_module(module.name))
    every = set(_below(SpannerError))
    return sorted(
        (kind for kind in every if kind.__module__.startswith("spanemu.")),
        key=lambda kind: (kind.__module__, kind.__qualname__),
    )


def _below(kind: type[SpannerError]) -> Iterator[type[SpannerError]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def annotations_of(kind: type[SpannerError]) -> dict[str, str]:
    named: dict[str, str] = {}
    for ancestor in reversed(kind.__mro__):
        if issubclass(ancestor, SpannerError):
            named.update({name: str(type_) for name, type_ in get_annotations(ancestor).items()})
    return named


def test_every_fact_in_a_text_is_a_text_or_a_number() -> None:
    kinds = classes()
    assert len(kinds) > 400
    for kind in kinds:
        types = annotations_of(kind)
        for _, name, _, conversion in string.Formatter().parse(kind.prose):
            if name is not None:
                type_ = types[re.split(r"[.\[]", name)[0]]
                assert type_ in SHOWN, f"{kind.__name__}.{name} is {type_}: show its text"
                assert conversion is None or type_ == "str", f"{kind.__name__}.{name}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x", "'x'"),
        (True, "true"),
        (None, "null"),
        (1.5, "1.5"),
        (["a", None], '["a", null]'),
        ({"a": [False]}, '{"a": [false]}'),
        ("x" * 100, "'" + "x" * 63 + "..."),
    ],
)
def test_a_bad_value_is_shown_as_json(value: object, shown: str) -> None:
    assert BadValue(value, "DATE").shown == shown


VALUES = ["a.b", "1+1", "@p", "f(1)", "[1]", "[TRUE, NULL]", "(SELECT 1)", "NULL", "TRUE", "(TRUE)",
          "b'x'", "DATE '2020-01-01'", "-1.5", "CASE WHEN TRUE THEN 1 END", "?", "@@x"]  # fmt: skip
HINTED = [
    "SELECT 1 FROM T@{{FORCE_INDEX={}}}",
    "SELECT 1 FROM T@{{SCAN_METHOD={}}}",
    "SELECT 1 FROM T@{{SEEKABLE_KEY_SIZE={}}}",
    "SELECT 1 FROM T JOIN@{{JOIN_METHOD={}}} T AS U USING (Id)",
    "SELECT 1 FROM T GROUP@{{GROUP_METHOD={}}} BY Id",
    "@{{OPTIMIZER_VERSION={}}} SELECT 1",
    "@{{LOCK_SCANNED_RANGES={}}} SELECT 1",
]
OPTIONS = [
    "ALTER DATABASE options SET OPTIONS (version_retention_period = {})",
    "ALTER DATABASE options SET OPTIONS (default_leader = {})",
    "ALTER SEQUENCE S SET OPTIONS (sequence_kind = {})",
    "ALTER SEQUENCE S SET OPTIONS (start_with_counter = {})",
    "ALTER CHANGE STREAM C SET OPTIONS (retention_period = {})",
    "ALTER CHANGE STREAM C SET OPTIONS (exclude_insert = {})",
    "ALTER LOCALITY GROUP G SET OPTIONS (storage = {})",
    "ALTER TABLE T SET OPTIONS (locality_group = {})",
]


@pytest.fixture(scope="module")
def database() -> Iterator[DatabaseHandle]:
    with spanemu.Emulator() as emulator:
        schema = [
            "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)",
            "CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive')",
            "CREATE CHANGE STREAM C FOR ALL",
            "CREATE LOCALITY GROUP G",
        ]
        yield emulator.create_database("options", schema)


def text_of_failure(call: Callable[[], object], sent: str) -> str:
    """Return the text of the error of a call, without the statement that was sent."""
    try:
        call()
    except (GoogleAPICallError, SpannerError) as refusal:
        return str(refusal).partition(", request_id")[0].replace(sent, "")
    return ""


@pytest.mark.parametrize("statement", HINTED)
def test_a_hint_value_is_shown_as_written(database: DatabaseHandle, statement: str) -> None:
    client = database.client()
    for value in VALUES:
        sql = statement.format(value)
        with client.snapshot() as snapshot:
            text = text_of_failure(partial(_rows, snapshot, sql), sql)
        assert not OBJECTS.search(text)


def _rows(snapshot: Any, sql: str) -> list[Any]:
    return list(snapshot.execute_sql(sql))


@pytest.mark.parametrize("statement", OPTIONS)
def test_an_option_value_is_shown_as_written(database: DatabaseHandle, statement: str) -> None:
    for value in VALUES:
        ddl = statement.format(value)
        assert not OBJECTS.search(text_of_failure(partial(database.apply_schema, [ddl]), ddl))
