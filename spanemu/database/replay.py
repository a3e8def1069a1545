"""DML that a client sends twice: the same sequence number gets the same answer.

An answer is kept with a key made of the request, so that a number used again for something else
is noticed. Numbers must rise within a transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.database.errors import SeqnoOutOfOrder, SeqnoReused
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.results import BatchOutcome, ResultStats, ResultStream
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class Answer:
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
    """The DML answers of one transaction by sequence number."""

    def __init__(self) -> None:
        self._answers: dict[int, tuple[Any, Any]] = {}
        self._highest: int | None = None

    def find(self, request: StatementRequest) -> Answer | None:
        """The answer given before. Raises SeqnoReused."""
        return self._find(request.seqno, _key(request)) if self._answers else None

    def find_batch(self, requests: Sequence[StatementRequest], seqno: int) -> BatchOutcome | None:
        """The answer given to the same batch before. Raises SeqnoReused."""
        found = self._find(seqno, tuple(map(_key, requests)))
        if found is None:
            return None
        results, failure = found
        return BatchOutcome(tuple(answer.answer() for answer in results), failure)

    def check_order(self, seqno: int, invalidate: Callable[[SpannerError], None]) -> None:
        """Take note of a new number. One that is too low ends the transaction."""
        if self._highest is not None and seqno < self._highest:
            failure = SeqnoOutOfOrder(seqno, self._highest)
            invalidate(failure)
            raise failure
        self._highest = seqno

    def keep(self, request: StatementRequest, result: ResultStream) -> ResultStream:
        """Remember an answer; gives it back whole."""
        answer = _whole(result)
        self._answers[request.seqno] = (_key(request), answer)
        return answer.answer()

    def keep_failure(self, request: StatementRequest, failure: SpannerError) -> None:
        """Remember that a statement failed."""
        self._answers[request.seqno] = (_key(request), Answer((), (), ResultStats(), failure))

    def keep_batch(
        self, requests: Sequence[StatementRequest], seqno: int, outcome: BatchOutcome
    ) -> None:
        """Remember the answer to a batch."""
        answers = tuple(_whole(result) for result in outcome.results)
        for result, answer in zip(outcome.results, answers, strict=True):
            result.rows = iter(answer.rows)
        self._answers[seqno] = (tuple(map(_key, requests)), (answers, outcome.failure))

    def _find(self, seqno: int, key: Any) -> Any:
        kept = self._answers.get(seqno)
        if kept is None:
            return None
        if kept[0] != key:
            raise SeqnoReused(seqno)
        return kept[1]


def _whole(result: ResultStream) -> Answer:
    return Answer(result.columns, tuple(result.rows), result.stats)


def _key(request: StatementRequest) -> Any:
    if request.mode is QueryMode.PLAN:
        return None
    parameters = repr(sorted(request.parameters.items()))
    types = tuple(sorted((name, str(type_)) for name, type_ in request.parameter_types.items()))
    return request.sql, parameters, types, request.mode
