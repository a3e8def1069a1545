"""Fixtures of function scope: a database for one test, clients of it, and tools for tests.

    database   spanner_database  spanner_async_database  spanner_sql  spanner_env  spanner_dbapi
               spanner_engine  spanner_session  spanner_django_db
    rows       spanner_factory  spanner_snapshot  spanner_migrator
    control    spanner_clock  spanner_faults  spanner_splits  spanner_change_streams
               spanner_models
    checks     spanner_assert  spanner_record  spanner_hotspots  hotspots  spanner_explore

A project overrides a fixture by a fixture of the same name. A test uses a feature by requesting
its fixture; markers only configure. Nothing of Spanner is imported before a test uses a fixture.

A fixture of function scope requests a fixture of session scope by `request.getfixturevalue`, not
by an argument: pytest keeps the request of every argument until the run ends.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.markers import SPANNER_ASSERT, budget_of, hotspot_rule_of
from pytest_spanemu.requested_options import TemplateSpec, requested_options_of
from pytest_spanemu.run import run_of

if TYPE_CHECKING:
    from google.cloud.spanner_v1.database import Database

    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.databases.observation import Observation
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.django.setup import SpannerDjango
    from pytest_spanemu.exploring import SpannerExplore
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.public_types import (
        SpannerChangeStreams,
        SpannerClock,
        SpannerFaults,
        SpannerHotspots,
        SpannerModels,
        SpannerRecord,
        SpannerSplits,
    )
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.sql import SpannerSql
    from pytest_spanemu.targets.target import SpannerEmulator


@pytest.fixture
def _spanner_observation(request: pytest.FixtureRequest) -> Iterator[Observation]:
    """Allocate a database to the test, and observe it as the test and the reports need."""
    item: pytest.Item = request.node
    run, requested = run_of(request.config), requested_options_of(item)
    schema = functools.partial(request.getfixturevalue, "spanner_schema")
    if (requested.schema, requested.seeds, requested.dialect) == (None, None, None):
        session_template = request.getfixturevalue("spanner_template")
        template = run.templates.for_tests_of(item.parent, session_template, schema)
    else:
        spec = TemplateSpec(requested.schema, requested.seeds, requested.dialect)
        template = run.templates.for_spec(_emulator(request), spec, schema)
    with run.allocator.allocate(template, requested.isolation, item.nodeid) as observation:
        if item.get_closest_marker("spanner_hotspots") is not None:
            observation.known_hotspots = _known_hotspots(item)
        yield observation
    run.allocator.finish(item, budget_of(item))


@pytest.fixture
def spanner_database(_spanner_observation: Observation) -> Database:
    """Return the official client's `Database`: a database with the template's schema and rows, for
    this test alone.

    Example:
        spanner_database.run_in_transaction(transfer)
    """
    return _spanner_observation.handle.client()


@pytest.fixture
def spanner_async_database(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Callable[..., Any]:
    """Return a function that opens the test's database with the official client for asyncio, which
    is experimental. Call it within the test: a client belongs to one event loop.

    Example:
        database = await spanner_async_database()
    """
    pytest.importorskip(
        "google.cloud.spanner_v1._async", reason="google-cloud-spanner has no client for asyncio"
    )
    if not _spanner_observation.emulator.is_emulator:
        run_of(request.config).refuse("the client for asyncio only supports emulators")
    open_database: Callable[..., Any] = _spanner_observation.handle.async_client
    return open_database


@pytest.fixture
def spanner_sql(spanner_database: Any, _spanner_observation: Observation) -> SpannerSql:
    """Return a function that runs one SQL statement on the test's database. A query returns rows
    as dicts, DML the row count. The statements do not count for budgets and reports.

    Example:
        spanner_sql("SELECT Name FROM Singers WHERE SingerId = @id", id=1)
    """
    from pytest_spanemu.sql import SpannerSql

    return SpannerSql(spanner_database, _spanner_observation.unrecorded)


@pytest.fixture
def spanner_env(
    _spanner_observation: Observation, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Set environment variables by which code that creates its own client connects to the test's
    database, and return them as a dict: SPANNER_EMULATOR_HOST, SPANNER_DATABASE_ID and others.
    """
    variables: dict[str, str] = _spanner_observation.handle.environ()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.fixture
