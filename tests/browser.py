"""Chromium without a window, driven through its pipes: tests open pages of files as readers do."""

import fcntl
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """A tab.

    Args:
        requests: file descriptor for requests of the DevTools protocol, each ended by a NUL character.
        answers: file descriptor of its answers and events.
    """

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers = requests, os.fdopen(answers, "rb")
        self._ids = itertools.count(1)
        self._session: dict[str, str] = {}
        self._events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def open(self, address: str, *, width: int = 1400, dark: bool = False) -> None:
        """Load a page in a window of some width, in CSS pixels."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        for page in ("about:blank", address):  # else another fragment of the same page would not be loaded
            self._events.clear()
            self._call("Page.navigate", url=page)
            while "Page.loadEventFired" not in [event.get("method") for event in self._events]:
                self._events.append(self._message())

    def value(self, expression: str) -> Any:
        """The value of an expression, once its promise is kept."""
        found = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def shown(self, selector: str) -> str:
        """The text of the first element that a selector matches, once there is one."""
        wait = (
            "const wait = () => { const found = document.querySelector(selector); found ? resolve(found.innerText) : "
        )
        wait += "setTimeout(wait, 20); }; wait();"
        text: str = self.value(f"new Promise((resolve) => {{ const selector = {json.dumps(selector)}; {wait} }})")
        return text

    def errors(self) -> list[str]:
        """What the console says since the page was opened."""
        self.value("1")
        told = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self._events if event.get("method") in told]

    def _call(self, method: str, **parameters: Any) -> Any:
        number = next(self._ids)
        request = {"id": number, "method": method, "params": parameters, **self._session}
        os.write(self._requests, json.dumps(request).encode() + b"\0")
        while (message := self._message()).get("id") != number:
            self._events.append(message)
        return message["result"]

    def _message(self) -> dict[str, Any]:
        text = b"".join(iter(lambda: self._answers.read(1), b"\0"))
        message: dict[str, Any] = json.loads(text)
        return message


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with a new profile, which ends with the block."""
    assert CHROMIUM is not None, "install chromium"
    (from_us, requests), (answers, to_us) = os.pipe(), os.pipe()
    theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (from_us, to_us)]
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    shell = 'exec "$@" 3<&{} 4>&{}'.format(*theirs)  # the browser expects its pipes at 3 and 4
    process = subprocess.Popen(
        ["bash", "-c", shell, "bash", CHROMIUM, *flags], pass_fds=theirs, stderr=subprocess.DEVNULL
    )
    try:
        yield Browser(requests, answers)
    finally:
        process.terminate()
        process.wait()
        for end in (from_us, requests, to_us, *theirs):
            os.close(end)
