"""Parts of the search: histories of runs, random priorities, shorter schedules, schedule texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from spanemu.explorer.actors import Roster
from spanemu.explorer.histories import FinishedRun, FinishedRuns, History, history_of
from spanemu.explorer.schedules import Fault, Plan, Priorities, parsed_schedule
from spanemu.explorer.shortening import candidates, shortened
from spanemu.explorer.steps import Access, Step, Trace

WRITE, READ = (0, 1), (1, 0)


def step(index: int, actor: int, *keys: tuple[bytes, tuple[int, int]]) -> Step:
    made = Step(index, actor, "request", 0)
    for key, (reads, writes) in keys:
        made.add(Access(1, key, key + b"\0", reads, writes))
    return made


def trace(*steps: tuple[int, tuple[tuple[bytes, tuple[int, int]], ...]]) -> Trace:
    rows = [step(index, actor, *keys) for index, (actor, keys) in enumerate(steps)]
    return Trace.of(rows, set(), 2)


def history(*steps: Any) -> History:
    return history_of([actor for actor, _ in steps], trace(*steps).clocks, 2)


def test_independent_steps_in_another_order_are_the_same_history() -> None:
    one = history((0, ((b"a", WRITE),)), (1, ((b"b", WRITE),)))
    two = history((1, ((b"b", WRITE),)), (0, ((b"a", WRITE),)))
    assert one == two


def test_dependent_steps_in_another_order_are_another_history() -> None:
    one = history((0, ((b"a", WRITE),)), (1, ((b"a", READ),)))
    two = history((1, ((b"a", READ),)), (0, ((b"a", WRITE),)))
    assert one != two


def test_direct_predecessors_have_no_step_between() -> None:
    known = trace((0, ((b"a", WRITE),)), (1, ((b"a", WRITE),)), (0, ((b"a", WRITE),)))
    assert known.direct == [0, 0b1, 0b10]
    assert known.before == [0, 0b1, 0b11]


def test_finished_runs_cover_their_beginnings() -> None:
    steps = (0, ((b"a", WRITE),)), (1, ((b"a", READ),)), (0, ((b"a", WRITE),))
    finished = FinishedRuns()
    assert not finished.cover(history(*steps[:1]))
    finished.add(FinishedRun(bytes((0, 1, 0)), b"", history(*steps)))
    assert finished.cover(history(*steps))
    assert finished.cover(history(*steps[:1]))
    assert finished.cover(history(*steps[:2]))
    assert not finished.cover(history(steps[1]))


def test_histories_know_the_clocks_of_their_steps() -> None:
    steps = (0, ((b"a", WRITE),)), (1, ((b"a", READ),)), (0, ((b"a", WRITE),))
    run = FinishedRun(bytes((0, 1, 0)), b"", history(*steps))
    assert run.order().clocks == trace(*steps).clocks == [(0, 0), (1, 0), (1, 1)]


def test_reversals_exclude_steps_after_the_first() -> None:
    steps = (0, ((b"a", WRITE),)), (0, ()), (1, ((b"b", READ),)), (1, ((b"a", READ),))
    run = FinishedRun(bytes((0, 0, 1, 1)), b"", history(*steps))
    reversal = run.reversal(run.order(), (0, 3))
    assert (reversal.indexes, reversal.word) == ((2, 3), bytes((1, 1)))
    assert reversal.history == history(steps[2], steps[3])


def test_finished_runs_with_more_actors_cover_earlier_ones() -> None:
    finished = FinishedRuns()
    finished.add(FinishedRun(b"\0", b"", (b"\0",)))
    finished.add(FinishedRun(b"\0\0\2", b"", (b"\0\0", b"", b"\0")))
    assert finished.cover((b"\0\0",))
    assert finished.cover((b"\0", b"", b"\0"))
    assert not finished.cover((b"\0", b"\0"))
    assert not finished.cover((b"\0", b"", b"", b"\0"))


def test_random_priorities_change_at_a_few_steps() -> None:
    priorities = Priorities(random.Random("seed"), steps=20)
    chosen = [priorities.chosen(position, [0, 1, 2]) for position in range(20)]
    switches = sum(before != after for before, after in pairwise(chosen))
    assert 1 <= switches <= 2


def test_a_sleeping_actor_has_the_lowest_priority() -> None:
    priorities = Priorities(random.Random("seed"), steps=2, changes=0)
    first = priorities.chosen(0, [0, 1])
    priorities.lower(first)
    assert priorities.chosen(1, [0, 1]) == 1 - first


def test_candidates_join_two_blocks() -> None:
    assert list(candidates((0, 1, 0, 1))) == [
        (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (0, 0, 1, 1),
    ]  # fmt: skip


class Executed:
    """A run as far as the shortening looks at it."""

    def __init__(self, word: tuple[int, ...]) -> None:
        self.word = word
        self.preemptions = sum(a != b for a, b in pairwise(word))


def test_shortening_keeps_the_steps_that_the_failure_needs() -> None:
    def attempt(word: tuple[int, ...]) -> Any:
        # Fails if a step of the second actor lies between two steps of the first.
        inside = word[word.index(0) : len(word) - word[::-1].index(0)]
        return Executed(word) if 1 in inside else None

    shorter: Callable[..., Any] = shortened
    run = shorter(Executed((0, 1, 0, 1, 0, 1, 1, 0)), attempt)
    assert run.preemptions == 2


def roster() -> Roster:
    return Roster([("x", lambda: None), ("y", lambda: None)])


@pytest.mark.parametrize(
    ("text", "letters", "fault"),
    [
        ("ABBA", "A B B A", None),
        ("AA1A2B", "A A1 A2 B", None),
        ("A1.2A1.2.1", "A1.2 A1.2.1", None),
        ("AB/lost:A12", "A B", "lost:A12"),
        ("AA1/abort:A1:2", "A A1", "abort:A1:2"),
    ],
)
def test_schedules_are_read_as_they_are_written(text: str, letters: str, fault: str | None) -> None:
    actors = roster()
    plan = parsed_schedule(text, actors, 2)
    assert " ".join(actors.actors[number].letter for number in plan.word) == letters
    assert (plan.fault and plan.fault.text(actors.actors)) == fault
    assert plan.order == (0, 1)


@pytest.mark.parametrize("text", ["", "AC", "1A", "AB/soon", "AB/abort:C1", "AB/abort:A1:"])
def test_malformed_schedules_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="schedule="):
        parsed_schedule(text, roster(), 2)


def test_plans_are_replaced_by_words() -> None:
    plan = Plan((), (0, 1), fault=Fault("abort", 1, 1))
    assert plan._replace(word=(0, 1)).fault == Fault("abort", 1, 1)
