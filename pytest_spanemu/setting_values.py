"""Enumerations: the values that settings with a fixed choice can have."""

from __future__ import annotations

from enum import StrEnum


class Target(StrEnum):
    """The server that the tests run against."""

    EMBEDDED = "embedded"  # an emulator in this process, reached without a network
    SUBPROCESS = "subprocess"  # an emulator in a process of its own
    EXTERNAL = "external"  # a server at a host and port, such as the official emulator
    OMNI = "omni"  # Spanner Omni at a host and port
    CLOUD = "cloud"  # Cloud Spanner, in an allowed project


class Isolation(StrEnum):
    """The way in which a test's changes are kept from the next test."""

    RESTORE = "restore"  # the same database, restored to a snapshot of the template
    CLONE = "clone"  # a new database for each test, a clone of the template
    TRUNCATE = "truncate"  # rows deleted and the template's rows inserted again
    RECREATE = "recreate"  # the database dropped and created again
    NONE = "none"  # no isolation, for suites that only read


class Dialect(StrEnum):
    """The SQL dialect of a database."""

    GOOGLESQL = "googlesql"
    POSTGRESQL = "postgresql"


class Unsupported(StrEnum):
    """The outcome of a test that needs a capability that the target lacks."""

    SKIP = "skip"
    XFAIL = "xfail"
    ERROR = "error"


class Reuse(StrEnum):
    """The use of a cache for the schema that programs build, from one run to the next."""

    ON = "on"
    OFF = "off"


class InstanceConfigs(StrEnum):
    """The instance configurations that an instance may name."""

    ANY = "any"  # as on Google's emulator
    PUBLISHED = "published"  # as on Spanner: Google's configurations, and those that users created


class Start(StrEnum):
    """The time at which the emulator starts."""

    LAZY = "lazy"  # with the first fixture that needs it
    EAGER = "eager"  # before any conftest.py is imported, with SPANNER_EMULATOR_HOST exported
