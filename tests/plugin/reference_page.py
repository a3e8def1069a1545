"""A generator of docs/reference from the code: `python -m tests.plugin.reference_page`."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

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
PAGES = ROOT / "docs" / "reference"
WIDTH = 100  # characters in a line of a page
INDEX = """# Reference

Generated from the code by `python -m tests.plugin.reference_page`.
[The pytest plugin](../plugin.md) explains the terms, [Rules](../lint-rules.md) lists the rules of
the linter, and [Python API](../api/index.md) what programs import.
"""
# The classes behind the fixtures, by page.
ASSERTIONS = (
    ("`spanner_assert`", SpannerAssert),
    ("Assertions of `spanner_assert`", Check),
    ("`spanner_assert.plan(sql)`", PlanCheck),
)
ROWS = (
    ("`spanner_factory`", SpannerFactory),
    ("`spanner_factory.TABLE`", TableFactory),
    ("`spanner_snapshot`", SpannerSnapshot),
    ("`spanner_migrator`", SpannerMigrator),
)
SPLITS = (
    ("`hotspots`", HotspotsHandle),
    ("`hotspots.watch()`", Watch),
    ("`spanner_splits`", SplitsHandle),
)
SERVER = (
    ("`spanner_change_streams`", ChangeStreamsHandle),
    ("`spanner_change_streams[NAME]`", ChangeStreamHandle),
    ("`spanner_faults`", Faults),
    ("`spanner_models`, `emulator.models`", EmbeddedModels),
    ("`spanner_clock`", EmulatorClock),
    ("`emulator.request_log`", RequestLog),
)
# Methods that the plugin and the emulator call, and tests do not.
INTERNAL = set(
    "attach_to fail_for_unused_checks check_hotspot_rule register "
    "pause stop start finish add states time advance_by auto_by".split()
)
# The declarations of the control operations, in the order of the page.
INTERFACES = (
    ("Emulator", EmulatorControl),
    ("Databases", DatabaseControl),
    ("Clock", EmulatorClock),
    ("Faults", Faults),
    ("A fault", Fault),
    ("Models", ModelControl),
    ("A recording", Recorder),
    ("Recordings", RecordingSource),
    ("Hotspots", HotspotsHandle),
    ("A watch for hotspots", Watch),
    ("Splits", SplitsHandle),
    ("Explorations", ExplorationsControl),
    ("An exploration", ExplorationHandle),
    ("Snapshots", SnapshotList),
    ("Dump and load", TransferControl),
    ("Change streams", ChangeStreamControl),
    ("Log of requests", RequestLog),
    ("Save", SavingControl),
)
SETTINGS = """Each item names the setting in the ini file, the flag of pytest, and the variables of the
environment.
"""
OPERATIONS = """The paths are below `/spanemu/v1/` of the REST port ([control API](../how-to/control-api.md));
names in JSON are in camel case, `fullScans`. The names are those of the RPCs of the service
`spanemu.v1.Control` ([control](../architecture/control.md)). An argument with `=` is optional.
"""
# The pages of the command line: name -> title, and its subcommands. The last has all the others.
COMMAND_PAGES = {
    "command-serve": ("`spanemu serve`", ("serve",)),
    "command-data": ("Data on the command line", ("sql", "dump", "load", "save")),
    "command-schema": ("Schemas on the command line", ("ddl", "lint", "layout")),
    "command-server": ("Environment and health on the command line", ()),
}


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    bodies: dict[str, tuple[str, Iterator[str]]] = {
        "fixtures": ("Fixtures", fixtures()),
        "markers": ("Markers and hooks", chain(markers(), hooks())),
        "settings": ("Settings", settings()),
        "assertions": ("Assertions", classes(ASSERTIONS)),
        "rows": ("Rows, snapshots and migrations", classes(ROWS)),
        "splits": ("Hotspots and splits", classes(SPLITS)),
        "server": ("Change streams, faults, models and clock", classes(SERVER)),
        "control-operations": ("Control operations", operations()),
        "command-line": ("Command line", commands()),
    }
    for name, (title, names) in COMMAND_PAGES.items():
        bodies[name] = (title, command_options(names))
    texts = {"index": index({name: title for name, (title, _) in bodies.items()})}
    for name, (title, body) in bodies.items():
        texts[name] = "\n".join([f"# {title}", "", *body]).rstrip() + "\n"
    return {f"{name}.md": text for name, text in texts.items()}


def index(titles: dict[str, str]) -> str:
    """Return the page that links to the others."""
    links = [f"- [{title}]({name}.md)" for name, title in titles.items()]
    return "\n".join([INDEX, *links, "", "```{toctree}", ":hidden:", "", *titles, "```", ""])


def item(head: str, text: str, example: str = "") -> str:
    """Return an item of a list in lines of `WIDTH` characters, with an example below."""
    lines = [""]
    # Code stays in one line; a dash begins no line, where it would begin a list.
    for word in re.findall(r"(?:`[^`]*`|\S)+(?: [-+*=%](?=\s))?", f"- {head}: {text}"):
        if len(lines[-1]) + 1 + len(word) > WIDTH and lines[-1]:
            lines.append(" ")
        lines[-1] += f" {word}" if lines[-1] else word
    if example:
        example = re.sub(r": \.\.\.$", ":\n    ...", example, flags=re.MULTILINE)
        lines += ["", "  ```python", *(f"  {line}" for line in example.splitlines()), "  ```", ""]
    return "\n".join(lines)


def fixtures() -> Iterator[str]:
    """Yield the public fixtures, from their declarations."""
    for title, module in (
        ("Once in a session", session_fixtures),
        ("For each test", function_fixtures),
    ):
        yield f"## {title}\n"
        for node in ast.parse(inspect.getsource(module)).body:
            if _is_fixture(node):
                text, _, example = (ast.get_docstring(node) or "").partition("\n\nExample:\n")
                yield item(f"`{node.name}`", _line(text), inspect.cleandoc(example))
        yield ""


def _is_fixture(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return (
        isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and any("fixture" in ast.unparse(each) for each in node.decorator_list)
    )


def markers() -> Iterator[str]:
    """Yield the markers, with the texts of `pytest --markers`."""
    yield "## Markers\n"
    for text in MARKERS:
        call, _, meaning = text.partition(": ")
        yield item(f"`{call}`", _line(meaning))
    yield ""


def settings() -> Iterator[str]:
    """Yield the settings: the name in the ini file, the flag, the variables, the default."""
    yield SETTINGS
    for option in OPTIONS:
        words = "|".join(option.choices) or option.metavar or ""
        names = [] if option.is_switch else [option.key]
        names += [f"{option.flag} {words}".rstrip(), *option.variables]
        default = f" Default: `{option.default}`." if option.default else ""
        meaning = _line(option.help) if option.help else ""
        yield item(
            ", ".join(f"`{each}`" for each in names), f"{meaning}{'.' if default else ''}{default}"
        )


def classes(kinds: tuple[tuple[str, type], ...]) -> Iterator[str]:
    """Yield the public methods and properties of each class."""
    for title, kind in kinds:
        yield f"## {title}\n"
        for name, member in vars(kind).items():
            if name == "__call__" or (
                not name.startswith("_") and name not in INTERNAL and _is_documented(member)
            ):
                shown = "" if name == "__call__" else name
                yield item(f"`{shown}{_arguments(member)}`", _line(inspect.getdoc(member)))
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
    """Yield the hooks."""
    yield "\n## Hooks\n"
    for name, hook in vars(hookspecs).items():
        if name.startswith("pytest_"):
            yield item(f"`{name}{_arguments(hook)}`", _line(inspect.getdoc(hook)))


def operations() -> Iterator[str]:
    """Yield the control operations, from their declarations."""
    yield OPERATIONS
    for title, interface in INTERFACES:
        yield f"## {title}\n"
        for declared in operations_of(interface).values():
            route = route_of(interface, declared)
            head = [f"`{declared.name}`", f"`{route.http_method} {route.path}`"]
            given = ", ".join(_wire_arguments(declared, route.path))
            reply = _reply(declared)
            meaning = _line((inspect.getdoc(declared.function) or "").partition("\n\n")[0])
            meaning += f" Arguments: {given}." if given else ""
            meaning += f" Reply: {reply}." if reply else ""
            yield item(", ".join(head), meaning)
        yield ""


def commands() -> Iterator[str]:
    """Yield the subcommands, each with a link to its options."""
    for name, subcommand in sorted(COMMANDS.items()):
        anchor = "" if isinstance(command_named(name), click.Group) else f"#spanemu-{name}"
        yield item(f"[`spanemu {name}`]({_page_of(name)}.md{anchor})", _line(subcommand.summary))


def _page_of(name: str) -> str:
    """Return the page with the options of a subcommand."""
    return next(
        (page for page, (_, names) in COMMAND_PAGES.items() if name in names),
        list(COMMAND_PAGES)[-1],
    )


def command_options(names: tuple[str, ...]) -> Iterator[str]:
    """Yield the options of subcommands; those that no other page has, if none is named."""
    page = _page_of(*names[:1]) if names else list(COMMAND_PAGES)[-1]
    for name in names or sorted(each for each in COMMANDS if _page_of(each) == page):
        command = command_named(name)
        if isinstance(command, click.Group):
            for inner, subcommand in sorted(command.commands.items()):
                yield from _options(f"spanemu {name} {inner}", subcommand)
        else:
            yield from _options("" if len(names) == 1 else f"spanemu {name}", command)


def _options(title: str, command: click.Command) -> Iterator[str]:
    options = [
        each for each in command.params if isinstance(each, click.Option) and not each.hidden
    ]
    if not options:
        return
    if title:  # a page of one command has its name above
        yield f"## `{title}`\n"
    context = click.Context(command)
    for option in options:
        names = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
        value = "" if option.is_flag else f" `{option.make_metavar(context)}`"
        variables = [option.envvar] if isinstance(option.envvar, str) else option.envvar or []
        variable = ", ".join(f"`{name}`" for name in variables)
        shown = f"{names}{value}" + (f" ({variable})" if variable else "")
        yield item(shown, _line(option.help) if option.help else "")
    yield ""


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
    """Return a docstring as one line."""
    assert text, "what is public has a docstring"
    return re.sub(r"\s+", " ", text).strip()


def write() -> None:
    """Write the pages, and remove those that are no longer any."""
    PAGES.mkdir(exist_ok=True)
    written = pages()
    for path in PAGES.glob("*.md"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
