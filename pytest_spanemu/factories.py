"""More fixtures like the plugin's own, configured differently: a second database, a shared one, one
with everything that another one has; an emulator with other limits or another time.

from pytest_spanemu import factories

ledger_database = factories.database(schema=["ledger/migrations"], isolation="clone")
full_database = factories.database(seeds="many/", depends_on="spanner_template")
old_emulator = factories.emulator(start_time="2020-06-01T00:00:00Z")

def test_transfer(spanner_database, ledger_database): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack
from weakref import WeakKeyDictionary

import pytest

from pytest_spanemu.requested_options import TemplateSpec, parse_requested_options
from pytest_spanemu.run import run_of

if TYPE_CHECKING:
    from spanemu.config import ConfigChanges

Scope = Literal["function", "class", "module", "package", "session"]
Words = str | Sequence[str]

__all__ = ["database", "emulator"]

TEMPLATE = "spanner_template"
_SPECS: WeakKeyDictionary[Any, TemplateSpec] = WeakKeyDictionary()  # of the fixtures made here


class DatabaseOptions(TypedDict, total=False):
    """What `database` takes besides a scope."""

    schema: Words
    seeds: Words
    isolation: str | None
    fill: Callable[[Any], object] | None
    depends_on: Any
    emulator: str


def database(*, scope: Scope = "function", **options: Unpack[DatabaseOptions]) -> Any:
    """A fixture that gives a `Database` of its own.

    schema, seeds    sources as in the settings; of what is not said the run's, but no seeds where
                     the schema is another one
    isolation        as in the settings
    fill             `fill(factory)` adds rows to the template, with a `SpannerFactory`
    depends_on       another fixture that this function made, whose schema and rows come first; or
                     "spanner_template", for the schema and seeds of the run (not for what a
                     fixture of that name adds). Schema and seeds are then only those that are said
    emulator         name of the fixture whose emulator it is in (default: spanner_emulator)
    scope            with a wider one the tests in it share the database
    """
    base = _base(options.get("depends_on"))
    unsaid = None if base is None else ()
    given: dict[str, Any] = {name: options.get(name, unsaid) for name in ("schema", "seeds")}
    given["isolation"] = options.get("isolation")
    requested = parse_requested_options(given, "factories.database")
    spec = TemplateSpec(requested.schema, requested.seeds, options.get("fill"), base)
    emulator_name = options.get("emulator", "spanner_emulator")

    @pytest.fixture(scope=scope)
    def database_fixture(request: pytest.FixtureRequest) -> Iterator[Any]:
        """The official client's `Database`, as the project's `factories.database` says."""
        run, test = run_of(request.config), request.node.nodeid
        own_schema = partial(request.getfixturevalue, "spanner_schema")
        found = request.getfixturevalue(emulator_name)
        template = run.templates.special(found, spec, own_schema)
        with run.allocator.allocate(template, requested.isolation, test) as observation:
            yield observation.handle.client()
        run.allocator.finish(request.node, {})

    _SPECS[database_fixture] = spec
    return database_fixture


def emulator(**changes: Unpack[ConfigChanges]) -> Any:
    """A fixture of the session that gives another emulator in this process.

    Whatever the run's target is: one with other `limits`, another `start_time` or `seed`, ... as
    `spanemu.Emulator` takes them. `factories.database(emulator="NAME")` makes databases in it.
    """

    @pytest.fixture(scope="session")
    def emulator_fixture(pytestconfig: pytest.Config) -> Iterator[Any]:
        """An emulator in this process, as the project's `factories.emulator` says."""
        with run_of(pytestconfig).another_emulator(**changes) as found:
            yield found

    return emulator_fixture


def _base(depends_on: Any) -> TemplateSpec | None:
    if depends_on is None:
        return None
    if depends_on == TEMPLATE:
        return TemplateSpec()
    try:
        return _SPECS[depends_on]
    except (KeyError, TypeError):
        raise pytest.UsageError(
            f"factories.database: depends_on={depends_on!r} is neither {TEMPLATE!r} nor a fixture "
            "that factories.database has made."
        ) from None
