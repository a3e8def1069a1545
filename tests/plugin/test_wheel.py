"""What a newcomer installs: the wheel holds everything that a first test, a report and a lint need."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def wheel(tmp_path):
    """The wheel's content, in a directory of its own."""
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    if built.returncode:
        pytest.skip(f"pip builds no wheel here: {built.stderr.strip()[-300:]}")
    (file,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path / "wheel")
    return tmp_path / "wheel"


def test_a_three_line_test_file_is_all_it_takes(project, monkeypatch, wheel):
    monkeypatch.setenv("PYTHONPATH", str(wheel))
    result = project.run_apart(
        f"""
        def test_it(spanner_database):
            import pytest_spanemu, spanemu
            assert spanemu.__file__.startswith({str(wheel)!r})
            assert pytest_spanemu.__file__.startswith({str(wheel)!r})
            for n in range(40):
                with spanner_database.batch() as batch:
                    batch.insert("Orders", ["OrderId"], [[n]])
        """,
        "--spanner-schema=CREATE TABLE Orders (OrderId INT64) PRIMARY KEY (OrderId)",
        "--spanner-report=html:report.html",
        "--spanner-check",
    )
    assert result.parseoutcomes()["passed"] >= 2
    assert "failed" not in result.parseoutcomes()
    assert "MOVING_HOT_SPOT Orders(OrderId)" in (project.path / "report.html").read_text()
