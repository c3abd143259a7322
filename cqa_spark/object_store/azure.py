"""Azure Blob Storage: how this package and ``deltalake`` reach containers, and with which credentials."""

import os
from functools import lru_cache
from typing import Any, ClassVar

from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.store import ObjectStorage, ObjectStore
from cqa_spark.settings.sections import ObjectStorageSettings

CONNECTION, ACCOUNT, KEY, TOKEN = (
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
)
"""The variables of Azure's own tools."""


class Azure(ObjectStorage):
    """Containers of a storage account, which the environment names."""

    about: ClassVar[str] = "Azure Blob Storage (needs the extra `azure`)"
    credentials: ClassVar[tuple[str, ...]] = (
        CONNECTION, ACCOUNT, KEY, TOKEN, "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID",
    )  # fmt: skip

    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open a container, or a prefix of it."""
        container, _, prefix = location.partition("://")[2].partition("/")
        if not container:
            raise ConfigError(f"{location} names no container", "give az://CONTAINER/PREFIX")
        from cqa_spark.object_store.azure_requests import AzureRequests  # slow to import, and an extra

        requests = AzureRequests(azure_client(settings.timeout), container, prefix.strip("/"))
        return RemoteStore(requests, attempts=settings.attempts)

    def forget_clients(self) -> None:
        """Forget Azure's client."""
        azure_client.cache_clear()

    def delta_options(self, settings: ObjectStorageSettings) -> dict[str, str]:
        """``deltalake`` reads single variables, so a connection string is taken apart; it finds identities itself."""
        parts = dict(part.split("=", 1) for part in os.environ.get(CONNECTION, "").split(";") if "=" in part)
        options = {
            "account_name": parts.get("AccountName", os.environ.get(ACCOUNT)),
            "account_key": parts.get("AccountKey", os.environ.get(KEY)),
            "sas_token": parts.get("SharedAccessSignature", os.environ.get(TOKEN)),
            "endpoint": parts.get("BlobEndpoint"),
            "allow_http": "true" if parts.get("BlobEndpoint", "").startswith("http:") else None,
            "timeout": f"{settings.timeout}s",
        }
        return {name: value for name, value in options.items() if value}


@lru_cache
def azure_client(timeout: float) -> Any:
    """Azure's client without retries, because the store retries; by a connection string, a key, a token or an identity.

    Args:
        timeout: seconds without a response after which a request has failed.

    Raises:
        EnvironmentProblem: the extra is not installed, or the environment names no account.
    """
    try:
        from azure.storage.blob import BlobServiceClient
    except ImportError as error:
        raise EnvironmentProblem("azure-storage-blob is not installed", "pip install 'cqa-spark[azure]'") from error
    options: dict[str, Any] = {"retry_total": 0, "connection_timeout": timeout, "read_timeout": timeout}
    if connection := os.environ.get(CONNECTION):
        return BlobServiceClient.from_connection_string(connection, **options)
    if not (account := os.environ.get(ACCOUNT)):
        raise EnvironmentProblem("no storage account of Azure is named", f"set {CONNECTION}, or {ACCOUNT} and {KEY}")
    credential: Any = os.environ.get(KEY) or os.environ.get(TOKEN)
    if not credential:
        from azure.identity import DefaultAzureCredential

        credential = DefaultAzureCredential()
    return BlobServiceClient(f"https://{account}.blob.core.windows.net", credential=credential, **options)
