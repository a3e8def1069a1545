"""The pytest plugin: hooks and markers.

Nothing of Spanner is imported before a test uses a fixture.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

import pytest

from pytest_spanemu import hookspecs
from pytest_spanemu.asserts import hotspots
from pytest_spanemu.markers import (
    ABORT_EACH,
    SPANNER_ASSERT,
    abort_limit_of,
    check_budget,
    check_markers,
    flakiness_of,
    hotspot_rule_of,
)
from pytest_spanemu.options import Start, add_options
from pytest_spanemu.requested_options import requested_options_of
from pytest_spanemu.run import enter_run, hint_for, run_of, start_before_conftests
from pytest_spanemu.targets.validated import Validations
from spanemu.api import variables
from spanemu.base.lazy_import import ask_first

pytest_plugins = ("pytest_spanemu.session_fixtures", "pytest_spanemu.fixtures")

ABORTED_COMMIT = "_spanner_aborted_commit"
_FIXTURES_OF_MARKERS = (
    ("spanner_budget", "spanner_assert"),
    ("spanner_hotspots", "spanner_assert"),
    ("spanner_faults", "spanner_faults"),
    (ABORT_EACH, ABORTED_COMMIT),
)
MARKERS = (
    "spanner(schema=, seeds=, dialect=, isolation=, targets=): options of the test's database. The "
    "plugin "
    "adds the marker to every test that uses a spanner_* fixture, for -m spanner",
    "spanner_budget(queries=, commits=, mutations=, aborts=, full_scans=, lock_waits=, hotspots=): "
    "fail the test if it exceeds a limit",
    'spanner_faults("abort commit nth=2", ...): inject faults, each given as '
    "VERB [RPC[:NTH]] [NAME=VALUE ...], with the verbs and arguments of the fixture",
    "spanner_flaky_on(target, reason): the test may fail on a target, for a reason",
    "spanner_hotspots(qps=, nodes=, expect=, tables=, reasons=, min_writes=): fail the test if its "
    "writes concentrate on a hotspot",
    "spanner_abort_each(max=5): run the test without a fault, then once for each of its first max "
    "commits, with that commit aborted",
)


class EngineFinder:
    """A finder in `sys.meta_path` that imports the emulator without assertion rewriting.

    pytest rewrites the assertions of every package in the distribution of a plugin, so that a
    plugin's assertions explain themselves. The distribution also contains the package `spanemu`.
    Its assertions state invariants that no test should break, and rewriting its modules takes
    seconds without cached bytecode, as in a new container.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return Python's own spec for a module of `spanemu`, None for any other module."""
        if name.partition(".")[0] != "spanemu":
            return None
        return PathFinder.find_spec(name, path, target)

    def install(self) -> None:
        """Insert this finder before pytest's finder and after that of lazy modules."""
        sys.meta_path.insert(0, self)
        ask_first()

    def remove(self) -> None:
        """Remove the finder."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)


_engine_finder = EngineFinder()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that other plugins may implement, and install `EngineFinder`.

    Runs before every other hook of the plugin.
    """
    pluginmanager.add_hookspecs(hookspecs)
    _engine_finder.install()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare options and ini settings."""
    add_options(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Start the emulator early if module-level clients need it; add a hint if they fail."""
    start_before_conftests(early_config)
    try:
        return (yield)
    except Exception as failure:  # pytest's ConftestImportFailure, whose cause pytest shows
        if (hint := hint_for(early_config, failure)) is not None:
            getattr(failure, "cause", failure).add_note(f"\n{hint}")
        raise


