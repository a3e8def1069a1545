"""The lines that requests have in timelines."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.spanner_v1 import KeyRange, KeySet
from google.cloud.spanner_v1.types import CommitRequest, Mutation, ReadRequest

from spanemu.explorer.requests import text_of


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (KeySet(all_=True), "all keys"),
        (KeySet(keys=[["a"], ["b"]]), "('a'), ('b')"),
        (KeySet(ranges=[KeyRange(start_closed=["a"], end_closed=["b"])]), "('a') to ('b')"),
        (
            KeySet(keys=[["z"]], ranges=[KeyRange(start_open=["a"], end_open=["b"])]),
            "('z'), after ('a') to before ('b')",
        ),
        (KeySet(), "no key"),
    ],
)
def test_reads_show_their_keys(keys: KeySet, text: str) -> None:
    request = ReadRequest(table="T", columns=["A", "B"], key_set=keys._to_pb())
    assert text_of("Read", ReadRequest.pb(request)) == f"READ T(A, B) {text}"


def test_commits_show_their_mutations() -> None:
    delete: dict[str, Any] = {"table": "T", "key_set": KeySet(keys=[["a"]])._to_pb()}
    request = CommitRequest(mutations=[Mutation(delete=Mutation.Delete(**delete))])
    assert text_of("Commit", CommitRequest.pb(request)) == "COMMIT delete T ('a')"
