"""A database that only remembers what was asked of it, for tests of the catalog."""

from dataclasses import dataclass

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.database.instances import DEFAULT_SETTINGS, Instances
from spanemu.schema.proto_bundle import NO_TYPES


@dataclass(eq=False)
class Refused(SpannerError):
    """The fake's way of refusing a statement."""

    code = Code.FAILED_PRECONDITION
    prose = "refused: {statement}"
    statement: str


@dataclass(frozen=True)
class FakeOutcome:
    applied: int
    commit_timestamps: tuple[int, ...]
    failure: SpannerError | None


class FakeDatabase:
    """`BAD...` raises before anything is applied, `STUCK...` fails while it is applied."""

    def __init__(self, name, clock):
        self.name = name
        self.clock = clock
        self.create_time = clock.now()
        self.drop_protection = False
        self.statements = []
        self.closed = 0

    def apply_ddl(self, statements, sent=NO_TYPES):
        for statement in statements:
            if statement.startswith("BAD"):
                raise Refused(statement)
        stamps = []
        for statement in statements:
            if statement.startswith("STUCK"):
                return FakeOutcome(len(stamps), tuple(stamps), Refused(statement))
            self.statements.append(statement)
            stamps.append(self.clock.now())
        return FakeOutcome(len(stamps), tuple(stamps), None)

    def close(self):
        self.closed += 1


def fake_catalog(settings=DEFAULT_SETTINGS):
    """A catalog of fakes; `.made` lists every database it ever made."""
    clock = ManualClock(1_000_000_000)
    made = []

    def new_database(name):
        made.append(FakeDatabase(name, clock))
        return made[-1]

    instances = Instances(clock, new_database, settings)
    instances.made = made
    return instances
