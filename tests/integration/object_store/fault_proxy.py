"""A proxy between us and an S3 server that lets single requests go wrong."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "expect"}
TRICKLE_PIECES, TRICKLE_PAUSE = 10, 0.02


class FaultProxy:
    """What goes wrong next, and what was asked.

    Args:
        endpoint: address of the server behind.
    """

    def __init__(self, endpoint: str) -> None:
        parts = urlsplit(endpoint)
        assert parts.hostname is not None
        self.behind = (parts.hostname, parts.port or 80)
        self.requests: list[str] = []
        self.keys_listed = 0
        self._refused: tuple[str, int, str] | None = None
        self._faults: list[tuple[str, str, Callable[[_Handler], None]]] = []
        self._numbered: dict[int, Callable[[_Handler], None]] = {}
        self._lock = threading.Lock()

    def next(self, fault: str, method: str, within: str = "") -> None:
        """Let the next request of a method, to a path that holds a text, go wrong."""
        self._faults.append((method, within, FAULTS[fault]))

    def at(self, fault: str, number: int) -> None:
        """Let a request go wrong, whatever it asks; the next one has the number 1."""
        with self._lock:
            self._numbered = {
                len(self.requests) + number: FAULTS.get(fault, lambda handler: handler.refuse(403, fault))
            }

    def forget(self) -> None:
        """Let nothing go wrong that has not happened."""
        with self._lock:
            self._numbered.clear()

    @contextmanager
    def full(self, status: int, code: str, within: str = "") -> Iterator[None]:
        """Refuse every write to a path that holds a text, as a server without space does."""
        self._refused = (within, status, code)
        yield
        self._refused = None

    @property
    def all_happened(self) -> bool:
        """Whether every fault has met its request."""
        return not self._faults and not self._numbered

    def take(self, method: str, path: str) -> Callable[[_Handler], None]:
        """What happens to a request."""
        with self._lock:
            self.requests.append(f"{method} {path}")
            if fault := self._numbered.pop(len(self.requests), None):
                return fault
            if self._refused and method in ("PUT", "POST") and self._refused[0] in path:
                _, status, code = self._refused
                return lambda handler: handler.refuse(status, code)
            for number, (of_method, within, fault) in enumerate(self._faults):
                if of_method == method and within in path:
                    del self._faults[number]
                    return fault
        return _Handler.pass_on


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # by which the body of an answer would wait 40 ms for the receipt of its head
    proxy: FaultProxy

    def _do(self) -> None:
        fault = self.proxy.take(self.command, self.path)
        fault(self)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do

    def log_message(self, *_: object) -> None:
        """Nothing: what was asked is kept in ``requests``."""

    def pass_on(self) -> None:
        answer, body = self.ask(self.body())
        self.proxy.keys_listed += body.count(b"<Key>") if "list-type=2" in self.path else 0
        self.answer(answer, body, len(body))

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def ask(self, body: bytes) -> tuple[HTTPResponse, bytes]:
        """The answer of the server behind."""
        behind = HTTPConnection(*self.proxy.behind, timeout=60)
        behind.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in HOP_BY_HOP:
                behind.putheader(name, value)
        behind.endheaders(body)
        answer = behind.getresponse()
        received = answer.read()
        behind.close()
        return answer, received

    def answer(self, answer: HTTPResponse, body: bytes, sent: int, pieces: int = 1) -> None:
        """Send an answer, or the first bytes of it, in pieces with pauses between them."""
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        if answer.getheader("Content-Length") is None:  # it came in chunks
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        step = -(-sent // pieces) or 1
        for start in range(0, sent, step):
            self.wfile.write(body[start : min(start + step, sent)])
            self.wfile.flush()
            if pieces > 1:
                time.sleep(TRICKLE_PAUSE)

    def refuse(self, status: int, code: str) -> None:
        self.body()
        text = f"<Error><Code>{code}</Code><Message>made up</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else text)

    def reset(self) -> None:
        """Break the connection as a machine that dies does."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


def _reset(handler: _Handler) -> None:
    handler.body()
    handler.reset()


def _lost_answer(handler: _Handler) -> None:
    handler.ask(handler.body())
    handler.reset()


def _truncated(handler: _Handler) -> None:
    """An upload is cut half-way to the server; a download is cut half-way back."""
    body = handler.body()
    if body:
        with socket.create_connection(handler.proxy.behind) as behind:
            lines = [f"{handler.command} {handler.path} HTTP/1.1", *(f"{n}: {v}" for n, v in handler.headers.items())]
            behind.sendall("\r\n".join([*lines, "", ""]).encode() + body[: len(body) // 2])
    else:
        answer, received = handler.ask(b"")
        handler.answer(answer, received, len(received) // 2)
    handler.reset()


def _cut_answer(handler: _Handler) -> None:
    """The server has done what was asked, or has said why not, and half of its words arrive."""
    answer, received = handler.ask(handler.body())
    handler.answer(answer, received, len(received) // 2)
    handler.reset()


def _trickle(handler: _Handler) -> None:
    answer, received = handler.ask(handler.body())
    handler.answer(answer, received, len(received), TRICKLE_PIECES)


FAULTS: dict[str, Callable[[_Handler], None]] = {
    "500": lambda handler: handler.refuse(500, "InternalError"),
    "503 slow down": lambda handler: handler.refuse(503, "SlowDown"),
    "connection reset": _reset,
    "truncated body": _truncated,
    "response lost": _lost_answer,
    "slow trickle": _trickle,
    "answer cut": _cut_answer,
}


@contextmanager
def fault_proxy(endpoint: str) -> Iterator[tuple[FaultProxy, str]]:
    """A proxy before a server, and its address."""
    proxy = FaultProxy(endpoint)
    handler = type("Handler", (_Handler,), {"proxy": proxy})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
