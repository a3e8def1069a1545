"""DML that a client sends twice: the same sequence number gets the same answer.

An answer is kept with its request, so that a number used again for something else is noticed.
Numbers must rise within a transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.record import Record, record
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements.results import BatchOutcome, ResultStats, ResultStream
from spanemu.database.transactions.errors import SeqnoReused
from spanemu.values.types import Type

Asked = StatementRequest | Sequence[StatementRequest]  # one statement, or a batch


@record
class Answer(Record):
    """What a statement was answered, whole."""

    columns: tuple[tuple[str, Type], ...]
    rows: tuple[tuple[Any, ...], ...]
    stats: ResultStats
    failure: SpannerError | None = None

    def answer(self) -> ResultStream:
        """The same answer again. Raises what was raised."""
        if self.failure is not None:
            raise self.failure.fresh()
        return ResultStream(self.columns, iter(self.rows), stats=self.stats, is_dml=True)


class Replays:
    """The DML answers of one transaction by sequence number; `highest` is the newest."""

    __slots__ = ("_answers", "highest")

    def __init__(self, seqno: int) -> None:
        self._answers: dict[int, tuple[Asked, Any]] = {}
        self.highest = seqno

    def find(self, request: StatementRequest) -> Answer | None:
        """The answer given before. Raises SeqnoReused."""
        return self._find(request.seqno, request)  # type: ignore[no-any-return]

    def find_batch(self, requests: Sequence[StatementRequest], seqno: int) -> BatchOutcome | None:
        """The answer given to the same batch before. Raises SeqnoReused."""
        found = self._find(seqno, requests)
        if found is None:
            return None
        results, failure = found
        return BatchOutcome(tuple(answer.answer() for answer in results), failure)

    def keep(self, request: StatementRequest, result: ResultStream) -> ResultStream:
        """Remember an answer; gives it back whole."""
        rows = tuple(result.rows)
        self._answers[request.seqno] = (request, Answer(result.columns, rows, result.stats))
        result.rows = iter(rows)
        return result

    def keep_failure(self, request: StatementRequest, failure: SpannerError) -> None:
        """Remember that a statement failed."""
        self._answers[request.seqno] = (request, Answer((), (), ResultStats(), failure))

    def keep_batch(
        self, requests: Sequence[StatementRequest], seqno: int, outcome: BatchOutcome
    ) -> None:
        """Remember the answer to a batch."""
        answers = tuple(_whole(result) for result in outcome.results)
        for result, answer in zip(outcome.results, answers, strict=True):
            result.rows = iter(answer.rows)
        self._answers[seqno] = (requests, (answers, outcome.failure))

    def _find(self, seqno: int, asked: Asked) -> Any:
        kept = self._answers.get(seqno) if self._answers else None
        if kept is None:
            return None
        before, answer = kept
        if _key(before) != _key(asked):
            raise SeqnoReused(seqno)
        return answer


def _whole(result: ResultStream) -> Answer:
    return Answer(result.columns, tuple(result.rows), result.stats)


def _key(asked: Asked) -> Any:
    """What must be the same in a repetition; made only when a number comes again."""
    if not isinstance(asked, StatementRequest):
        return tuple(map(_key, asked))
    if asked.mode is QueryMode.PLAN:
        return None
    parameters = repr(sorted(asked.parameters.items()))
    types = tuple(sorted((name, str(type_)) for name, type_ in asked.parameter_types.items()))
    return asked.sql, parameters, types, asked.mode
