"""Every behaviour of the coverage table has a test that exists, or says why not."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.conformance import coverage, coverage_admin, coverage_writes
from tests.conformance.coverage import UNIMPLEMENTED

HERE = Path(__file__).parent
ITEMS = coverage.ITEMS + coverage_writes.ITEMS + coverage_admin.ITEMS
SECTIONS = {**coverage.SECTIONS, **coverage_writes.SECTIONS, **coverage_admin.SECTIONS}


@cache
def names_in(module):
    tree = ast.parse((HERE / f"test_{module}.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.section} {item.text}")
def test_every_proof_of_an_item_exists(item):
    if item.is_proved:
        module, _, test = item.proof.partition("::")
        assert test in names_in(module)
    else:
        assert item.proof.removeprefix(UNIMPLEMENTED).strip()


def test_sections_are_known_and_none_is_empty():
    assert {item.section for item in ITEMS} == set(SECTIONS)


def test_items_are_unique():
    named = [(item.section, item.text) for item in ITEMS]
    assert len(set(named)) == len(named)
