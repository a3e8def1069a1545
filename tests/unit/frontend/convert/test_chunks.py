from __future__ import annotations

import gc
from collections.abc import Iterator

from spanemu.database.statements.results import ResultStats, ResultStream, TransactionInfo
from spanemu.frontend import wire
from spanemu.frontend.convert.chunks import Chunks
from spanemu.values import types
from spanemu.values.types import array_of


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
    found = messages([("x" * 30,)] * 10, ("s", types.STRING), stats=ResultStats(row_count=10))
    assert len(found) > 2
    assert [one.HasField("metadata") for one in found] == [True] + [False] * (len(found) - 1)
    assert [one.HasField("stats") for one in found] == [False] * (len(found) - 1) + [True]
    assert [one.last for one in found] == [False] * (len(found) - 1) + [True]
    assert sum(len(one.values) for one in found) == 10


def test_precommit_token_is_in_every_message() -> None:
    info = TransactionInfo(precommit_token=(b"t", 1))
    found = messages([("x" * 60,)] * 4, ("s", types.STRING), transaction=info)
    assert len(found) > 1
    assert all(one.precommit_token.precommit_token == b"t" for one in found)


def test_no_garbage_is_collected_while_a_further_message_is_made() -> None:
    collects: list[bool] = []

    def rows() -> Iterator[tuple[str]]:
        for _ in range(6):
            collects.append(gc.isenabled())
            yield ("x" * 60,)

    stream = ResultStream(columns=(("s", types.STRING),), rows=rows())
    for _ in Chunks(stream, chunk_bytes=100).messages():
        assert gc.isenabled()
    assert collects == [True, True, *[False] * 4]


def test_tokens_stand_between_rows_only() -> None:
    rows = [("x" * 60, "y" * 300)] * 3
    columns = ("a", types.STRING), ("b", types.STRING)
    found = messages(rows, *columns, token_at=lambda sent: b"%d" % sent)
    values = 0
    for one in found:
        values += len(one.values) - one.chunked_value
        if one.resume_token:
            assert not one.chunked_value
            assert values == 2 * int(one.resume_token)
    assert any(one.resume_token for one in found)


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
