"""The steps of requests that are due, in the order in which the leader takes them (`loop`)."""

from __future__ import annotations

from collections import deque
from typing import Protocol


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
    """The tasks that are due. Clients take turns, so that none waits for all tasks of another."""

    def __init__(self) -> None:
        self._first: deque[Task] = deque()
        self._turns: deque[deque[Task]] = deque()  # the tasks of each client that has any
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, task: Task) -> None:
        """Add a task behind those of its client."""
        tasks = task.client.tasks
        if not tasks:
            self._turns.append(tasks)
        tasks.append(task)
        self._count += 1

    def appendleft(self, task: Task) -> None:
        """Add a task before all others."""
        self._first.append(task)
        self._count += 1

    def popleft(self) -> Task:
        """Remove and return the next task. Raises IndexError."""
        self._count -= 1
        if self._first:
            return self._first.popleft()
        tasks = self._turns.popleft()
        task = tasks.popleft()
        if tasks:
            self._turns.append(tasks)
        return task
