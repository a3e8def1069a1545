"""DML that comes twice."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.database.errors import SeqnoReused
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements.results import BatchOutcome, ResultStats, ResultStream
from spanemu.database.transactions.replay import Replays
from spanemu.values.types import INT64, STRING

COLUMNS = (("Id", INT64),)
FIRST = StatementRequest("UPDATE T", {"a": "1", "b": "2"}, {"a": INT64}, seqno=1)


def result(*rows) -> ResultStream:
    return ResultStream(COLUMNS, iter(rows), stats=ResultStats(row_count=len(rows)))


def like_first(**changes) -> StatementRequest:
    given = {
        "sql": FIRST.sql, "parameters": FIRST.parameters, "seqno": 1,
        "parameter_types": FIRST.parameter_types, "mode": FIRST.mode,
    }  # fmt: skip
    return StatementRequest(**{**given, **changes})


def test_an_answer_is_given_again_whole() -> None:
    replays = Replays(0)
    assert replays.find(FIRST) is None
    given = replays.keep(FIRST, result((1,), (2,)))
    assert list(given.rows) == [(1,), (2,)]
    for _ in range(2):
        known = replays.find(like_first(parameters={"b": "2", "a": "1"}))
        assert known is not None
        again = known.answer()
        assert list(again.rows) == [(1,), (2,)]
        assert (again.columns, again.stats.row_count, again.is_dml) == (COLUMNS, 2, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"sql": "UPDATE U"},
        {"parameters": {"a": "1", "b": "3"}},
        {"parameter_types": {"a": STRING}},
        {"mode": QueryMode.PROFILE},
    ],
)
def test_a_number_cannot_stand_for_something_else(changes) -> None:
    replays = Replays(0)
    replays.keep(FIRST, result())
    with pytest.raises(SeqnoReused) as failure:
        replays.find(like_first(**changes))
    assert failure.value.facts() == {"seqno": 1}
    assert replays.find(like_first(seqno=2, **changes)) is None


def test_a_failure_is_raised_again() -> None:
    replays = Replays(0)
    replays.keep_failure(FIRST, Unsupported("this"))
    known = replays.find(FIRST)
    assert known is not None
    for _ in range(2):
        with pytest.raises(Unsupported):
            known.answer()


def test_batches_are_kept_as_a_whole() -> None:
    replays = Replays(0)
    requests = [FIRST, like_first(sql="UPDATE U")]
    assert replays.find_batch(requests, 4) is None
    stuck: SpannerError = Unsupported("that")
    outcome = BatchOutcome((result((1,)),), stuck)
    replays.keep_batch(requests, 4, outcome)
    assert list(outcome.results[0].rows) == [(1,)]
    known = replays.find_batch(requests, 4)
    assert known is not None
    assert known.failure is stuck
    assert [list(each.rows) for each in known.results] == [[(1,)]]
    with pytest.raises(SeqnoReused):
        replays.find_batch(requests[:1], 4)
    with pytest.raises(SeqnoReused):
        replays.find(like_first(seqno=4))
