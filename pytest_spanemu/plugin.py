"""What pytest loads: hooks. Nothing of Spanner is imported before a fixture is used."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping
from typing import Any

import pytest

from pytest_spanemu import hookspecs
from pytest_spanemu.asserts.hotspots import record_failure
from pytest_spanemu.asserts.markers import check_budget, hotspot_rule_of
from pytest_spanemu.early_start import hint_for, start_before_conftests
from pytest_spanemu.marker_checks import (
    ABORT_EACH,
    abort_limit_of,
    check_markers,
    flakiness_of,
)
from pytest_spanemu.options import add_options
from pytest_spanemu.plain_import import PlainImport
from pytest_spanemu.requested_options import requested_options_of
from pytest_spanemu.run import run_of
from pytest_spanemu.setting_values import Start
from pytest_spanemu.targets.validated import Validations

pytest_plugins = ("pytest_spanemu.fixtures",)

ABORTED_COMMIT = "_spanner_aborted_commit"
_FIXTURES_OF_MARKERS = (
    ("spanner_budget", "spanner_assert"),
    ("spanner_hotspots", "spanner_assert"),
    ("spanner_faults", "spanner_faults"),
    (ABORT_EACH, ABORTED_COMMIT),
)
MARKERS = (
    "spanner(schema=, seeds=, isolation=, targets=): how a test's database is made; every test "
    "that uses a spanner_* fixture has it, for -m spanner",
    "spanner_budget(queries=, commits=, mutations=, aborts=, full_scans=, lock_waits=, hotspots=): "
    "limits for the test",
    'spanner_faults("abort commit nth=2", ...): failures on purpose, in the words of the fixture: '
    "VERB [RPC[:NTH]] [NAME=VALUE ...]",
    "spanner_flaky_on(target, reason): the test may fail on a target, and says why",
    "spanner_hotspots(qps=, nodes=, expect=, tables=, reasons=, min_writes=): judge where the "
    "test's writes concentrate",
    "spanner_abort_each(max=5): run the test clean, then with its 1st, 2nd, ... commit aborted",
)

_plain_import = PlainImport()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that others may implement. No hook of a plugin is called earlier."""
    pluginmanager.add_hookspecs(hookspecs)
    _plain_import.install()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare options and ini settings."""
    add_options(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Start the emulator first when module-level clients need it; hint at that when they fail."""
    start_before_conftests(early_config)
    try:
        return (yield)
    except Exception as failure:  # pytest's ConftestImportFailure, whose cause pytest shows
        if (hint := hint_for(early_config, failure)) is not None:
            getattr(failure, "cause", failure).add_note(f"\n{hint}")
        raise


def pytest_configure(config: pytest.Config) -> None:
    """Declare markers; start the emulator if the plugin was loaded too late to do it earlier."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    run = run_of(config)
    if config.pluginmanager.hasplugin("django"):
        _join_pytest_django(config)
    if not _is_worker(config):  # xdist's controller is shown every test's outcome
        if run.settings.report.names_files:
            config.pluginmanager.register(run.report.outcomes, "spanner_outcomes")
        validations = Validations(config.rootpath, run.settings)
        if validations.is_needed:
            config.pluginmanager.register(validations, "spanner_validated")
    if run.settings.compare and not _is_worker(config):
        from pytest_spanemu.report.ending import known_counts

        known_counts(run)  # before any test has run: there may be none
    if run.settings.start is Start.EAGER and not _is_controller(config):
        run.start_eagerly()


@pytest.hookimpl(tryfirst=True)  # before xdist starts its workers
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let no worker take the controller's emulator for one that somebody else has started."""
    if _is_controller(session.config):
        run_of(session.config).prepare_for_workers()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Give xdist's workers the controller's seed."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    node.workerinput["spanner_seed"] = run_of(config).settings.seed  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    """Take in what a worker of xdist has to tell; one that crashed has nothing."""
    found: Mapping[str, Any] = getattr(node, "workeroutput", {})
    run_of(node.config).report.merge(found.get("spanner", {}))  # type: ignore[attr-defined]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand a worker's figures to the controller; fail a run that counted too much."""
    run = run_of(session.config)
    if _is_worker(session.config):
        session.config.workeroutput["spanner"] = run.report.to_json()  # type: ignore[attr-defined]
    elif run.was_used and run.settings.compare:
        from pytest_spanemu.report.ending import is_too_much

        if is_too_much(run) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was started before collection."""
    run_of(config).stop()
    _plain_import.remove()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each commit to abort."""
    if metafunc.definition.get_closest_marker(ABORT_EACH) is None:
        return
    try:
        most = abort_limit_of(metafunc.definition)
    except pytest.UsageError:  # The clean run is set up, and fails for it.
        most = 0
    metafunc.fixturenames.append(ABORTED_COMMIT)
    metafunc.parametrize(
        ABORTED_COMMIT,
        range(most + 1),
        ids=["clean", *(f"abort@{number}" for number in range(1, most + 1))],
        indirect=True,
    )


