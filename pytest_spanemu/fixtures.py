"""The fixtures. Nothing of Spanner is imported until one of them is used.

    session    spanner_emulator  spanner_schema  spanner_template  spanner_client  spanner_instance
               spanner_factory_session  spanner_django
    function   spanner_database  spanner_async_database  spanner_sql  spanner_env  spanner_dbapi
               spanner_engine  spanner_session  spanner_snapshot  spanner_clock  spanner_faults
               spanner_factory  spanner_record  spanner_assert  spanner_hotspots  hotspots
               spanner_splits  spanner_django_db  spanner_migrator

Each can be replaced by a fixture of the same name. A fixture triggers, markers only configure.

What lives as long as a test asks for what lives as long as the run by `request.getfixturevalue`,
not by an argument: of each argument pytest keeps the whole request until the run ends.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.asserts.markers import budget_of, hotspot_rule_of
from pytest_spanemu.requested_options import TemplateSpec, requested_options_of
from pytest_spanemu.run import run_of

if TYPE_CHECKING:
    from google.cloud.spanner import Client
    from google.cloud.spanner_v1.database import Database
    from google.cloud.spanner_v1.instance import Instance

    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.databases.observation import Observation
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.databases.template import Schema, Template
    from pytest_spanemu.django.setup import SpannerDjango
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.public_types import (
        SpannerClock,
        SpannerFaults,
        SpannerHotspots,
        SpannerRecord,
        SpannerSplits,
    )
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.sql import SpannerSql
    from pytest_spanemu.targets.target import SpannerEmulator


# ---------------------------------------------------------------------------- once per run


@pytest.fixture(scope="session")
def spanner_emulator(pytestconfig: pytest.Config) -> Iterator[SpannerEmulator]:
    """The emulator of this run (or this xdist worker): started once, shared by its tests."""
    with run_of(pytestconfig).emulator() as emulator:
        yield emulator


@pytest.fixture(scope="session")
def spanner_schema(pytestconfig: pytest.Config) -> Schema:
    """The schema that databases start with. Override it to supply one from code: statements as
    text, one or a list of them, will do.
    """
    run = run_of(pytestconfig)
    return run.templates.schema_of(run.settings.schema)


@pytest.fixture(scope="session")
def _spanner_template(
    pytestconfig: pytest.Config, spanner_emulator: SpannerEmulator, spanner_schema: Schema
) -> Template:
    return run_of(pytestconfig).templates.default(spanner_emulator, spanner_schema)


@pytest.fixture(scope="session")
def spanner_template(_spanner_template: Template) -> Template:
    """The database with schema and seeds that every test starts from.

    Extend it with a fixture of the same name that requests it and `spanner_factory_session`.
    """
    return _spanner_template


@pytest.fixture(scope="session")
def spanner_factory_session(
    pytestconfig: pytest.Config, _spanner_template: Template
) -> SpannerFactory:
    """Row factories that write into the template, so that every test sees the rows."""
    _spanner_template.is_extended = True
    return run_of(pytestconfig).templates.factory(_spanner_template.database)


@pytest.fixture(scope="session")
def spanner_client(spanner_emulator: SpannerEmulator) -> Client:
    """`google.cloud.spanner.Client` of the emulator."""
    return spanner_emulator.client()


@pytest.fixture(scope="session")
def spanner_instance(spanner_client: Any, spanner_template: Template) -> Instance:
    """`google.cloud.spanner_v1.instance.Instance` that the test databases are in."""
    return spanner_client.instance(spanner_template.emulator.instance)


@pytest.fixture(scope="session")
def spanner_django(
    pytestconfig: pytest.Config, spanner_template: Template
) -> Iterator[SpannerDjango]:
    """Django's `DATABASES["default"]` on the template's database, and other aliases on Spanner on
    databases of their own; JSON fields and check constraints switched on again, and flush replaced
    by a restore. pytest-django's databases are these; without it, use `spanner_django_db`.
    """
    from pytest_spanemu.django.databases import open_django

    with open_django(run_of(pytestconfig), spanner_template) as django:
        yield django


# ---------------------------------------------------------------------------- once per test


@pytest.fixture
def _spanner_observation(request: pytest.FixtureRequest) -> Iterator[Observation]:
    """This test's database, and what is watched of it."""
    item: pytest.Item = request.node
    run, requested = run_of(request.config), requested_options_of(item)
    own_schema = functools.partial(request.getfixturevalue, "spanner_schema")
    if requested.schema is None and requested.seeds is None:
        found = request.getfixturevalue("spanner_template")
        template = run.templates.for_tests_of(item.parent, found, own_schema)
    else:
        spec = TemplateSpec(requested.schema, requested.seeds)
        template = run.templates.special(_emulator(request), spec, own_schema)
    with run.allocator.allocate(template, requested.isolation, item.nodeid) as observation:
        if item.get_closest_marker("spanner_hotspots") is not None:
            observation.known_hotspots = _known_hotspots(item)
        yield observation
    run.allocator.finish(item, budget_of(item))


