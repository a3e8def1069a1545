"""Bytecode that the workers of xdist share."""

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

import pytest_spanemu.bytecode
from pytest_spanemu.bytecode import PREFIX_VARIABLE, modules_imported_by, shared_bytecode

MODULES = {
    "alpha/__init__.py": "import beta, gamma as g  # delta\nfrom .inner import (\n  Name,\n  deep,\n)\n",
    "alpha/inner/__init__.py": "from .. import sibling\nif True:\n    import delta\n",
    "alpha/inner/deep.py": "from ..sibling import Name as Other\nimport space.within\n",
    "alpha/sibling.py": "Name = 1\n",
    "beta.py": "def f():\n    import delta\n",
    "gamma.py": "from missing import nothing\nprint 'of another version'\n",
    "delta.py": "",
    "space/within.py": "",
}
SUITE = """
import sys
from importlib.util import cache_from_source
from pathlib import Path

def test_it(spanner_database):
    import google.cloud.spanner_v1 as client
    assert sys.dont_write_bytecode
    compiled = Path(cache_from_source(client.__file__)).exists()
    Path("found.txt").write_text(f"{sys.pycache_prefix}\\n{compiled}")
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory of modules that import each other, none of them compiled."""
    directory = tmp_path / "modules"
    for name, text in MODULES.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(directory)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    monkeypatch.setattr(pytest_spanemu.bytecode, "FIRST_IMPORTS", ("alpha",))
    monkeypatch.setattr(pytest_spanemu.bytecode, "_SIGNS", ("alpha",))
    return directory


def compiled(modules: Path) -> set[str]:
    return {name for name in MODULES if Path(cache_from_source(str(modules / name))).exists()}


def test_imports_at_the_beginning_of_lines_are_followed(modules: Path) -> None:
    result = modules_imported_by(["alpha"])
    assert set(result) == {
        "alpha", "alpha.inner", "alpha.inner.deep", "alpha.sibling", "beta", "gamma",
        "space.within",
    }  # fmt: skip
    assert result["alpha"] == str(modules / "alpha" / "__init__.py")
    assert modules_imported_by(["absent", "absent.module"]) == {}


def test_what_has_no_bytecode_is_compiled_to_its_usual_place(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with shared_bytecode() as variables:
        assert not variables
    assert compiled(modules) == MODULES.keys() - {"gamma.py", "delta.py"}

    (modules / "beta.py").write_text("changed = True\n")
    Path(cache_from_source(str(modules / "beta.py"))).unlink()
    with shared_bytecode():
        pass
    assert "beta.py" not in compiled(modules)  # because alpha has bytecode


def test_bytecode_is_not_written_where_python_may_not(
    modules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with shared_bytecode() as variables:
        directory = Path(variables[PREFIX_VARIABLE])
        assert list(directory.rglob("beta.*.pyc"))
    assert not directory.exists()
    assert not compiled(modules)


@pytest.mark.parametrize(("setting", "expected"), [("shared", True), ("own", False)])
def test_workers_find_the_bytecode(music, monkeypatch, tmp_path, setting, expected):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv(PREFIX_VARIABLE, str(tmp_path / "empty"))
    music.run_apart(SUITE, "-n", "2", f"--spanner-bytecode={setting}").assert_outcomes(passed=1)
    prefix, is_compiled = (music.path / "found.txt").read_text().splitlines()
    assert is_compiled == str(expected)
    assert (prefix != str(tmp_path / "empty")) is expected
    assert not Path(prefix).exists()
