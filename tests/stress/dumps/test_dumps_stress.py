"""A small run in one format; `python -m tests.stress.dumps` is the long form, in all of them."""

from __future__ import annotations

import sys

import pytest

from tests.stress.dumps.campaign import campaign


@pytest.mark.skipif(sys.platform != "linux", reason="measures the memory of processes")
def test_a_dump_and_a_load_need_little_memory():
    reports, problems = campaign(megabytes=2, formats=["jsonl"], dialects=["googlesql"])
    assert not problems
    assert len(reports) == 2
