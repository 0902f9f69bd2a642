"""A headless Chromium, driven over the pipe of its DevTools protocol: JSON messages, each ended by a NUL."""

import base64
import contextlib
import fcntl
import io
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import matplotlib.image

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_INSTALL_SECONDS = 120


def find_browser() -> tuple[str | None, str]:
    """The browser's path, or None and the reason; it is installed where that is allowed."""
    found = _on_path()
    if found is not None:
        return found, ""
    if os.name != "posix" or os.geteuid() != 0:
        return None, "no chromium here, and only root may install it"
    if shutil.which("apt-get") is None:
        return None, "no chromium here, and no apt-get to install it"
    if os.environ.get("SUPRA_NO_INSTALL"):
        return None, "no chromium here, and SUPRA_NO_INSTALL forbids to install it"
    command = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=_INSTALL_SECONDS, text=True
        )
    except subprocess.TimeoutExpired:
        return None, f"no chromium here, and apt-get did not install it within {_INSTALL_SECONDS} s"
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return _on_path(), f"no chromium here, and apt-get could not install it: {last}"


def _on_path() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One page of a browser that ends with the block.

    Attributes:
        errors: what the page complained about: exceptions, failed loads, messages of the console.
        requests: every address that was asked for, data URIs left out.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._buffer = b""
        self._next_id = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.requests: list[str] = []

    def __enter__(self) -> "Browser":
        self._profile = tempfile.mkdtemp(prefix="supra-browser-")
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        # Chromium reads from descriptor 3 and writes to 4; copies far above them are not in the way.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 64) for end in (to_browser, from_browser)]

        def pipes() -> None:
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        flags = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]
        flags += ["--disable-extensions", "--disable-background-networking", "--disable-sync"]
        flags += ["--remote-debugging-pipe", f"--user-data-dir={self._profile}", "--hide-scrollbars"]
        self._process = subprocess.Popen(
            [self._path, *flags, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=pipes,
            close_fds=False,
            start_new_session=True,
        )
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            os.close(self._write)
        os.close(self._read)
        # The group that was started here, children included, and nothing else.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    # ── messages ───────────────────────────────────────────────────────────────────────────────────────────

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        self._next_id += 1
        message: dict[str, Any] = {"id": self._next_id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _receive(self, seconds: float = 120.0) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self._read, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(line)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        self._events.append(event)
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(params["args"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith("data:"):
            self.requests.append(params["request"]["url"])

    # ── what a user does ───────────────────────────────────────────────────────────────────────────────────

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file, at a place, and wait until it is loaded."""
        address = path.resolve().as_uri() + (f"#{fragment}" if fragment else "")
        for url in ("about:blank", address):  # from a page to another place of itself nothing is loaded
            self._events.clear()
            self.call("Page.navigate", url=url)
            while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
                self._note(self._receive())

    def save_to(self, folder: Path) -> None:
        """Where files go that the page saves."""
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def saved(self, path: Path, seconds: float = 20.0) -> str:
        """The text of a file that the page saves, as soon as it is there."""
        end = time.monotonic() + seconds
        while not path.exists() and time.monotonic() < end:
            self.js("new Promise((done) => setTimeout(done, 50))")
        return path.read_bytes().decode("utf-8")

    def js(self, expression: str) -> Any:
        """The value of an expression on the page; promises are waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def press(self, key: str, *, text: str = "", modifiers: int = 0) -> None:
        """A key, down and up, as from a keyboard."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}
        text = text or {"Enter": "\r", " ": " "}.get(key, "")
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0), "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self.call("Input.insertText", text=text)

    def resize(self, width: int, height: int, *, mobile: bool = False) -> None:
        """The size of the window, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def prefer(self, scheme: str, media: str = "") -> None:
        """The system's colour scheme, and maybe the medium ``print``."""
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def colour_of(self, selector: str) -> tuple[float, float, float]:
        """Red, green and blue, 0 .. 1, in the middle of an element as it is drawn."""
        self.js(
            f"document.querySelector({selector!r}).scrollIntoView({{block: 'center', behavior: 'instant'}})"
        )
        middle = "(b => [b.left + b.width / 2 + scrollX, b.top + b.height / 2 + scrollY])"
        x, y = self.js(f"{middle}(document.querySelector({selector!r}).getBoundingClientRect())")
        clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
        answer = self.call("Page.captureScreenshot", format="png", clip=clip)
        red, green, blue = matplotlib.image.imread(io.BytesIO(base64.b64decode(answer["data"])))[0, 0, :3]
        return float(red), float(green), float(blue)

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
