"""A database that answers as it is told and remembers what it was asked."""

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
    """What fakes raise."""

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
    found: dict[str, FakeSession] = field(default_factory=dict)
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def create(self, labels: dict[str, str], multiplexed: bool, role: str) -> FakeSession:
        name = f"{DATABASE}/sessions/s{len(self.found) + 1}"
        session = FakeSession(name, dict(labels), multiplexed, role)
        self.found[name] = session
        return session

    def get(self, name: str) -> FakeSession:
        if name not in self.found:
            raise Refused()
        return self.found[name]

    def delete(self, name: str) -> None:
        self.found.pop(name, None)

    def list(self, wanted: str, size: int, token: str) -> tuple[list[FakeSession], str]:
        self.asked.append((wanted, size, token))
        return list(self.found.values()), "next"


@dataclass
class FakeDatabase:
    sessions: FakeSessions = field(default_factory=FakeSessions)


@dataclass
class FakeInstances:
    limits = DEFAULT_LIMITS

    only: FakeDatabase = field(default_factory=FakeDatabase)

    def find_database(self, name):
        """None, so that names are parsed."""

    def database(self, name: str) -> FakeDatabase:
        if name != DATABASE:
            raise Refused()
        return self.only


def world(**answers: Any) -> tuple[FakeInstances, FakeSession]:
    """Instances with one session, which answers each method with what is given."""
    instances, session = FakeInstances(), FakeSession(answers=answers)
    instances.only.sessions.found[SESSION] = session
    return instances, session


BEGUN = TransactionInfo(b"tx", 3_000, (b"token", 2))
