"""Golden tests of the pictures that the console draws of graphs, by Node without a page.

Input: an element a line. `Person 1 name=Ann` is a node with the key 1, `Sends 1 2` an edge from the
node 1 to the node 2, both with any number of properties.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.golden.runner import Case, file_id, golden_files, run_golden

SCRIPT = Path(__file__).parents[2] / "spanemu" / "console" / "script" / "graph.js"
NODE = shutil.which("node")
_PROGRAM = """
const text = ({ tag, attributes, inside }, depth = 0) => {
  const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`).join("");
  const lines = inside.map(each => typeof each === "string" ? each : text(each, depth + 1));
  const indent = "  ".repeat(depth), isPlain = inside.every(each => typeof each === "string");
  return isPlain ? `${indent}<${tag}${words}>${lines.join("")}</${tag}>` : [`${indent}<${tag}${words}>`, ...lines, `${indent}</${tag}>`].join("\\n");
};
const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { kinds, picture } = graphPicture(elementsOf([{ type: { code: "JSON" } }], value.map(each => [JSON.stringify(each)])));
console.log([`legend: ${kinds.join("; ")}`, text(picture)].join("\\n"));
"""

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(NODE is None, reason="Node is not installed"),
]


def picture(case: Case) -> str:
    """Return the legend and the SVG text of the elements."""
    elements = [_element(line) for line in case.input.splitlines()]
    assert NODE is not None
    program = SCRIPT.read_text(encoding="utf-8") + _PROGRAM
    done = subprocess.run(
        [NODE, "-e", program],
        input=json.dumps(elements),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def _element(line: str) -> dict[str, Any]:
    labels, *words = line.split()
    keys = [word for word in words if "=" not in word]
    properties = dict(word.split("=", 1) for word in words if "=" in word)
    common = {"identifier": line, "labels": labels.split("+"), "properties": properties}
    if len(keys) == 1:
        return common | {"identifier": keys[0], "kind": "node"}
    source, destination = keys
    ends = {"source_node_identifier": source, "destination_node_identifier": destination}
    return common | ends | {"kind": "edge"}


@pytest.mark.parametrize("path", golden_files("pictures"), ids=file_id)
def test_pictures(path: Path, rewrite: bool) -> None:
    run_golden(path, {"picture": picture}, rewrite=rewrite)
