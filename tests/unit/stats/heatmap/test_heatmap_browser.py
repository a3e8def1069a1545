"""The heatmap's page in headless Chromium: it draws, it says what is under the pointer, no errors.

A script behind the page's own acts as a reader would and leaves what it saw in the document.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from spanemu.stats.heatmap.page import page
from spanemu.stats.heatmap.runs import figures
from tests.unit.stats.heatmap.test_heatmap import heatmap_of

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

BEFORE = "<script>window.problems = []; addEventListener('error', e => problems.push(e.message));</script>"
AFTER = """<pre id="seen"></pre><script>
const seen = { problems, width: canvas.width, height: canvas.height };
const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
function brightest(column) {
  let best = -1, at = -1;
  lines.filter(line => line.r >= 0).forEach(line => {
    const x = Math.floor((column + 0.5) * canvas.width / data.columns), at4 = 4 * ((line.y + 1) * canvas.width + x);
    const [r, g, b] = image.data.slice(at4, at4 + 3);
    if (r + g + b > best) { best = r + g + b; at = line.r; }
  });
  return at;
}
seen.brightest = [...Array(data.columns).keys()].map(brightest);
const box = canvas.getBoundingClientRect();
canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: box.left + 5, clientY: box.top + 30 }));
seen.tip = tip.hidden ? null : tip.textContent;
canvas.dispatchEvent(new MouseEvent("mouseleave"));
seen.gone = tip.hidden;
const before = canvas.toDataURL();
seen.metrics = [...metric.options].map(option => option.value);
seen.pictures = seen.metrics.map(name => {
  metric.value = name; metric.dispatchEvent(new Event("input"));
  return canvas.toDataURL();
}).map((url, place, all) => all.indexOf(url));
metric.value = "rows written"; metric.dispatchEvent(new Event("input"));
seen.back = before === canvas.toDataURL();
for (const box of [splits, servers, each]) {
  box.click();
  seen[box.id] = before !== canvas.toDataURL();
  box.click();
}
seen.undone = before === canvas.toDataURL();
only.value = "0"; only.dispatchEvent(new Event("input"));
seen.bands = new Set(lines.map(line => line.b)).size;
only.value = ""; only.dispatchEvent(new Event("input"));
for (const key of ["End", "ArrowDown", "ArrowLeft"]) canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
seen.said = said.textContent;
seen.cursor = cursor;
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
seen.left = [said.textContent, canvas.toDataURL() === before];
seen.rows = document.querySelectorAll("details tr").length;
seen.labelled = [...document.querySelectorAll("input, select")].every(control => control.labels.length === 1);
seen.runs = document.getElementById("runs").hidden;
if (runs.length > 1) {
  run.value = "1"; run.dispatchEvent(new Event("input"));
  seen.earlier = [canvas.toDataURL() !== before, data.bands[0].pattern, metric.value];
  run.value = "0"; run.dispatchEvent(new Event("input"));
  seen.earlier.push(canvas.toDataURL() === before);
}
seen.scheme = getComputedStyle(document.body).backgroundColor;
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>"""


def look(name: str, directory: Path, *flags: str, before: str = "") -> dict[str, Any]:
    earlier = figures(heatmap_of(before, overlay=True)) if before else None
    html = page(heatmap_of(name, overlay=True), [], [], before=earlier)
    file = directory / "heat.html"
    file.write_text(html.replace("<head>", "<head>" + BEFORE).replace("</body>", AFTER + "</body>"))
    assert CHROMIUM is not None
    run = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={directory / 'profile'}", "--window-size=1200,900", *flags, "--dump-dom",
         file.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert ":CONSOLE" not in run.stderr, run.stderr
    found = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


@pytest.fixture(scope="module")
def monotonic(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return look("sequence", tmp_path_factory.mktemp("monotonic"))


def test_a_monotonic_table_shows_a_diagonal(monotonic: dict[str, Any]) -> None:
    assert monotonic["problems"] == []
    assert monotonic["width"] > 300
    assert monotonic["height"] > 100
    assert monotonic["brightest"] == sorted(monotonic["brightest"])
    assert monotonic["brightest"][-1] > 50


def test_what_is_under_the_pointer_is_told(monotonic: dict[str, Any]) -> None:
    assert "rows written" in monotonic["tip"]
    assert monotonic["tip"].startswith("T(")
    assert "simulated: split" in monotonic["tip"]
    assert monotonic["gone"]


def test_metrics_and_what_lies_over_them(monotonic: dict[str, Any]) -> None:
    assert monotonic["metrics"] == [
        "rows written",
        "bytes written",
        "load of the split, % of a server (simulated)",
        "load of the server, % (simulated)",
    ]
    # Every row is as long as the others, so bytes look like rows; what is full, like what is full.
    assert monotonic["pictures"] == [0, 0, 2, 2]
    assert monotonic["back"]
    assert (monotonic["splits"], monotonic["servers"], monotonic["each"]) == (True, True, False)
    assert monotonic["undone"]
    assert monotonic["bands"] == 1


def test_the_keyboard_and_the_table(monotonic: dict[str, Any]) -> None:
    assert monotonic["said"].startswith("T(")
    assert monotonic["cursor"] == {"line": 2, "column": 118}
    assert monotonic["left"] == ["", True]
    assert monotonic["rows"] == 121
    assert monotonic["labelled"]


def test_random_keys_show_none(tmp_path: Path) -> None:
    seen = look("uuid4", tmp_path)
    assert seen["problems"] == []
    assert seen["brightest"] != sorted(seen["brightest"])


def test_two_runs(tmp_path: Path, monotonic: dict[str, Any]) -> None:
    seen = look("uuid4", tmp_path, before="sequence")
    assert seen["problems"] == []
    assert seen["earlier"] == [True, "Monotonically increasing keys", "rows written", True]
    assert (monotonic["runs"], seen["runs"]) == (True, False)


def test_in_the_dark(monotonic: dict[str, Any], tmp_path: Path) -> None:
    dark = look("sequence", tmp_path, "--blink-settings=preferredColorScheme=0")
    assert dark["problems"] == []
    assert {monotonic["scheme"], dark["scheme"]} == {"rgb(255, 255, 255)", "rgb(22, 22, 26)"}