@pytest.hookimpl(tryfirst=True)  # before -m deselects
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Mark every test whose fixtures lead to Spanner, so that `-m spanner` selects them."""
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
        with contextlib.suppress(pytest.UsageError):  # The set-up of the test fails for it.
            reason = flakiness_of(item).get(run_of(item.config).settings.target)
            if reason is not None:
                target = run_of(item.config).settings.target
                item.add_marker(pytest.mark.xfail(reason=f"on {target}: {reason}", strict=False))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Import what the tests will need, so that the first of them is not held up, nor timed out."""
    run_tests = not (session.config.option.collectonly or _is_controller(session.config))
    if run_tests and any(item.get_closest_marker("spanner") for item in session.items):
        run_of(session.config).warm_up()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test with a mistake in a marker; skip or fail one that asks for other targets."""
    check_markers(item)
    if item.get_closest_marker("spanner") is None:
        return
    run, requested = run_of(item.config), requested_options_of(item)
    if requested.targets is not None and run.settings.target not in requested.targets:
        run.refuse(f"for target {', '.join(requested.targets)}, not {run.settings.target}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Check budgets, and for assertions that the test has not used, within the test.

    Not by `pytest_pyfunc_call`, which the methods of a `unittest.TestCase` do not go through.
    """
    try:
        return (yield from _judged_call(item))
    except (AssertionError, pytest.fail.Exception) as problem:
        record_failure(item, problem)
        raise


def _judged_call(item: pytest.Item) -> Generator[None, object, object]:
    result = yield
    asserts: Any = getattr(item, "funcargs", {}).get("spanner_assert")
    if asserts is not None:
        try:
            asserts.fail_for_unused_checks()
            check_budget(item, asserts)
            if (rule := hotspot_rule_of(item)) is not None:
                asserts.check_hotspot_rule(rule)
        except AssertionError as problem:  # whose traceback leads to nobody's code
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
    return result


def pytest_exception_interact(
    node: pytest.Item | pytest.Collector,
    call: pytest.CallInfo[object],
    report: pytest.CollectReport | pytest.TestReport,
) -> None:
    """Hint at a setting when an import failed; halt in a failed test while its data is there."""
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
    """What the tests did and what set-up cost; silent if no test used Spanner."""
    run = run_of(config)
    if not (run.was_used or run.report.outcomes.has_failing_spanner):
        return
    from pytest_spanemu.report.ending import lines, write_files

    is_brief = config.get_verbosity() < 0
    if run.settings.report.table_rows and not is_brief:
        terminalreporter.write_sep("=", "spanner")
    for line in filter(None, lines(run, is_brief=is_brief)):
        terminalreporter.write_line(line)
    write_files(config, run)


@pytest.hookimpl(optionalhook=True)  # of pytest-html
def pytest_html_results_summary(prefix: list[str], session: pytest.Session) -> None:
    """Add the report to the page of pytest-html."""
    run = run_of(session.config)
    if run.was_used:
        from pytest_spanemu.report.pytest_html import section

        prefix.append(section(run, session.config.getoption("htmlpath", None)))


def _join_pytest_django(config: pytest.Config) -> None:
    """Give pytest-django the databases of this run, when the schema is Django's."""
    from pytest_spanemu.django import pytest_django

    if any(source.startswith(pytest_django.SOURCE) for source in run_of(config).settings.schema):
        config.pluginmanager.register(pytest_django, "spanner_django")


def _is_controller(config: pytest.Config) -> bool:
    """Whether xdist's workers run the tests, and this process none."""
    has_workers = config.getoption("numprocesses", None) or config.getoption("dist", "no") != "no"
    return bool(has_workers) and not _is_worker(config)


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