def pytest_configure(config: pytest.Config) -> None:
    """Declare markers, and register the parts of the plugin that collect reports.

    Start the emulator if the plugin was loaded too late to start it earlier.
    """
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    run = enter_run(config)
    if config.pluginmanager.hasplugin("django"):
        _join_pytest_django(config)
    if not _is_worker(config):  # xdist's controller receives every test's outcome
        if run.settings.report.has_files:
            config.pluginmanager.register(run.report.outcomes, "spanner_outcomes")
        validations = Validations(config.rootpath, run.settings)
        if validations.is_needed:
            config.pluginmanager.register(validations, "spanner_validated")
    if run.settings.compare and not _is_worker(config):
        from pytest_spanemu.report.saved_counts import saved_counts

        saved_counts(run)  # raises before the first test if there are no saved counts
    if run.settings.start is Start.EAGER and not _is_controller(config):
        run.start_eagerly()


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the misspelt environment variables."""
    return [
        f"spanner: {variables.misspelt_note(*each)}"
        for each in variables.misspelt_variables(os.environ)
    ]


@pytest.hookimpl(tryfirst=True)  # before xdist starts its workers
def pytest_sessionstart(session: pytest.Session) -> None:
    """Keep workers from using the controller's emulator as an external target."""
    if _is_controller(session.config):
        run_of(session.config).prepare_for_workers()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Send the controller's seed to a worker of xdist."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    node.workerinput["spanner_seed"] = run_of(config).settings.seed  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    """Merge the report of an xdist worker. A worker that crashed has none."""
    output: Mapping[str, Any] = getattr(node, "workeroutput", {})
    run_of(node.config).report.merge(output.get("spanner", {}))  # type: ignore[attr-defined]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send a worker's report to the controller. Fail a run whose counts exceed the saved counts.

    Prepare the process for its end.
    """
    run = run_of(session.config)
    run.prepare_for_exit()
    if _is_worker(session.config):
        session.config.workeroutput["spanner"] = run.report.to_json()  # type: ignore[attr-defined]
    elif run.was_used and run.settings.compare:
        from pytest_spanemu.report.saved_counts import exceeds_limits

        if exceeds_limits(run) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop an emulator that was started before collection."""
    run_of(config).stop()
    _engine_finder.remove()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test by the commit that `spanner_abort_each` aborts."""
    if metafunc.definition.get_closest_marker(ABORT_EACH) is None:
        return
    try:
        limit = abort_limit_of(metafunc.definition)
    except pytest.UsageError:  # The setup of the clean run fails with the error.
        limit = 0
    metafunc.fixturenames.append(ABORTED_COMMIT)
    metafunc.parametrize(
        ABORTED_COMMIT,
        range(limit + 1),
        ids=["clean", *(f"abort@{number}" for number in range(1, limit + 1))],
        indirect=True,
    )


@pytest.hookimpl(tryfirst=True)  # before -m deselects
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Mark every test that uses a fixture of the plugin, so that `-m spanner` selects it."""
    if run_of(session.config).settings.check:
        from pytest_spanemu.builtin_checks import collect_checks

        items += collect_checks(session, items)
    for item in items:
        names: list[str] = getattr(item, "fixturenames", [])
        for marker, fixture in _FIXTURES_OF_MARKERS:
            if item.get_closest_marker(marker) is not None and fixture not in names:
                names.append(fixture)
        if any(name.startswith(("spanner_", "_spanner_")) for name in names):
            item.add_marker(pytest.mark.spanner)
        with contextlib.suppress(pytest.UsageError):  # The setup of the test fails with the error.
            reason = flakiness_of(item).get(run_of(item.config).settings.target)
            if reason is not None:
                target = run_of(item.config).settings.target
                item.add_marker(pytest.mark.xfail(reason=f"on {target}: {reason}", strict=False))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Import what the tests need, so that the imports do not count as time of the first test.

    Raises pytest.UsageError for a schedule of several tests.
    """
    if run_of(session.config).settings.schedule is not None and not _is_worker(session.config):
        from pytest_spanemu.exploring import check_schedule

        check_schedule(run_of(session.config).settings, session.items)
    run_tests = not (session.config.option.collectonly or _is_controller(session.config))
    if run_tests and any(item.get_closest_marker("spanner") for item in session.items):
        run_of(session.config).warm_up()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test with an invalid marker. Skip or fail a test for other targets."""
    if "spanner" not in check_markers(item):
        return
    run, requested = run_of(item.config), requested_options_of(item)
    if requested.targets is not None and run.settings.target not in requested.targets:
        run.refuse(f"for target {', '.join(requested.targets)}, not {run.settings.target}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Check budgets, hotspots and unused assertions as a part of the test.

    pytest does not call `pytest_pyfunc_call` for the methods of a `unittest.TestCase`.
    """
    try:
        return (yield from _call_and_check(item))
    except (AssertionError, pytest.fail.Exception) as problem:
        hotspots.record_failure(item, problem)
        raise


def _call_and_check(item: pytest.Item) -> Generator[None, object, object]:
    result = yield
    asserts: Any = item.stash.get(SPANNER_ASSERT, None)
    if asserts is not None:
        try:
            asserts.fail_for_unused_checks()
            check_budget(item, asserts)
            if (rule := hotspot_rule_of(item)) is not None:
                asserts.check_hotspot_rule(rule)
        except AssertionError as problem:  # its traceback has no frame of the test
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
    return result


def pytest_exception_interact(
    node: pytest.Item | pytest.Collector,
    call: pytest.CallInfo[object],
    report: pytest.CollectReport | pytest.TestReport,
) -> None:
    """Add a hint to a failed import. Pause after a failed test, while its database exists."""
    if isinstance(node, pytest.Collector) and call.excinfo is not None:
        hint = hint_for(node.config, call.excinfo.value)
        report.sections += [("spanner", hint)] if hint else []
    if not run_of(node.config).settings.pause_on_fail:
        return
    observation: Any = getattr(node, "funcargs", {}).get("_spanner_observation")
    if isinstance(node, pytest.Item) and observation is not None:
        _pause(node, observation.handle)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the report of the run, if a test used Spanner."""
    run = run_of(config)
    if not (run.was_used or run.report.outcomes.has_failing_spanner):
        return
    from pytest_spanemu.report.output import terminal_lines, write_files

    is_brief = config.get_verbosity() < 0
    if run.settings.report.table_rows and not is_brief:
        terminalreporter.write_sep("=", "spanner")
    for line in filter(None, terminal_lines(run, is_brief=is_brief)):
        terminalreporter.write_line(line)
    write_files(config, run)


@pytest.hookimpl(optionalhook=True)  # of pytest-html
def pytest_html_results_summary(prefix: list[str], session: pytest.Session) -> None:
    """Add the report to pytest-html's page."""
    run = run_of(session.config)
    if run.was_used:
        from pytest_spanemu.report.output import pytest_html_section

        prefix.append(pytest_html_section(run, session.config.getoption("htmlpath", None)))


def _join_pytest_django(config: pytest.Config) -> None:
    """Replace pytest-django's databases, if the schema comes from Django."""
    from pytest_spanemu.django import pytest_django

    if any(source.startswith(pytest_django.SOURCE) for source in run_of(config).settings.schema):
        config.pluginmanager.register(pytest_django, "spanner_django")


def _is_controller(config: pytest.Config) -> bool:
    """Return whether xdist's workers run the tests, and this process runs none."""
    if _is_worker(config):
        return False
    if config.getoption("numprocesses", None):
        return True
    # `--dist` alone starts no workers. Projects have it in their settings, for runs with `-n`.
    return config.getoption("dist", "no") != "no" and bool(config.getoption("tx", None))


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _pause(item: pytest.Item, handle: Any) -> None:
    """Print how to reach the database of a failed test, and wait for the return key.

    A worker of xdist does not wait, and no run waits whose standard input is closed.
    """
    capture: Any = item.config.pluginmanager.getplugin("capturemanager")
    if _is_worker(item.config):
        return
    if capture is not None:
        capture.suspend_global_capture(in_=True)
    try:
        exports = "\n".join(f"  export {name}={value}" for name, value in handle.environ().items())
        print(f"\n{item.nodeid} failed. Its database is {handle.name}:\n{exports}")
        input("Press return to continue: ")
    except EOFError:
        print("\nStandard input is closed: the run continues.")
    finally:
        if capture is not None:
            capture.resume_global_capture()
