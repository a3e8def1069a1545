"""Fake instances, databases and sessions with given answers, which record their calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.database.statements.results import TransactionInfo

DATABASE = "projects/p/instances/i/databases/d"
SESSION = f"{DATABASE}/sessions/s1"


@dataclass(eq=False)
class Refused(SpannerError):
    """The error that fakes raise."""

    code = Code.FAILED_PRECONDITION
    prose = "refused"


@dataclass
class FakeSession:
    name: str = SESSION
    labels: dict[str, str] = field(default_factory=dict)
    multiplexed: bool = False
    role: str = ""
    create_time: int = 1_000
    last_use_time: int = 2_000
    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name not in self.answers:
            raise AttributeError(name)

        def answer(*args: Any) -> Any:
            self.asked.append((name, *args))
            return self.answers[name]

        return answer


@dataclass
class FakeSessions:
    by_name: dict[str, FakeSession] = field(default_factory=dict)
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def create(self, labels: dict[str, str], multiplexed: bool, role: str) -> FakeSession:
        name = f"{DATABASE}/sessions/s{len(self.by_name) + 1}"
        session = FakeSession(name, dict(labels), multiplexed, role)
        self.by_name[name] = session
        return session

    def get(self, name: str) -> FakeSession:
        if name not in self.by_name:
            raise Refused()
        return self.by_name[name]

    def delete(self, name: str) -> None:
        self.by_name.pop(name, None)

    def list(self, filter_: str, size: int, token: str) -> tuple[list[FakeSession], str]:
        self.asked.append((filter_, size, token))
        return list(self.by_name.values()), "next"


@dataclass
class FakeDatabase:
    sessions: FakeSessions = field(default_factory=FakeSessions)


@dataclass
class FakeInstances:
    limits = DEFAULT_LIMITS

    only: FakeDatabase = field(default_factory=FakeDatabase)

    def find_database(self, name):
        """Return None, so that names are parsed."""

    def database(self, name: str) -> FakeDatabase:
        if name != DATABASE:
            raise Refused()
        return self.only


def world(**answers: Any) -> tuple[FakeInstances, FakeSession]:
    """Return instances with one session, whose methods return the given answers."""
    instances, session = FakeInstances(), FakeSession(answers=answers)
    instances.only.sessions.by_name[SESSION] = session
    return instances, session


BEGUN = TransactionInfo(b"tx", 3_000, (b"token", 2))
