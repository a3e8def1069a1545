from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unittest.mock import Mock

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Unsupported
from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.database.options import StatementRequest
from spanemu.database.statements.results import ResultStats, ResultStream, TransactionInfo
from spanemu.frontend import wire
from spanemu.frontend.convert.chunks import Chunks, StreamBroken
from spanemu.frontend.convert.resume import resumable_chunks, resume_point_from_token
from spanemu.frontend.errors import InvalidResumeToken
from spanemu.frontend.wire import ExecuteSqlRequest, PartialResultSet
from spanemu.values import types
from spanemu.values.types import STRING, array_of


def messages(rows, *columns, chunk_bytes=100, token_at=None, **rest):
    stream = ResultStream(columns=tuple(columns), rows=iter(rows), **rest)
    return [
        wire.PartialResultSet.FromString(data)
        for data in Chunks(stream, token_at, chunk_bytes=chunk_bytes)
    ]


def test_small_results_fit_one_message() -> None:
    (only,) = messages(
        [(1,), (2,)],
        ("n", types.INT64),
        stats=ResultStats(row_count=2),
        transaction=TransactionInfo(id=b"tx"),
    )
    assert [value.string_value for value in only.values] == ["1", "2"]
    assert only.metadata.transaction.id == b"tx"
    assert only.stats.row_count_exact == 2
    assert only.last
    assert not only.chunked_value
    assert not only.resume_token


def test_empty_results_have_metadata() -> None:
    (only,) = messages([], ("n", types.INT64))
    assert only.metadata.row_type.fields[0].name == "n"
    assert only.last


def test_metadata_comes_first_and_stats_last() -> None:
    result = messages([("x" * 30,)] * 10, ("s", types.STRING), stats=ResultStats(row_count=10))
    assert len(result) > 2
    assert [one.HasField("metadata") for one in result] == [True] + [False] * (len(result) - 1)
    assert [one.HasField("stats") for one in result] == [False] * (len(result) - 1) + [True]
    assert [one.last for one in result] == [False] * (len(result) - 1) + [True]
    assert sum(len(one.values) for one in result) == 10


def test_precommit_token_is_in_every_message() -> None:
    info = TransactionInfo(precommit_token=(b"t", 1))
    found = messages([("x" * 60,)] * 4, ("s", types.STRING), transaction=info)
    assert len(found) > 1
    assert all(one.precommit_token.precommit_token == b"t" for one in found)


def test_tokens_stand_between_rows_only() -> None:
    rows = [("x" * 60, "y" * 300)] * 3
    columns = ("a", types.STRING), ("b", types.STRING)
    result = messages(rows, *columns, token_at=lambda sent: b"%d" % sent)
    values = 0
    for item in result:
        values += len(item.values) - item.chunked_value
        if item.resume_token:
            assert not item.chunked_value
            assert values == 2 * int(item.resume_token)
    assert any(item.resume_token for item in result)


def test_characters_are_never_cut() -> None:
    found = messages([("\U0001f600" * 200,)], ("s", types.STRING))
    assert len(found) > 2
    assert "".join(one.values[0].string_value for one in found) == "\U0001f600" * 200


def test_a_cut_between_elements_leaves_padding() -> None:
    found = messages([(("x" * 85, "y" * 85),)], ("a", array_of(types.STRING)))
    firsts = [one.values[0].list_value.values[0].string_value for one in found[1:]]
    lasts = [one.values[-1].list_value.values[-1].string_value for one in found[:-1]]
    joined = [last + first for last, first in zip(lasts, firsts, strict=True)]
    assert all(set(text) in ({"x"}, {"y"}) for text in joined)


def test_rows_are_read_as_messages_are_asked_for() -> None:
    read: list[int] = []

    def rows() -> Iterator[tuple[str]]:
        for number in range(100):
            read.append(number)
            yield ("x" * 60,)

    stream = ResultStream(columns=(("s", types.STRING),), rows=rows())
    next(iter(Chunks(stream, chunk_bytes=100)))
    assert len(read) <= 3


