"""One emulator for embedded clients and one for clients on a real port, the same tests on both."""

from itertools import count

import pytest

import spanemu
from tests.conformance.backends import BACKENDS, Backend
from tests.conformance.raw import Emulators
from tests.conformance.reference import official_emulator

_numbers = count(1)


@pytest.fixture(scope="session", params=["embedded", "port"])
def emulator(request):
    """Yield an emulator reached without sockets, then one reached through its port."""
    with spanemu.Emulator(embedded_channel=request.param == "embedded") as running:
        yield running


@pytest.fixture
def client(emulator):
    """Return the official client, in a project of the test's own."""
    return emulator.client(f"project-{next(_numbers)}")


@pytest.fixture
def config_name(client):
    """Return the instance config that every emulator has."""
    return f"{client.project_name}/instanceConfigs/emulator-config"


@pytest.fixture
def instance(client, config_name):
    """Return a fresh instance, as the official client's object."""
    created = client.instance("fresh", configuration_name=config_name, display_name="Fresh one")
    created.create().result(timeout=60)
    return created


@pytest.fixture
def database(instance):
    """Return a fresh, empty database, as the official client's object."""
    created = instance.database("fresh-db")
    created.create().result(timeout=60)
    return created


@pytest.fixture(
    scope="session", params=["spanemu", pytest.param("official", marks=pytest.mark.reference)]
)
def backend(request):
    """Yield where the tests of writes run: here, then on Google's emulator if it is installed."""
    with BACKENDS[request.param]() as client:
        yield Backend(client)


@pytest.fixture
def create(backend):
    """Yield a function from DDL statements to a fresh database."""
    with backend.databases() as made:
        yield made


@pytest.fixture(scope="session")
def our_databases():
    """Yield fresh databases of one embedded emulator."""
    with spanemu.Emulator() as emulator:
        yield Emulators(emulator.client(), emulator)


@pytest.fixture(scope="session")
def official_databases():
    """Yield fresh databases of Google's emulator; skips where it is not installed."""
    with official_emulator() as client:
        yield Emulators(client)


@pytest.fixture
def raw(request):
    """Yield a fresh database for raw requests; at Google's emulator when the test asks for it."""
    of = getattr(request, "param", "spanemu")
    name = "official_databases" if of == "official" else "our_databases"
    with request.getfixturevalue(name).database() as database:
        yield database


@pytest.fixture
def limited(request):
    """Yield a fresh database of an emulator with the limits of the test's parameter."""
    limits = spanemu.Limits(**request.param)
    with (
        spanemu.Emulator(limits=limits) as emulator,
        Emulators(emulator.client(), emulator).database() as database,
    ):
        yield database


@pytest.fixture
def session(raw):
    """Return a regular session."""
    return raw.session()


@pytest.fixture
def shared(raw):
    """Return a multiplexed session."""
    return raw.session(multiplexed=True)
