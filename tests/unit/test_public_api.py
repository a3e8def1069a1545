"""What `import spanemu` brings, and what it does not."""

import subprocess
import sys

import pytest

import spanemu

HEAVY = ("google", "grpc", "faker", "sortedcontainers", "spanemu.api.embedded")


def loaded_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    "statement", ["import spanemu", "import pytest_spanemu.plugin", "import spanemu.cli"]
)
def test_imports_are_cheap(statement, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    assert loaded_after(statement).isdisjoint(HEAVY)


def test_every_public_name_is_there():
    for name in spanemu.__all__:
        assert getattr(spanemu, name) is not None
    assert set(spanemu._HOMES) == set(spanemu.__all__) - {"__version__"}
    assert dir(spanemu) == sorted(spanemu.__all__)
    with pytest.raises(AttributeError):
        spanemu.nonsense  # noqa: B018
