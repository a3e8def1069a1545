"""Live rows leave at once, together where several exist, with the position in the token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Unsupported
from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.database.options import StatementRequest
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.chunks import StreamBroken
from spanemu.frontend.convert.resume import resumable_chunks, resume_point_from_token
from spanemu.frontend.errors import InvalidResumeToken
from spanemu.frontend.wire import ExecuteSqlRequest, PartialResultSet
from spanemu.values.types import STRING


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


def messages(words: Words, *args: Any) -> list[Any]:
    chunks: Iterable[Any] = resumable_chunks(
        request(), ResultStream((("w", STRING),), words), None, *args
    )
    return ["wait" if chunk is words else PartialResultSet.FromString(chunk) for chunk in chunks]


def texts(message: Any) -> list[str]:
    return [value.string_value for value in message.values]


def test_rows_that_exist_share_a_message() -> None:
    words = Words()
    words.batches = [["a", "b"], ["c"], [], ["d", "end"]]
    first_wait, rows, second_wait, last = messages(words)
    assert (first_wait, second_wait) == ("wait", "wait")
    assert rows.metadata.row_type.fields[0].name == "w"
    assert texts(rows) == ["a", "b", "c"]
    assert texts(last) == ["d", "end"]
    assert not last.HasField("metadata")
    assert last.last


def test_metadata_do_not_wait_for_rows() -> None:
    words = Words()
    words.batches = [[], ["end"]]
    _, metadata, _, last = messages(words)
    assert metadata.metadata.row_type.fields[0].name == "w"
    assert not metadata.values
    assert texts(last) == ["end"]


def test_tokens_carry_the_position() -> None:
    words = Words()
    words.batches = [[], ["a", "b"], [], ["end"]]
    sent = [message for message in messages(words) if message != "wait"]
    points = [resume_point_from_token(request(message.resume_token)) for message in sent[:-1]]
    statements = [point.statement(StatementRequest("q")) for point in points]
    assert [statement.position for statement in statements] == [b"0", b"2"]


def test_a_token_belongs_to_its_request() -> None:
    words = Words()
    words.batches = [[], ["end"]]
    token = messages(words)[1].resume_token
    with pytest.raises(InvalidResumeToken):
        resume_point_from_token(ExecuteSqlRequest(session="s", sql="r", resume_token=token))


def test_large_rows_are_cut() -> None:
    words = Words()
    words.batches = [["x" * 3_000_000], ["y" * 700_000, "z" * 700_000], ["end"]]
    sent = [message for message in messages(words) if message != "wait"]
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
        messages(words, after_two)
