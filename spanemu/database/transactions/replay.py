"""Replayed DML: a repeated sequence number gets the answer of the first request.

Each answer is kept with its request, so that a sequence number reused for a different statement is
detected. Sequence numbers must rise within a transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.record import Record, record
from spanemu.database import errors
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements.results import BatchOutcome, ResultStats, ResultStream
from spanemu.values.types import Type

StatementOrBatch = StatementRequest | Sequence[StatementRequest]


@record
class Answer(Record):
    """The complete answer to a DML statement."""

    columns: tuple[tuple[str, Type], ...]
    rows: tuple[tuple[Any, ...], ...]
    stats: ResultStats
    failure: SpannerError | None = None

    def answer(self) -> ResultStream:
        """Return the answer as a new result; raise the failure of a failed statement."""
        if self.failure is not None:
            raise self.failure.fresh()
        return ResultStream(self.columns, iter(self.rows), stats=self.stats, is_dml=True)


class Replays:
    """The answers to a transaction's DML by sequence number; `highest` is the newest number."""

    __slots__ = ("_answers", "highest")

    def __init__(self, seqno: int) -> None:
        self._answers: dict[int, tuple[StatementOrBatch, Any]] = {}
        self.highest = seqno

    def find(self, request: StatementRequest) -> Answer | None:
        """Return the answer to an earlier request with the same sequence number, or None.

        Raises SeqnoReused if the earlier request was different.
        """
        return self._find(request.seqno, request)  # type: ignore[no-any-return]

    def find_batch(self, requests: Sequence[StatementRequest], seqno: int) -> BatchOutcome | None:
        """Return the answer to an earlier batch with the same sequence number, or None.

        Raises SeqnoReused if the earlier batch was different.
        """
        answer_parts = self._find(seqno, requests)
        if answer_parts is None:
            return None
        results, failure = answer_parts
        return BatchOutcome(tuple(result.answer() for result in results), failure)

    def keep(self, request: StatementRequest, result: ResultStream) -> ResultStream:
        """Record the answer to a statement; return the result with all rows read."""
        rows = tuple(result.rows)
        self._answers[request.seqno] = (request, Answer(result.columns, rows, result.stats))
        result.rows = iter(rows)
        return result

    def keep_failure(self, request: StatementRequest, failure: SpannerError) -> None:
        """Record the failure of a statement."""
        self._answers[request.seqno] = (request, Answer((), (), ResultStats(), failure))

    def keep_batch(
        self, requests: Sequence[StatementRequest], seqno: int, outcome: BatchOutcome
    ) -> None:
        """Record the answer to a batch."""
        answers = tuple(_whole(result) for result in outcome.results)
        for result, answer in zip(outcome.results, answers, strict=True):
            result.rows = iter(answer.rows)
        self._answers[seqno] = (requests, (answers, outcome.failure))

    def _find(self, seqno: int, request: StatementOrBatch) -> Any:
        kept = self._answers.get(seqno) if self._answers else None
        if kept is None:
            return None
        original, answer = kept
        if _key(original) != _key(request):
            raise errors.SeqnoReused(seqno)
        return answer


def _whole(result: ResultStream) -> Answer:
    return Answer(result.columns, tuple(result.rows), result.stats)


def _key(request: StatementOrBatch) -> Any:
    """Return what a repeated request must have in common with the first."""
    if not isinstance(request, StatementRequest):
        return tuple(map(_key, request))
    if request.mode is QueryMode.PLAN:
        return None
    parameters = repr(sorted(request.parameters.items()))
    types = tuple(sorted((name, str(type_)) for name, type_ in request.parameter_types.items()))
    return request.sql, parameters, types, request.mode
