"""A generator of docs/reference.md from the code: `python -m tests.plugin.reference_page`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from pytest_spanemu import fixtures as function_fixtures
from pytest_spanemu import hookspecs, session_fixtures
from pytest_spanemu.asserts.check import Check
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.asserts.spanner_assert import SpannerAssert
from pytest_spanemu.databases.snapshots import SpannerSnapshot
from pytest_spanemu.migrator import SpannerMigrator
from pytest_spanemu.options import OPTIONS
from pytest_spanemu.plugin import MARKERS
from pytest_spanemu.rows.factory import SpannerFactory, TableFactory
from spanemu import EmulatorClock, Faults
from spanemu.api.change_streams import ChangeStreamHandle, ChangeStreamsHandle
from spanemu.cli.commands import COMMANDS, command_named
from spanemu.control.change_streams import ChangeStreamControl
from spanemu.control.databases import DatabaseControl, SnapshotList, TransferControl
from spanemu.control.emulator import EmulatorControl, SavingControl
from spanemu.control.explorations import ExplorationHandle, ExplorationsControl
from spanemu.control.faults import Fault
from spanemu.control.hotspot_watch import Watch
from spanemu.control.hotspots import HotspotsHandle
from spanemu.control.models import EmbeddedModels, ModelControl
from spanemu.control.operation import Operation, operations_of
from spanemu.control.recording import Recorder, RecordingSource
from spanemu.control.request_log import RequestLog
from spanemu.control.splits import SplitsHandle
from spanemu.rest.control import route_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference.md"
HEAD = """# Reference

