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

from spanemu.stats.heatmap_page import page
from tests.unit.stats.test_heatmap import heatmap_of

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
metric.value = "rows deleted"; metric.dispatchEvent(new Event("input"));
seen.changed = before !== canvas.toDataURL();
metric.value = "rows written"; metric.dispatchEvent(new Event("input"));
seen.back = before === canvas.toDataURL();
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
seen.said = document.getElementById("said").textContent;
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>"""


def look(name: str, directory: Path) -> dict[str, Any]:
    html = page(heatmap_of(name), [], [])
    file = directory / "heat.html"
    file.write_text(html.replace("<head>", "<head>" + BEFORE).replace("</body>", AFTER + "</body>"))
    assert CHROMIUM is not None
    run = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--user-data-dir={directory / 'profile'}", "--window-size=1200,900", "--dump-dom",
         file.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert ":CONSOLE" not in run.stderr, run.stderr
    found = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


def test_a_monotonic_table(tmp_path: Path) -> None:
    seen = look("sequence", tmp_path)
    assert seen["problems"] == []
    assert seen["width"] > 300
    assert seen["height"] > 100
    assert seen["brightest"] == sorted(seen["brightest"])
    assert seen["brightest"][-1] > 50
    assert "rows written" in seen["tip"]
    assert seen["tip"].startswith("T(")
    assert seen["gone"]
    assert seen["changed"]
    assert seen["back"]
    assert seen["said"].startswith("T(")


def test_random_keys(tmp_path: Path) -> None:
    seen = look("uuid4", tmp_path)
    assert seen["problems"] == []
    assert seen["brightest"] != sorted(seen["brightest"])
