"""Google Cloud Storage: how this package and ``deltalake`` reach buckets, and with which credentials."""

import json
import os
from functools import lru_cache
from typing import Any, ClassVar

from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.store import ObjectStorage, ObjectStore
from cqa_spark.settings.sections import ObjectStorageSettings

EMULATOR = "STORAGE_EMULATOR_HOST"
"""Google's own variable: the address of a server that stands in for Google's, and takes requests of anybody."""


class Gcs(ObjectStorage):
    """Buckets of Google Cloud Storage, with the credentials that Google's client finds by itself."""

    about: ClassVar[str] = "Google Cloud Storage (needs the extra `gcs`)"
    credentials: ClassVar[tuple[str, ...]] = ("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", EMULATOR)

    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open a bucket, or a prefix of it."""
        bucket, _, prefix = location.partition("://")[2].partition("/")
        if not bucket:
            raise ConfigError(f"{location} names no bucket", "give gs://BUCKET/PREFIX")
        from cqa_spark.object_store.gcs_requests import GcsRequests  # slow to import, and an extra

        requests = GcsRequests(gcs_client(), bucket, prefix.strip("/"), timeout=settings.timeout)
        return RemoteStore(requests, attempts=settings.attempts)

    def forget_clients(self) -> None:
        """Forget Google's client."""
        gcs_client.cache_clear()

    def delta_options(self, settings: ObjectStorageSettings) -> dict[str, str]:
        """``deltalake`` finds the same credentials; only an emulator has to be named."""
        options = {"timeout": f"{settings.timeout}s"}
        if EMULATOR in os.environ:
            account = {"gcs_base_url": os.environ[EMULATOR], "disable_oauth": True}
            empty = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
            options |= {"google_service_account_key": json.dumps(account | empty), "allow_http": "true"}
        return options


@lru_cache
def gcs_client() -> Any:
    """Google's client, with the credentials of its default chain.

    Raises:
        EnvironmentProblem: the extra is not installed, or there are no credentials.
    """
    try:
        from google.auth.exceptions import DefaultCredentialsError
        from google.cloud import storage
    except ImportError as error:
        raise EnvironmentProblem("google-cloud-storage is not installed", "pip install 'cqa-spark[gcs]'") from error
    try:
        return storage.Client()
    except (DefaultCredentialsError, OSError) as error:  # OSError: without a project
        raise EnvironmentProblem(
            f"no credentials for Google Cloud Storage: {str(error).splitlines()[0]}",
            "set GOOGLE_APPLICATION_CREDENTIALS and GOOGLE_CLOUD_PROJECT, or give the machine a service account",
        ) from error
