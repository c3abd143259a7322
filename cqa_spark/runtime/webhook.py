"""Tells another program what was published, by a signed request; if it does not answer, the job prints a warning."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Mapping

import urllib3

from cqa_spark.errors import message_of
from cqa_spark.process.terminal import Terminal
from cqa_spark.settings.nightly import WebhookSettings

SECRET = "CQA_WEBHOOK_SECRET"
"""Environment variable with the key of the signature."""

ADDRESS = "CQA_WEBHOOK_URL"
"""Environment variable with an address that is a secret itself; settings, which runs record, do not name it."""

_REPEATED = (408, 425, 429, 500, 502, 503, 504)
"""Statuses of answers after which the same request may succeed."""


def announce(settings: WebhookSettings, content: Mapping[str, object]) -> None:
    """Send what was published as JSON, if there is an address.

    A request carries ``X-Cqa-Signature: sha256=HEX``, HMAC-SHA256 of its body with the secret, if there is one. It is
    repeated, after 1, 2, 4, … seconds, where there is no connection or no answer, and after answers such as 503.

    Args:
        settings: the address, attempts and patience.
        content: of the request.
    """
    url = os.environ.get(ADDRESS) or settings.url
    if not url:
        return
    body = json.dumps(content, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "cqa-spark"}
    if secret := os.environ.get(SECRET):
        headers["X-Cqa-Signature"] = f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
    retries = urllib3.Retry(
        total=settings.attempts - 1,
        redirect=False,  # the signed body goes to nobody else
        respect_retry_after_header=False,  # it could ask for hours
        backoff_factor=settings.backoff,
        status_forcelist=_REPEATED,
        allowed_methods=None,
        raise_on_status=False,
    )
    try:
        answer = urllib3.PoolManager().request(
            "POST", url, body=body, headers=headers, retries=retries, timeout=settings.timeout
        )
        problem = None if 200 <= answer.status < 300 else f"it answered {answer.status}"
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
        # Messages of urllib3 name the path of the address, which may be a secret.
        reason = getattr(error, "reason", None) or error
        problem = type(reason).__name__ if os.environ.get(ADDRESS) else message_of(reason)
    if problem is not None:
        where = f"the address in {ADDRESS}" if os.environ.get(ADDRESS) else url
        Terminal(stderr=True).line(f"warning: the webhook was not told of the publication: {where}: {problem}")
