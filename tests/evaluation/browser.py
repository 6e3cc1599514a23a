"""A headless Chromium, spoken to in its DevTools protocol over its own pipes: no driver, no port.

The page's security policy forbids scripts, and the protocol's `evaluate` is not bound by it, so the
page is looked at exactly as it is delivered.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"),
)
# The browser reads its descriptor 3 and writes 4; what it prints itself goes elsewhere.
_SHELL = 'exec "$@" 3<&0 4>&1 </dev/null >&2'


def find_browser() -> str | None:
    """Return the path of an installed browser that this can talk to."""
    chosen = os.environ.get("BRIDGERAG_BROWSER")
    return chosen or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def open_page(browser: str, folder: Path):
    """Yield a page of a browser that keeps its things in ``folder``; both end with the block."""
    command = [browser, *_FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(
        ["sh", "-c", _SHELL, "sh", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Page(process)
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


class Page:
    """One tab. `problems` collects what the console and the browser's log complained of."""

    def __init__(self, process: subprocess.Popen, timeout_s: float = 30.0) -> None:
        self._in, self._out = process.stdin, process.stdout.fileno()
        self._timeout_s, self._buffer, self._last = timeout_s, b"", 0
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def show(self, path: Path, width: int, height: int, *, dark: bool = False) -> None:
        """Load a file at a size of the window, and wait until it is drawn."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Page.navigate", url=path.as_uri())
        self._until(lambda message: message.get("method") == "Page.loadEventFired")
        self.evaluate("document.fonts.ready.then(() => 1)")

    def evaluate(self, expression: str):
        """Return the value of a JavaScript expression; a promise is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """Write a PNG of the whole page, however long."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def call(self, method: str, **parameters):
        """Send one command and return its result."""
        self._last += 1
        form = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            form["sessionId"] = self._session
        self._in.write(json.dumps(form).encode() + b"\0")
        self._in.flush()
        answer = self._until(lambda message: message.get("id") == self._last)
        assert "result" in answer, answer
        return answer["result"]

    def _until(self, wanted):
        while True:
            message = self._read()
            self._note(message)
            if wanted(message):
                return message

    def _read(self):
        limit = time.monotonic() + self._timeout_s
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out], [], [], max(0.0, limit - time.monotonic()))
            assert ready, f"the browser said nothing for {self._timeout_s:.0f} s"
            part = os.read(self._out, 1 << 16)
            assert part, "the browser has ended"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def _note(self, message) -> None:
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(told["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(str(told["args"]))
        elif method == "Log.entryAdded":
            self.problems.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
