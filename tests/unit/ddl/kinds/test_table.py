"""The table of kinds is complete: every kind of named object has one description."""

from __future__ import annotations

from dataclasses import fields

from spanemu.base.limits import Limits
from spanemu.ddl.kinds.functions import FUNCTION_OVER_TABLES, FUNCTION_OVER_VIEWS
from spanemu.ddl.kinds.table import KINDS
from spanemu.schema.objects import SEPARATE_NAMES, NamedObjects


def test_every_field_of_named_objects_has_one_kind() -> None:
    places = (FUNCTION_OVER_TABLES, FUNCTION_OVER_VIEWS)  # of functions in the text of a schema
    assert sorted(kind.field for kind in KINDS if kind not in places) == sorted(
        each.name for each in fields(NamedObjects)
    )


def test_kinds_with_separate_names_report_duplicates_themselves() -> None:
    assert {kind.field for kind in KINDS if kind.duplicate is not None} == SEPARATE_NAMES


def test_limits_exist() -> None:
    limits = {each.name for each in fields(Limits)}
    assert {kind.limit for kind in KINDS} - {""} <= limits
