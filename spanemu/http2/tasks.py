"""The steps of requests that are due, in the order in which the leader takes them (`loop`)."""

from __future__ import annotations

from collections import deque
from typing import Protocol

HEAVY_TURNS = 16


class Owner(Protocol):
    """A client whose requests are served."""

    @property
    def tasks(self) -> deque[Task]:
        """The steps of its requests that are due."""
        ...


class Task(Protocol):
    """A step of a request: `run` on any thread, all else on the leader's. None of them raises."""

    @property
    def client(self) -> Owner:
        """The client that sent the request."""
        ...

    def is_heavy(self) -> bool:
        """Return whether the step may well take long, so that quick ones come first."""
        ...

    def is_quick(self) -> bool:
        """Return whether the step takes a moment only, so that earlier replies may wait for it."""
        ...

    def starts(self) -> bool:
        """Return whether to take the step."""
        ...

    def run(self) -> None:
        """Take the step, without touching a connection."""
        ...

    def deliver(self) -> bool:
        """Send what the step produced; return whether the next step comes before other tasks."""
        ...


class Due:
    """The tasks that are due. Clients take turns, so that none waits for all tasks of another.

    Every second turn is that of a client which had nothing to do before, so that a client with one
    request need not wait until each of a crowd has had its turn. Steps that may take long come when
    there are no others, and every `HEAVY_TURNS` turns.

    A task that is alone, as nearly always, is in none of the rows until another one comes. `count`
    is the number of all tasks.
    """

    def __init__(self) -> None:
        self._lone: Task | None = None
        self._first: deque[Task] = deque()
        # The tasks of each client that has any: of those that have had no turn yet, and the others.
        self._new: deque[deque[Task]] = deque()
        self._old: deque[deque[Task]] = deque()
        self._heavy: deque[deque[Task]] = deque()  # of those whose next task may take long
        self._is_new_next = True
        self._light_turns = 0  # since the last heavy task, while another one was due
        self.count = 0

    def next_of(self, client: Owner) -> Task | None:
        """Return the next task of a client that is due, None if there is none."""
        lone = self._lone
        if lone is not None:
            return lone if lone.client is client else None
        return client.tasks[0] if client.tasks else None

    def append(self, task: Task) -> None:
        """Add a task behind those of its client."""
        if not self.count:
            self._lone = task
            self.count = 1
            return
        if self._lone is not None:
            self._leave_alone_no_more(self._lone)
        self._line_up(task)
        self.count += 1

    def _leave_alone_no_more(self, task: Task) -> None:
        """Let the task that was alone stand in the rows, because another one comes."""
        self._lone = None
        self._line_up(task)

    def _line_up(self, task: Task) -> None:
        tasks = task.client.tasks
        if not tasks:
            (self._heavy if task.is_heavy() else self._new).append(tasks)
        tasks.append(task)

    def appendleft(self, task: Task) -> None:
        """Add a task before all others."""
        if self._lone is not None:
            self._leave_alone_no_more(self._lone)
        self._first.append(task)
        self.count += 1

    def popleft(self) -> Task:
        """Remove and return the next task. Raises IndexError."""
        if not self.count:
            raise IndexError
        self.count -= 1
        if (lone := self._lone) is not None:
            self._lone, self._is_new_next = None, False
            return lone
        if self._first:
            return self._first.popleft()
        tasks = self._next_heavy() if self._heavy else None
        if tasks is None:
            is_new = self._new and (self._is_new_next or not self._old)
            self._is_new_next = not is_new
            tasks = (self._new if is_new else self._old).popleft()
        task = tasks.popleft()
        if tasks:
            (self._heavy if tasks[0].is_heavy() else self._old).append(tasks)
        return task

    def _next_heavy(self) -> deque[Task] | None:
        """Remove and return tasks of a client whose next one may take long; None if it waits."""
        if (self._new or self._old) and self._light_turns < HEAVY_TURNS:
            self._light_turns += 1
            return None
        self._light_turns = 0
        return self._heavy.popleft()
