"""The shortening of a failing schedule: the same failure with fewer interruptions.

A schedule is a row of blocks, each of one actor. Two blocks of one actor are joined by moving the
later one forward or the earlier one back, as long as the schedule still fails and has become
cheaper: fewer interruptions, then fewer blocks, then fewer steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from spanemu.explorer.run import Run

Word = tuple[int, ...]
Blocks = list[Word]

RUNS_MAX = 60


def cost(run: Run) -> tuple[int, int, int]:
    """Return what makes a schedule hard to read: interruptions, blocks, steps."""
    return run.preemptions, len(blocks(run.word)), len(run.word)


def blocks(word: Sequence[int]) -> Blocks:
    """Return the schedule as blocks of one actor each."""
    return [tuple(block) for _, block in groupby(word)]


def shortened(run: Run, attempt: Callable[[Word], Run | None]) -> Run:
    """Return the cheapest failing run that joining blocks leads to.

    `attempt` runs a schedule, and returns the run if it fails in the same way.
    """
    left = RUNS_MAX
    tried = {tuple(run.word)}
    is_better = True
    while is_better:
        is_better = False
        for word in candidates(run.word):
            if word in tried:
                continue
            if not left:
                return run
            left -= 1
            tried.add(word)
            shorter = attempt(word)
            if shorter is not None and cost(shorter) < cost(run):
                run, is_better = shorter, True
                break
    return run


def candidates(word: Sequence[int]) -> Iterator[Word]:
    """Yield the schedules in which two blocks of one actor are joined."""
    known = blocks(word)
    for early, block in enumerate(known):
        for late in range(early + 1, len(known)):
            if known[late][0] != block[0]:
                continue
            between = known[early + 1 : late]
            before, after = known[:early], known[late + 1 :]
            yield _joined([*before, block, known[late], *between, *after])
            yield _joined([*before, *between, block, known[late], *after])
            break


def _joined(parts: Blocks) -> Word:
    return tuple(actor for block in parts for actor in block)