def test_closing_closes_the_rows() -> None:
    closed: list[bool] = []

    def rows() -> Iterator[tuple[str]]:
        try:
            while True:
                yield ("x" * 60,)
        finally:
            closed.append(True)

    stream = ResultStream(columns=(("s", types.STRING),), rows=rows())
    chunks = iter(Chunks(stream, chunk_bytes=100))
    next(chunks)
    chunks.close()
    assert closed == [True]


def test_rows_that_fail_are_closed_and_recorded() -> None:
    recorder = Mock()

    def rows() -> Iterator[tuple[str]]:
        yield ("x",)
        raise ValueError("no further row")

    stream = ResultStream(columns=(("s", types.STRING),), rows=rows(), recorder=recorder)
    with pytest.raises(ValueError, match="no further row"):
        Chunks(stream).messages()
    assert [call[0] for call in recorder.method_calls] == ["failed", "abandoned"]


class Words(LiveRows):
    position = b"0"

    def __init__(self) -> None:
        super().__init__(ManualClock(), LiveReaders())
        self.batches: list[list[str]] = []
        self.count = 0

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        batch = self.batches.pop(0) if self.batches else []
        rows = []
        for word in batch:
            self.count += 1
            rows.append(LiveRow((word,), b"%d" % self.count))
        return rows, not self.batches and bool(batch) and batch[-1] == "end"


def request(token: bytes = b"") -> Any:
    return ExecuteSqlRequest(session="s", sql="q", resume_token=token)


def live_messages(words: Words, *args: Any) -> list[Any]:
    chunks: Iterable[Any] = resumable_chunks(
        request(), ResultStream((("w", STRING),), words), None, *args
    )
    return ["wait" if chunk is words else PartialResultSet.FromString(chunk) for chunk in chunks]


def texts(message: Any) -> list[str]:
    return [value.string_value for value in message.values]


def test_rows_that_exist_share_a_message() -> None:
    words = Words()
    words.batches = [["a", "b"], ["c"], [], ["d", "end"]]
    first_wait, rows, second_wait, last = live_messages(words)
    assert (first_wait, second_wait) == ("wait", "wait")
    assert rows.metadata.row_type.fields[0].name == "w"
    assert texts(rows) == ["a", "b", "c"]
    assert texts(last) == ["d", "end"]
    assert not last.HasField("metadata")
    assert last.last


def test_metadata_do_not_wait_for_rows() -> None:
    words = Words()
    words.batches = [[], ["end"]]
    _, metadata, _, last = live_messages(words)
    assert metadata.metadata.row_type.fields[0].name == "w"
    assert not metadata.values
    assert texts(last) == ["end"]


def test_tokens_carry_the_position() -> None:
    words = Words()
    words.batches = [[], ["a", "b"], [], ["end"]]
    sent = [message for message in live_messages(words) if message != "wait"]
    points = [resume_point_from_token(request(message.resume_token)) for message in sent[:-1]]
    statements = [point.statement(StatementRequest("q")) for point in points]
    assert [statement.position for statement in statements] == [b"0", b"2"]


def test_a_token_belongs_to_its_request() -> None:
    words = Words()
    words.batches = [[], ["end"]]
    token = live_messages(words)[1].resume_token
    with pytest.raises(InvalidResumeToken):
        resume_point_from_token(ExecuteSqlRequest(session="s", sql="r", resume_token=token))


def test_large_rows_are_cut() -> None:
    words = Words()
    words.batches = [["x" * 3_000_000], ["y" * 700_000, "z" * 700_000], ["end"]]
    sent = [message for message in live_messages(words) if message != "wait"]
    assert [message.chunked_value for message in sent] == [True, True, False, False, False]
    assert "".join(map("".join, map(texts, sent[:2]))) + texts(sent[2])[0] == "x" * 3_000_000


def test_a_fault_after_rows_counts_no_waits() -> None:
    words = Words()
    words.batches = [[], ["a"], [], ["b", "c"]]

    def after_two(rows: Iterable[Any]) -> Iterable[Any]:
        count = 0
        for row in rows:
            yield row
            count += isinstance(row, LiveRow)
            if count == 2:
                raise StreamBroken(Unsupported("More"))

    with pytest.raises(Unsupported):
        live_messages(words, after_two)