def spanner_dbapi(spanner_database: Any) -> Iterator[Any]:
    """Provide a DB-API connection (`google.cloud.spanner_dbapi`) to the test's database."""
    from google.cloud.spanner_dbapi import Connection

    connection = Connection(spanner_database._instance, spanner_database)
    yield connection
    connection.close()


@pytest.fixture
def spanner_engine(_spanner_observation: Observation) -> Iterator[Any]:
    """Provide a SQLAlchemy engine for the test's database, without a connection pool."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    pytest.importorskip("google.cloud.sqlalchemy_spanner")
    engine = sqlalchemy.create_engine(
        _spanner_observation.handle.sqlalchemy_url(), poolclass=sqlalchemy.pool.NullPool
    )
    yield engine
    engine.dispose()


@pytest.fixture
def spanner_session(spanner_engine: Any) -> Iterator[Any]:
    """Provide a SQLAlchemy ORM session. Commits are allowed: the isolation undoes them."""
    from sqlalchemy.orm import Session

    with Session(spanner_engine) as session:
        yield session


@pytest.fixture
def spanner_django_db(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[Any]:
    """Point Django's models at the test's database, and return the official client's `Database`.
    The isolation undoes what the test saves.
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
    """Provide named snapshots of the test's database.

    Example:
        spanner_snapshot.take("before")
        spanner_snapshot.diff("before")
        spanner_snapshot.restore("before")
    """
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.targets.target import SNAPSHOTS

    _need(request, SNAPSHOTS)
    with SpannerSnapshot(_spanner_observation.handle, _spanner_observation.unrecorded) as snapshots:
        yield snapshots


@pytest.fixture
def spanner_migrator(request: pytest.FixtureRequest) -> Iterator[SpannerMigrator]:
    """Provide the project's migrations, to run separately on an empty database.

    Example:
        spanner_migrator.up_before("0007")
        spanner_migrator.insert("Orders", Status="o")
        spanner_migrator.up("0007")
    """
    run = run_of(request.config)
    with run.templates.migrator(_emulator(request), requested_options_of(request.node)) as migrator:
        yield migrator


@pytest.fixture
def spanner_clock(request: pytest.FixtureRequest) -> Iterator[SpannerClock]:
    """Provide the emulator's clock. The clock is reset after the test.

    Example:
        spanner_clock.freeze("2026-01-01T00:00:00Z")
        spanner_clock.advance(days=7)
    """
    from pytest_spanemu.targets.target import CLOCK

    _need(request, CLOCK)
    clock = _emulator(request).clock
    # Builds the template first, so that its seeds are not written at the time of the test.
    request.getfixturevalue("_spanner_observation").moves_clock = True
    yield clock
    clock.thaw()


