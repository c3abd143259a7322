"""Requests to a server on loopback that answers as it is told."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from cqa_spark.runtime.webhook import announce
from cqa_spark.settings.nightly import WebhookSettings

Received = list[tuple[str | None, bytes]]
"""The signature and the body of each request."""


@contextmanager
def answering(*statuses: int) -> Iterator[tuple[str, Received]]:
    """A server that answers with these statuses, one after the other; its address, and what it received."""
    received: Received = []
    left = list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.headers["X-Cqa-Signature"], body))
            self.send_response(left.pop(0))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *values: object) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", received
    finally:
        server.shutdown()
        server.server_close()


def settings(url: str | None, attempts: int = 3) -> WebhookSettings:
    return WebhookSettings(url=url, attempts=attempts, backoff=0, timeout=5)


def test_a_request_is_repeated_until_it_is_taken_and_signed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CQA_WEBHOOK_SECRET", "key")
    with answering(503, 200) as (url, received):
        announce(settings(url), {"event": "published", "run_id": "monday"})
    body = json.dumps({"event": "published", "run_id": "monday"}).encode()
    signature = f"sha256={hmac.new(b'key', body, hashlib.sha256).hexdigest()}"
    assert received == [(signature, body), (signature, body)]
    assert capsys.readouterr().err == ""


def test_without_a_secret_there_is_no_signature() -> None:
    with answering(204) as (url, received):
        announce(settings(url), {})
    assert received == [(None, b"{}")]


@pytest.mark.parametrize(("statuses", "requests"), [((500, 500, 500), 3), ((404,), 1), ((302,), 1)])
def test_refusals_are_warnings(capsys: pytest.CaptureFixture[str], statuses: tuple[int, ...], requests: int) -> None:
    with answering(*statuses) as (url, received):
        announce(settings(url), {})
    assert len(received) == requests
    assert f"it answered {statuses[0]}" in capsys.readouterr().err


def test_a_secret_address_is_not_printed_where_nobody_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering() as (url, _):
        pass
    monkeypatch.setenv("CQA_WEBHOOK_URL", f"{url}/T0KEN")
    announce(settings(None, attempts=2), {})
    err = capsys.readouterr().err
    assert "CQA_WEBHOOK_URL" in err
    assert "T0KEN" not in err


def test_without_an_address_nothing_is_sent(capsys: pytest.CaptureFixture[str]) -> None:
    announce(settings(None), {})
    assert capsys.readouterr().err == ""
