"""The words that settings choose from."""

from __future__ import annotations

from enum import StrEnum


class Target(StrEnum):
    """What the tests run against."""

    EMBEDDED = "embedded"  # an emulator in this process, reached without a network
    SUBPROCESS = "subprocess"  # an emulator in a process of its own
    EXTERNAL = "external"  # whatever listens at a host and port: the official emulator, ...
    OMNI = "omni"  # Spanner Omni at a host and port
    CLOUD = "cloud"  # Cloud Spanner, where the project is allowed


class Isolation(StrEnum):
    """How a test's changes are kept from the next one."""

    RESTORE = "restore"  # the same database, put back to the template
    CLONE = "clone"  # a new database for each test, copied from the template
    TRUNCATE = "truncate"  # rows deleted and the seeds loaded again
    RECREATE = "recreate"  # the database dropped and created again
    NONE = "none"  # nothing: for suites that only read


class Unsupported(StrEnum):
    """What happens to a test that its target cannot run."""

    SKIP = "skip"
    XFAIL = "xfail"
    ERROR = "error"


class Reuse(StrEnum):
    """Whether what migrations come to is kept from one run to the next."""

    ON = "on"
    OFF = "off"


class InstanceConfigs(StrEnum):
    """The instance configurations that instances may name."""

    ANY = "any"  # as on Google's emulator
    PUBLISHED = "published"  # as on Spanner: those that Google publishes or users created


class Start(StrEnum):
    """When the emulator starts."""

    LAZY = "lazy"  # with the first fixture that needs it
    EAGER = "eager"  # before any conftest.py is imported, with SPANNER_EMULATOR_HOST exported