@pytest.fixture
def spanner_database(_spanner_observation: Observation) -> Database:
    """The official client's `Database`: the template as it was, for this test alone."""
    return _spanner_observation.handle.client()


@pytest.fixture
def spanner_async_database(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Callable[..., Any]:
    """`database = await spanner_async_database()` gives the `Database` of the official client for
    asyncio, which is experimental there. Ask within the test: a client lives in one event loop.
    """
    pytest.importorskip(
        "google.cloud.spanner_v1._async", reason="google-cloud-spanner has no client for asyncio"
    )
    if not _spanner_observation.emulator.is_emulator:
        run_of(request.config).refuse("the client for asyncio is pointed at emulators alone")
    make: Callable[..., Any] = _spanner_observation.handle.async_client
    return make


@pytest.fixture
def spanner_sql(spanner_database: Any, _spanner_observation: Observation) -> SpannerSql:
    """`spanner_sql("SELECT ...", name=value)` gives rows as dicts; DML gives the row count. It is
    the test's own look at the database, and counts for no budget.
    """
    from pytest_spanemu.sql import SpannerSql

    return SpannerSql(spanner_database, _spanner_observation.unrecorded)


@pytest.fixture
def spanner_env(
    _spanner_observation: Observation, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Environment variables by which code that makes its own client finds the test's database."""
    variables: dict[str, str] = _spanner_observation.handle.environ()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.fixture
def spanner_dbapi(spanner_database: Any) -> Iterator[Any]:
    """A DB-API connection (`google.cloud.spanner_dbapi`)."""
    from google.cloud.spanner_dbapi import Connection

    connection = Connection(spanner_database._instance, spanner_database)
    yield connection
    connection.close()


@pytest.fixture
def spanner_engine(_spanner_observation: Observation) -> Iterator[Any]:
    """A SQLAlchemy engine without a pool, whose URL needs no environment variable."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    pytest.importorskip("google.cloud.sqlalchemy_spanner")
    engine = sqlalchemy.create_engine(
        _spanner_observation.handle.sqlalchemy_url(), poolclass=sqlalchemy.pool.NullPool
    )
    yield engine
    engine.dispose()


@pytest.fixture
def spanner_session(spanner_engine: Any) -> Iterator[Any]:
    """An ORM session; commit freely, the database goes back to the template."""
    from sqlalchemy.orm import Session

    with Session(spanner_engine) as session:
        yield session


@pytest.fixture
def spanner_django_db(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[Any]:
    """Django models on this test's database: what the test saves is gone with it. Gives the
    official client's `Database`.
    """
    from pytest_spanemu.django.databases import use_test_databases

    run, test = run_of(request.config), request.node.nodeid
    django: SpannerDjango = request.getfixturevalue("spanner_django")
    isolation = requested_options_of(request.node).isolation
    with use_test_databases(run, django, _spanner_observation, isolation, test):
        yield _spanner_observation.handle.client()


@pytest.fixture
def spanner_snapshot(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[SpannerSnapshot]:
    """Named states inside one test: `.take("a")`, `.restore("a")`, `.diff("a", "b")`."""
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.targets.target import SNAPSHOTS

    _need(request, SNAPSHOTS)
    with SpannerSnapshot(_spanner_observation.handle, _spanner_observation.unrecorded) as states:
        yield states


@pytest.fixture
def spanner_migrator(request: pytest.FixtureRequest) -> Iterator[SpannerMigrator]:
    """The project's migrations one by one, on an empty database: `.up_before("0007")`,
    `.insert("Orders", Status="o")`, `.up("0007")`, `.sql("SELECT ...")`.
    """
    run = run_of(request.config)
    with run.templates.migrator(_emulator(request), requested_options_of(request.node)) as migrator:
        yield migrator


@pytest.fixture
def spanner_clock(request: pytest.FixtureRequest) -> Iterator[SpannerClock]:
    """The server's clock, for this test: after it, time is as if nobody had moved it."""
    from pytest_spanemu.targets.target import CLOCK

    _need(request, CLOCK)
    clock = _emulator(request).clock
    # The template comes first, lest its seeds are written in the test's time.
    request.getfixturevalue("_spanner_observation").moves_clock = True
    yield clock
    clock.thaw()


@pytest.fixture
def spanner_faults(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[SpannerFaults]:
    """Failures on purpose: `spanner_faults.abort("Commit", nth=2)`. One that never strikes fails
    the test, unless `spanner_fail_on` leaves out unused-fault.
    """
    from pytest_spanemu.fault_plan import install, unused_text
    from pytest_spanemu.targets.target import FAULTS

    _need(request, FAULTS)
    faults = _spanner_observation.emulator.faults
    install(request.node, faults, _spanner_observation.handle)
    yield faults
    unused = unused_text(faults)
    faults.clear()
    if unused and "unused-fault" in run_of(request.config).settings.fail_on:
        pytest.fail(unused, pytrace=False)


@pytest.fixture
def _spanner_aborted_commit(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[int]:
    """The commit that `spanner_abort_each` aborts, 0 for none; skips when there are not so many."""
    from pytest_spanemu.targets.target import FAULTS

    number: int = request.param
    if not number:
        yield 0
        return
    _need(request, FAULTS)
    watched = _spanner_observation
    with watched.emulator.faults.abort("Commit", nth=number, database=watched.handle) as fault:
        fault.is_expected = False  # A test may commit less often than the marker allows for.
        yield number


@pytest.fixture
def spanner_record(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerRecord:
    """`with spanner_record() as recorded: ...` gives queries, commits, mutations, aborts."""
    from pytest_spanemu.targets.target import RECORDING

    _need(request, RECORDING)
    watched = _spanner_observation
    return lambda: watched.emulator.record(watched.handle)


@pytest.fixture
def spanner_assert(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerAssert:
    """Budgets and shapes: `with spanner_assert.queries(max=2): ...`."""
    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.targets.target import HOTSPOTS, RECORDING

    _need(request, RECORDING)
    wants_hotspots = request.node.get_closest_marker("spanner_hotspots") is not None
    if wants_hotspots or "hotspots" in budget_of(request.node):
        _need(request, HOTSPOTS)
    watches_hotspots = _spanner_observation.emulator.can(HOTSPOTS)
    return SpannerAssert(_spanner_observation, watches_hotspots=watches_hotspots)


@pytest.fixture
def spanner_splits(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerSplits:
    """Splits and servers: `spanner_splits.at("Singers", [4])`, `move`, `assert_single_split()`."""
    from pytest_spanemu.targets.target import HOTSPOTS

    _need(request, HOTSPOTS)
    splits: SpannerSplits = _spanner_observation.handle.splits
    return splits


@pytest.fixture
def spanner_hotspots(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerHotspots:
    """Where this test's writes concentrate: `with spanner_hotspots.watch() as watched: ...`, then
    `watched.assert_none()`; also `report()`, `heatmap(path)`, `simulate(nodes=8)`.
    """
    from pytest_spanemu.targets.target import HOTSPOTS

    _need(request, HOTSPOTS)
    found: SpannerHotspots = _spanner_observation.hotspots
    return found


@pytest.fixture
def hotspots(spanner_hotspots: SpannerHotspots) -> SpannerHotspots:
    """The same as `spanner_hotspots`, by a shorter name."""
    return spanner_hotspots


@pytest.fixture
def spanner_factory(
    request: pytest.FixtureRequest, spanner_database: Any, _spanner_observation: Observation
) -> SpannerFactory:
    """Rows for this test, typed by the schema: `spanner_factory.Singers(FirstName="Marc")`. They
    count for no budget and no hotspot.
    """
    faker = None
    if "faker" in request.fixturenames:
        faker = request.getfixturevalue("faker")
    factory = run_of(request.config).templates.factory
    return factory(spanner_database, faker=faker, unrecorded=_spanner_observation.unrecorded)


def _known_hotspots(item: pytest.Item) -> tuple[str, ...]:
    rule = hotspot_rule_of(item)
    return rule.expect if rule is not None else ()


def _emulator(request: pytest.FixtureRequest) -> SpannerEmulator:
    """The run's emulator, for what lives as long as a test."""
    emulator: SpannerEmulator = request.getfixturevalue("spanner_emulator")
    return emulator


def _need(request: pytest.FixtureRequest, capability: str) -> None:
    """Skip, or fail, a test that its target cannot run."""
    emulator = _emulator(request)
    if emulator.can(capability):
        return
    run_of(request.config).refuse(f"target {emulator.target} has no {capability}", capability)