@pytest.fixture
def spanner_faults(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[SpannerFaults]:
    """Provide fault injection for the test's database. A fault that no request triggers fails the
    test, unless `spanner_fail_on` leaves out unused-fault.

    Example:
        spanner_faults.abort("Commit", nth=2)
    """
    from pytest_spanemu.markers import inject_faults, unused_faults_message
    from pytest_spanemu.targets.target import FAULTS

    _need(request, FAULTS)
    faults = _spanner_observation.emulator.faults
    inject_faults(request.node, faults, _spanner_observation.handle)
    yield faults
    unused = unused_faults_message(faults)
    faults.clear()
    if unused and "unused-fault" in run_of(request.config).settings.fail_on:
        pytest.fail(unused, pytrace=False)


@pytest.fixture
def _spanner_aborted_commit(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[int]:
    """Abort the commit of the number that `spanner_abort_each` has parametrized, 0 for none."""
    from pytest_spanemu.targets.target import FAULTS

    number: int = request.param
    if not number:
        yield 0
        return
    _need(request, FAULTS)
    faults, handle = _spanner_observation.emulator.faults, _spanner_observation.handle
    with faults.abort("Commit", nth=number, database=handle) as fault:
        fault.is_expected = False  # The test may commit less often than the marker's maximum.
        yield number


@pytest.fixture
def spanner_record(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerRecord:
    """Return a function that records the queries, commits, mutations and aborts of a block.

    Example:
        with spanner_record() as recorded: ...
    """
    from pytest_spanemu.targets.target import RECORDING

    _need(request, RECORDING)
    observation = _spanner_observation
    return lambda: observation.emulator.record(observation.handle)


@pytest.fixture
def spanner_assert(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[SpannerAssert]:
    """Provide assertions about the requests, plans, locks and rows of the test.

    Example:
        with spanner_assert.queries(max=2): ...
    """
    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.targets.target import HOTSPOTS, RECORDING

    _need(request, RECORDING)
    has_marker = request.node.get_closest_marker("spanner_hotspots") is not None
    if has_marker or "hotspots" in budget_of(request.node):
        _need(request, HOTSPOTS)
    watches_hotspots = _spanner_observation.emulator.can(HOTSPOTS)
    asserts = SpannerAssert(_spanner_observation, watches_hotspots=watches_hotspots)
    request.node.stash[SPANNER_ASSERT] = asserts
    yield asserts
    del request.node.stash[SPANNER_ASSERT]


@pytest.fixture
def spanner_splits(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerSplits:
    """Provide the splits of the test's database and their servers.

    Example:
        spanner_splits.at("Singers", [4])
        spanner_splits.assert_single_split()
    """
    from pytest_spanemu.targets.target import HOTSPOTS

    _need(request, HOTSPOTS)
    splits: SpannerSplits = _spanner_observation.handle.splits
    return splits


@pytest.fixture
def spanner_change_streams(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerChangeStreams:
    """Provide the change streams of the test's database by name, with the records of the test.

    Example:
        (record,) = spanner_change_streams["OrderChanges"].records()
        spanner_change_streams["OrderChanges"].wait_for(2, within=3.0)
    """
    from pytest_spanemu.targets.target import CHANGES

    _need(request, CHANGES)
    streams: SpannerChangeStreams = _spanner_observation.change_streams
    return streams


@pytest.fixture
def spanner_models(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> Iterator[SpannerModels]:
    """Provide what answers models, AI functions and remote functions, and the calls of the test.
    What the test registers is removed after the test.

    Example:
        spanner_models.register("Embedder", models.embeddings(dimensions=768))
        assert spanner_models.calls[0].rows == [{"content": "a lamp"}]
    """
    from pytest_spanemu.targets.target import MODELS

    _need(request, MODELS)
    with _spanner_observation.emulator.models.scoped() as models:
        yield models


@pytest.fixture
def spanner_explore(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerExplore:
    """Return a function that runs functions of the test in every order of their transactions and
    requests that matters, and fails at the first outcome that no serial order has.

    Example:
        spanner_explore({"deposit": deposit, "withdraw": withdraw})
    """
    from pytest_spanemu.exploring import SpannerExplore, check_schedule
    from pytest_spanemu.targets.target import EXPLORATIONS

    _need(request, EXPLORATIONS)
    settings = run_of(request.config).settings
    check_schedule(settings, request.session.items)  # for the workers of xdist
    return SpannerExplore(_spanner_observation, settings)


@pytest.fixture
def spanner_hotspots(
    request: pytest.FixtureRequest, _spanner_observation: Observation
) -> SpannerHotspots:
    """Provide the hotspot detector for the test's writes: `watch()`, `report()`, `heatmap(path)`,
    `simulate(nodes=8)` and others.

    Example:
        with spanner_hotspots.watch() as watched: ...
        watched.assert_none()
    """
    from pytest_spanemu.targets.target import HOTSPOTS

    _need(request, HOTSPOTS)
    monitor: SpannerHotspots = _spanner_observation.hotspots
    return monitor


@pytest.fixture
def hotspots(spanner_hotspots: SpannerHotspots) -> SpannerHotspots:
    """Return `spanner_hotspots`, by a shorter name."""
    return spanner_hotspots


@pytest.fixture
def spanner_factory(
    request: pytest.FixtureRequest, spanner_database: Any, _spanner_observation: Observation
) -> SpannerFactory:
    """Return row factories, which write rows with valid values for the schema into the test's
    database. The writes do not count for budgets and hotspots.

    Example:
        spanner_factory.Singers(FirstName="Marc")
        spanner_factory.Albums.many(100)
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
    """Return the run's emulator, without the request of an argument (see the module's text)."""
    emulator: SpannerEmulator = request.getfixturevalue("spanner_emulator")
    return emulator


def _need(request: pytest.FixtureRequest, capability: str) -> None:
    """Skip or fail a test whose target lacks a capability, as `spanner_unsupported` says."""
    emulator = _emulator(request)
    if emulator.can(capability):
        return
    run_of(request.config).refuse(f"target {emulator.target} has no {capability}", capability)