Generated from the code by `python -m tests.plugin.reference_page`. The [command line](#command-line) is at the end. [The pytest plugin](plugin.md) explains the
terms, and [Rules](lint-rules.md) lists the rules of the linter.
"""
CLASSES = (
    ("`spanner_assert`", SpannerAssert),
    ("Assertions of `spanner_assert`", Check),
    ("`spanner_assert.plan(sql)`", PlanCheck),
    ("`spanner_factory`", SpannerFactory),
    ("`spanner_factory.TABLE`", TableFactory),
    ("`hotspots`", HotspotsHandle),
    ("`hotspots.watch()`", Watch),
    ("`spanner_splits`", SplitsHandle),
    ("`spanner_change_streams`", ChangeStreamsHandle),
    ("`spanner_change_streams[NAME]`", ChangeStreamHandle),
    ("`spanner_faults`", Faults),
    ("`spanner_models`, `emulator.models`", EmbeddedModels),
    ("`spanner_clock`", EmulatorClock),
    ("`emulator.request_log`", RequestLog),
    ("`spanner_snapshot`", SpannerSnapshot),
    ("`spanner_migrator`", SpannerMigrator),
)
# Methods that the plugin and the emulator call, and tests do not.
INTERNAL = set(
    "attach_to fail_for_unused_checks check_hotspot_rule register "
    "pause stop start finish add states time advance_by auto_by".split()
)
# The declarations of the control operations, in the order of the page.
INTERFACES = (
    EmulatorControl,
    DatabaseControl,
    EmulatorClock,
    Faults,
    Fault,
    ModelControl,
    Recorder,
    RecordingSource,
    HotspotsHandle,
    Watch,
    SplitsHandle,
    ExplorationsControl,
    ExplorationHandle,
    SnapshotList,
    TransferControl,
    ChangeStreamControl,
    RequestLog,
    SavingControl,
)


def page() -> str:
    """Return the text of the page."""
    return (
        "\n".join(
            [
                *(HEAD, *fixtures(), *markers(), *settings(), *classes(), *hooks()),
                *(*operations(), *commands()),
            ]
        )
        + "\n"
    )


def fixtures() -> Iterator[str]:
    """Yield the table of the public fixtures, from their declarations."""
    yield "## Fixtures\n\n| fixture | scope | gives |\n|---|---|---|"
    for module in (session_fixtures, function_fixtures):
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                scope = _scope(node)
                if scope:
                    yield f"| `{node.name}` | {scope} | {_with_example(ast.get_docstring(node))} |"
    yield ""


def _scope(node: ast.FunctionDef) -> str:
    for item in node.decorator_list:
        if isinstance(item, ast.Attribute) and item.attr == "fixture":
            return "function"
        if isinstance(item, ast.Call) and getattr(item.func, "attr", "") == "fixture":
            return next(
                (
                    str(ast.literal_eval(word.value))
                    for word in item.keywords
                    if word.arg == "scope"
                ),
                "function",
            )
    return ""


def markers() -> Iterator[str]:
    """Yield the table of the markers, with the texts of `pytest --markers`."""
    yield "## Markers\n\n| marker | meaning |\n|---|---|"
    for text in MARKERS:
        call, _, meaning = text.partition(": ")
        yield f"| `{call}` | {_line(meaning)} |"
    yield ""


def settings() -> Iterator[str]:
    """Yield the table of the settings."""
    yield "## Settings\n\n| ini file | command line | environment | default | meaning |\n|---|---|---|---|---|"
    for option in OPTIONS:
        words = "\\|".join(option.choices) or option.metavar or ""
        variables = ", ".join(f"`{name}`" for name in option.variables)
        default = f"`{option.default}`" if option.default else ""
        ini = f"`{option.key}`"
        flag = f"`{option.flag} {words}`".replace(" `", "`")
        if option.is_switch:
            ini = ""
        yield f"| {ini} | {flag} | {variables} | {default} | {_line(option.help) if option.help else ''} |"
    yield ""


def classes() -> Iterator[str]:
    """Yield a table of the public methods and properties of each class in `CLASSES`."""
    for title, kind in CLASSES:
        yield f"## {title}\n\n| | |\n|---|---|"
        for name, member in vars(kind).items():
            if name == "__call__" or (
                not name.startswith("_") and name not in INTERNAL and _is_documented(member)
            ):
                shown = "" if name == "__call__" else name
                yield f"| `{shown}{_arguments(member)}` | {_line(inspect.getdoc(member))} |"
        yield ""


def _is_documented(member: Any) -> bool:
    return inspect.isfunction(member) or isinstance(member, property)


def _arguments(member: Any) -> str:
    if isinstance(member, property):
        return ""
    given = [item for item in inspect.signature(member).parameters.values() if item.name != "self"]
    shown = []
    for item in given:
        stars = {item.VAR_KEYWORD: "**", item.VAR_POSITIONAL: "*"}.get(item.kind, "")
        is_optional = item.default is not item.empty or item.kind is item.KEYWORD_ONLY
        shown.append(f"{stars}{item.name}{'=' if is_optional and not stars else ''}")
    return f"({', '.join(shown)})"


def hooks() -> Iterator[str]:
    """Yield the table of the hooks."""
    yield "## Hooks\n\n| hook | meaning |\n|---|---|"
    for name, hook in vars(hookspecs).items():
        if name.startswith("pytest_"):
            yield f"| `{name}{_arguments(hook)}` | {_line(inspect.getdoc(hook))} |"


def _with_example(docstring: str | None) -> str:
    """Return a fixture's docstring for a table cell, its example as code."""
    text, _, example = (docstring or "").partition("\n\nExample:\n")
    lines = [f"`{line.strip()}`" for line in example.splitlines()]
    return "<br>".join([_line(text), *lines])


def operations() -> Iterator[str]:
    """Yield the table of the control operations, from their declarations."""
    yield "\n## Control operations\n\nThe paths are below `/spanemu/v1/` of the REST port ([control API](how-to/control-api.md)); names in JSON are in camel case,"
    yield "`fullScans`. The names are those of the RPCs of the service `spanemu.v1.Control` ([control](architecture/control.md)).\n"
    yield "| operation | HTTP | arguments | reply | meaning |\n|---|---|---|---|---|"
    for interface in INTERFACES:
        for declared in operations_of(interface).values():
            route = route_of(interface, declared)
            http = f"`{route.http_method} {route.path}`"
            arguments = ", ".join(_wire_arguments(declared, route.path))
            meaning = _line((inspect.getdoc(declared.function) or "").partition("\n\n")[0])
            yield f"| `{declared.name}` | {http} | {arguments} | {_reply(declared)} | {meaning} |"


def commands() -> Iterator[str]:
    """Yield the table of the subcommands, then the table of the options of each."""
    yield "\n## Command line\n\n| command | meaning |\n|---|---|"
    for name, subcommand in sorted(COMMANDS.items()):
        yield f"| `spanemu {name}` | {_line(subcommand.summary)} |"
    for name in sorted(COMMANDS):
        command = command_named(name)
        if isinstance(command, click.Group):
            for inner, item in sorted(command.commands.items()):
                yield from _options(f"spanemu {name} {inner}", item)
        else:
            yield from _options(f"spanemu {name}", command)


def _options(title: str, command: click.Command) -> Iterator[str]:
    options = [
        each for each in command.params if isinstance(each, click.Option) and not each.hidden
    ]
    if not options:
        return
    yield f"\n### `{title}`\n\n| option | environment | meaning |\n|---|---|---|"
    context = click.Context(command)
    for option in options:
        names = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
        value = "" if option.is_flag else f" `{option.make_metavar(context)}`"
        variables = [option.envvar] if isinstance(option.envvar, str) else option.envvar or []
        variable = ", ".join(f"`{name}`" for name in variables)
        shown = f"{names}{value}".replace("|", "\\|")
        meaning = _line(option.help) if option.help else ""
        yield f"| {shown} | {variable} | {meaning} |"


def _wire_arguments(declared: Operation, path: str) -> Iterator[str]:
    """Yield the arguments that the path does not contain."""
    for name, parameter in declared.parameters.items():
        if f"{{{name}}}" in path:
            continue
        yield f"`{name}`" if parameter.is_required else f"`{name}=`"


def _reply(declared: Operation) -> str:
    if declared.result:
        return f"`{declared.result}`"
    if declared.returns is type(None):
        return ""
    return ", ".join(f"`{each.name}`" for each in fields(declared.returns))


def _line(text: str | None) -> str:
    """Return a docstring as the text of a table cell."""
    assert text, "what is public has a docstring"
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
