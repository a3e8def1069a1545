"""A database that only remembers what was asked of it, for tests of the catalog."""

from dataclasses import dataclass

from spanemu.admin.instances import DEFAULT_SETTINGS, Instances
from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.database.schema_changes import DdlOutcome
from spanemu.schema.objects import NO_TYPES


@dataclass(eq=False)
class Refused(SpannerError):
    """The fake's way of refusing a statement."""

    code = Code.FAILED_PRECONDITION
    prose = "refused: {statement}"
    statement: str


class FakeDatabase:
    """`BAD...` raises before anything is applied, `STUCK...` fails while it is applied."""

    def __init__(self, name, clock):
        self.name = name
        self.clock = clock
        self.create_time = clock.now()
        self.drop_protection = False
        self.statements = []
        self.closed = 0
        self.nodes = 0

    def follow_nodes(self, nodes):
        self.nodes = nodes

    def apply_ddl(self, statements, sent=NO_TYPES, outcome=None, *, whole=True):
        for statement in statements:
            if statement.startswith("BAD"):
                raise Refused(statement)
        outcome = outcome or DdlOutcome()
        for statement in statements:
            if statement.startswith("STUCK"):
                outcome.failure = Refused(statement)
                break
            self.statements.append(statement)
            outcome.commit_timestamps.append(self.clock.now())
        return outcome

    def restart_history(self) -> None:
        """Do nothing: these tests have no history."""

    def close(self):
        self.closed += 1


def fake_catalog(settings=DEFAULT_SETTINGS):
    """Return a catalog of fakes; `.made` lists every database it ever made."""
    clock = ManualClock(1_000_000_000)
    created = []

    def new_database(name, dialect):
        created.append(FakeDatabase(name, clock))
        return created[-1]

    instances = Instances(clock, new_database, settings)
    instances.made = created
    return instances
