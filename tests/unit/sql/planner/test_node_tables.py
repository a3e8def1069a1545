"""The planner's tables by class of node: each names every class, if only for its default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from spanemu.sql import resolved
from spanemu.sql.executor import build
from spanemu.sql.plan import joins, nodes, operator_display, partitionable
from spanemu.sql.planner import (
    decorrelate,
    estimate,
    ordering,
    physical,
    properties,
    prune,
    pushdown,
    spool,
    translate,
)

BASES = {nodes.Node, nodes.Producing, nodes.Passing, joins.Pairing}
SCAN_BASES = {resolved.Scan}

TABLES: dict[str, Mapping[type, object]] = {
    "physical._CHOOSERS": physical._CHOOSERS,
    "prune._PRUNERS": prune._PRUNERS,
    "pushdown._PUSHERS": pushdown._PUSHERS,
    "decorrelate._RULES": decorrelate._RULES,
    "spool._RULES": spool._RULES,
    "estimate._ESTIMATES": estimate._ESTIMATES,
    "ordering._DELIVERED": ordering._DELIVERED,
    "properties._NOT_NULL_RULES": properties._NOT_NULL_RULES,
    "properties._SINGLE_ROW_RULES": properties._SINGLE_ROW_RULES,
    "partitionable._RULES": partitionable._RULES,
    "operator_display.DISPLAYS": operator_display.DISPLAYS,
    "build.OPERATORS": build.OPERATORS,
}


def classes_below(base: type) -> Iterator[type]:
    for below in base.__subclasses__():
        if below.__module__.startswith("spanemu."):
            yield below
        yield from classes_below(below)


@pytest.mark.parametrize("name", TABLES)
def test_every_class_of_plan_node_stands_in_the_table(name):
    assert set(TABLES[name]) == set(classes_below(nodes.Node)) - BASES


def test_every_class_of_scan_has_a_translation():
    assert set(translate.TRANSLATIONS) == set(classes_below(resolved.Scan)) - SCAN_BASES
