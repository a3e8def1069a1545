from __future__ import annotations

import pytest

from spanemu.base.limits import RESUMABLE_CHUNK_BYTES
from spanemu.database.options import (
    Begin,
    Existing,
    ReadOnly,
    ReadTimestamp,
    ReadWriteOptions,
    SingleUse,
)
from spanemu.database.statements.results import ResultStream
from spanemu.frontend import wire
from spanemu.frontend.convert.resume import ResumePoint, resumable_chunks, resume_point_from_token
from spanemu.frontend.convert.types import list_from_proto
from spanemu.frontend.errors import InvalidResumeToken
from spanemu.values import types

REQUEST = wire.ReadRequest(session="s", table="T", key_set={"all_": True})
ROWS = [(f"{number}" + "x" * (RESUMABLE_CHUNK_BYTES // 3),) for number in range(10)]
AT = 5_000


def stream(repeatable_at: int | None = AT) -> ResultStream:
    columns = (("s", types.STRING),)
    return ResultStream(columns=columns, rows=iter(ROWS), repeatable_at=repeatable_at)


def run(request, repeatable_at: int | None = AT):
    resume_point = resume_point_from_token(request) if request.resume_token else None
    chunks = resumable_chunks(request, stream(repeatable_at), resume_point)
    return [wire.PartialResultSet.FromString(data) for data in chunks]


def texts(messages) -> list[str]:
    return [text for one in messages for text in list_from_proto(one)]


def resumed(token: bytes, **changes: object):
    request = wire.ReadRequest()
    request.CopyFrom(REQUEST)
    request.resume_token = token
    request.MergeFrom(wire.ReadRequest(**changes))
    return request


def test_every_token_resumes_at_its_position() -> None:
    result = run(REQUEST)
    tokens = [(number, one.resume_token) for number, one in enumerate(result) if one.resume_token]
    assert len(tokens) == len(result) - 1
    for number, token in tokens:
        rest = run(resumed(token))
        assert texts(result[: number + 1]) + texts(rest) == [text for (text,) in ROWS]
        assert rest[-1].last


def test_a_stream_that_cannot_be_repeated_has_no_tokens() -> None:
    assert not any(one.resume_token for one in run(REQUEST, repeatable_at=None))


def test_the_transaction_may_be_another_selector() -> None:
    token = run(REQUEST)[0].resume_token
    assert resume_point_from_token(resumed(token, transaction={"id": b"1"})) == ResumePoint(2, AT)


@pytest.mark.parametrize("token", [b"x", b"\x07" * 33])
def test_malformed(token: bytes) -> None:
    with pytest.raises(InvalidResumeToken):
        resume_point_from_token(resumed(token))


def test_of_another_request() -> None:
    token = run(REQUEST)[0].resume_token
    with pytest.raises(InvalidResumeToken):
        resume_point_from_token(resumed(token, table="Other"))


@pytest.mark.parametrize("repeatable_at", [None, AT + 1])
def test_of_another_snapshot(repeatable_at: int | None) -> None:
    token = run(REQUEST)[0].resume_token
    with pytest.raises(InvalidResumeToken):
        run(resumed(token), repeatable_at)


def test_single_use_transactions_resume_at_their_timestamp() -> None:
    exact = ReadOnly(ReadTimestamp(AT))
    resume_point = ResumePoint(1, AT)
    assert resume_point.selector(None) == SingleUse(exact)
    assert resume_point.selector(SingleUse(ReadOnly(return_read_timestamp=True))) == SingleUse(
        ReadOnly(ReadTimestamp(AT), return_read_timestamp=True)
    )
    assert resume_point.selector(Begin(ReadOnly())) == Begin(exact)
    assert resume_point.selector(Begin(ReadWriteOptions())) == Begin(ReadWriteOptions())
    assert resume_point.selector(Existing(b"1")) == Existing(b"1")
