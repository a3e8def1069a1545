"""Chromium without a screen, driven by the WebDriver protocol: what a person sees and does."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
SECONDS_MAX = 60.0  # for anything that is waited for
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "Control": "\ue009",
    "ArrowDown": "\ue015",
}


class Browser:
    """One window of Chromium; elements are found by CSS selectors, and by their visible names."""

    def __init__(self, folder: Path, width: int = 1280, height: int = 900) -> None:
        log = folder / "driver.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [DRIVER, "--port=0"], stdout=output, stderr=subprocess.STDOUT
            )
        self._uri = ""
        try:
            self._uri = f"http://127.0.0.1:{_port_of(log, self._process)}"
            args = [
                "--headless",
                "--hide-scrollbars",
                "--disable-dev-shm-usage",  # which is small in containers
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={folder / 'profile'}",
                f"--window-size={width},{height}",
            ]
            expected = {
                "goog:chromeOptions": {"args": args, "binary": CHROMIUM},
                "goog:loggingPrefs": {"browser": "ALL"},
            }
            self._session = self._call(
                "POST", "/session", {"capabilities": {"alwaysMatch": expected}}
            )["sessionId"]
        except BaseException:
            self._process.kill()
            self._process.wait(10)
            raise

    def close(self) -> None:
        """End the browser."""
        try:
            self._call("DELETE", f"/session/{self._session}")
        finally:
            self._process.terminate()
            self._process.wait(10)

    def open(self, uri: str) -> None:
        """Load a page in the window, which may stand behind another that a page has opened.

        A hidden page of the console would ask for nothing.
        """
        self.devtools("Page.bringToFront")
        self._in("POST", "/url", {"url": uri})

    def run(self, script: str, *args: Any) -> Any:
        """Return what a function body returns in the page."""
        return self._in("POST", "/execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script: str, *args: Any) -> Any:
        """Return what a script passes to its last argument."""
        return self._in("POST", "/execute/async", {"script": script, "args": list(args)})

    def devtools(self, command: str, **params: Any) -> Any:
        """Return the reply to a command of Chromium's developer tools."""
        return self._in("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def until(self, script: str, *args: Any) -> Any:
        """Wait until an expression is true in the page, and return its value."""
        end = time.monotonic() + SECONDS_MAX
        while not (result := self.run(f"return {script}", *args)):
            if time.monotonic() > end:
                text = self.run("return document.body.innerText")
                raise AssertionError(f"{script} {args} did not become true; the page:\n{text}")
            time.sleep(0.02)
        return result

    def see(self, text: str) -> None:
        """Wait until the page shows a text."""
        self.until("document.body.innerText.includes(arguments[0])", text)

    def element(self, selector: str) -> str:
        """Return the first visible element of a selector, when there is one."""
        found = self.until(
            "[...document.querySelectorAll(arguments[0])].find(each => each.checkVisibility() && !each.disabled)",
            selector,
        )
        return found[_ELEMENT]

    def click(self, selector: str) -> None:
        """Click the first visible element of a selector, in the middle of the screen."""
        element = self.element(selector)
        self.run("arguments[0].scrollIntoView({ block: 'center' })", {_ELEMENT: element})
        self._in("POST", f"/element/{element}/click", {})

    def press(self, name: str) -> None:
        """Click the button or link with a visible name or label."""
        script = """[...document.querySelectorAll("button, a, summary")].find(each => each.checkVisibility() && !each.disabled
            && (each.getAttribute("aria-label") ?? each.textContent).trim() === arguments[0] && !(document.querySelector("dialog") && !each.closest("dialog")))"""
        found = self.until(script, name)
        self._in("POST", f"/element/{found[_ELEMENT]}/click", {})

    def type(self, selector: str, text: str) -> None:
        """Replace the text of an input."""
        element = self.element(selector)
        self._in("POST", f"/element/{element}/clear", {})
        self._in("POST", f"/element/{element}/value", {"text": text})

    def keys(self, *names: str) -> None:
        """Press keys, all of them at once."""
        codes = [_KEYS.get(name, name) for name in names]
        actions = [{"type": "keyDown", "value": code} for code in codes] + [
            {"type": "keyUp", "value": code} for code in reversed(codes)
        ]
        self._in(
            "POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def resize(self, width: int, height: int) -> None:
        """Give the page another size."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def scheme(self, name: str) -> None:
        """Select "light" or "dark", without transitions between them."""
        wanted = {"prefers-color-scheme": name, "prefers-reduced-motion": "reduce"}
        features = [{"name": each, "value": value} for each, value in wanted.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def log(self) -> list[str]:
        """Return the messages of the browser's console since the last call."""
        return [entry["message"] for entry in self._in("POST", "/se/log", {"type": "browser"})]

    def picture(self, path: Path) -> None:
        """Save what the window shows."""
        path.write_bytes(base64.b64decode(self._in("GET", "/screenshot")))

    def picture_of(self, selector: str, path: Path, margin: int = 16) -> None:
        """Save the first visible element of a selector, with a margin."""
        script = """const box = arguments[0].getBoundingClientRect(), margin = arguments[1];
            return { x: box.x + scrollX - margin, y: box.y + scrollY - margin,
                     width: box.width + 2 * margin, height: box.height + 2 * margin, scale: 1 }"""
        clip = self.run(script, {_ELEMENT: self.element(selector)}, margin)
        shot = self.devtools("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def _in(self, method: str, path: str, body: Any = None) -> Any:
        return self._call(method, f"/session/{self._session}{path}", body)

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._uri + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None


def _port_of(log: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end and process.poll() is None:
        result = re.search(r"started successfully on port (\d+)", log.read_text())
        if result:
            return int(result[1])
        time.sleep(0.02)
    raise AssertionError(f"chromedriver did not start: {log.read_text()}")
