"""Functions that create further fixtures: databases with other options, and emulators.

A database may have another schema, be shared by tests, or extend another database. An emulator may
have other limits or another start time.

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
from pytest_spanemu.run import current_run, run_of

if TYPE_CHECKING:
    from spanemu.config import ConfigChanges

Scope = Literal["function", "class", "module", "package", "session"]
Words = str | Sequence[str]

__all__ = ["database", "emulator"]

TEMPLATE = "spanner_template"
_SPECS: WeakKeyDictionary[Any, TemplateSpec] = (
    WeakKeyDictionary()
)  # of the fixtures that `database` returned


class DatabaseOptions(TypedDict, total=False):
    """The arguments of `database` besides the scope."""

    schema: Words
    seeds: Words
    dialect: str | None
    isolation: str | None
    fill: Callable[[Any], object] | None
    depends_on: Any
    emulator: str


def database(*, scope: Scope = "function", **options: Unpack[DatabaseOptions]) -> Any:
    """Return a fixture that provides the official client's `Database` for a further database.

    schema, seeds    sources as in the settings (default: those of the run; no seeds with a schema)
    dialect          as in the settings; a dialect other than the run's needs a schema
    isolation        as in the settings
    fill             `fill(factory)` adds rows to the template, by a `SpannerFactory`
    depends_on       a fixture that this function returned, whose schema and rows are built first;
                     or "spanner_template", for the schema and seeds of the run (without rows that
                     an overriding fixture adds). The defaults of schema and seeds are then empty
    emulator         name of the fixture with the emulator (default: spanner_emulator)
    scope            scope of the fixture; the tests of a wider scope share the database
    """
    base = _base(options.get("depends_on"))
    default = None if base is None else ()
    given: dict[str, Any] = {name: options.get(name, default) for name in ("schema", "seeds")}
    given |= {name: options.get(name) for name in ("dialect", "isolation")}
    requested = parse_requested_options(given, "factories.database")
    spec = TemplateSpec(
        requested.schema, requested.seeds, requested.dialect, options.get("fill"), base
    )
    emulator_name = options.get("emulator", "spanner_emulator")

    @pytest.fixture(scope=scope)
    def database_fixture(request: pytest.FixtureRequest) -> Iterator[Any]:
        """Provide the `Database` of the project's `factories.database`."""
        run, test = run_of(request.config), request.node.nodeid
        default_schema = partial(request.getfixturevalue, "spanner_schema")
        emulator = request.getfixturevalue(emulator_name)
        template = run.templates.for_spec(emulator, spec, default_schema)
        with run.allocator.allocate(template, requested.isolation, test) as observation:
            yield observation.handle.client()
        run.allocator.finish(request.node, {})

    _SPECS[database_fixture] = spec
    return database_fixture


def emulator(**changes: Unpack[ConfigChanges]) -> Any:
    """Return a session fixture that provides a further emulator in this process.

    The emulator is independent of the run's target. The arguments are those of `spanemu.Emulator`,
    such as `limits`, `start_time` and `seed`. `factories.database(emulator="NAME")` creates
    databases in the emulator of fixture NAME.
    """

    @pytest.fixture(scope="session")
    def emulator_fixture() -> Iterator[Any]:
        """Provide the emulator of the project's `factories.emulator`."""
        with current_run().another_emulator(**changes) as emulator:
            yield emulator

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
            "that factories.database returned."
        ) from None
