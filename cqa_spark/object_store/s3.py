"""S3: how Spark (S3A), ``deltalake`` and boto3 reach buckets, and with which credentials."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar
from urllib.parse import urlsplit

from cqa_spark.errors import ConfigError
from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.store import ObjectStorage, ObjectStore
from cqa_spark.settings.sections import ObjectStorageSettings


class S3(ObjectStorage):
    """Buckets of Amazon S3, or of another server that speaks its protocol."""

    about: ClassVar[str] = "Amazon S3, and other servers that speak its protocol"
    credentials: ClassVar[tuple[str, ...]] = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")

    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open a bucket, or a prefix of it."""
        # Hadoop's paths take every character literally; a URL parser would interpret %, ? and #.
        bucket, _, prefix = location.partition("://")[2].partition("/")
        if not bucket:
            raise ConfigError(f"{location} names no bucket", "give s3a://BUCKET/PREFIX")

        from cqa_spark.object_store.s3_requests import (
            S3Requests,  # boto3 is slow to import, and lists of stores need none
        )

        return RemoteStore(S3Requests(s3_client(settings), bucket, prefix.strip("/")), attempts=settings.attempts)

    def forget_clients(self) -> None:
        """Forget boto3's clients."""
        s3_client.cache_clear()

    def hadoop_options(self, settings: ObjectStorageSettings) -> Mapping[str, str]:
        """Options of S3A, which finds credentials itself."""
        milliseconds = str(round(settings.timeout * 1000))
        endpoint = {"fs.s3a.endpoint": settings.endpoint} if settings.endpoint else {}
        return endpoint | {
            "fs.s3a.endpoint.region": settings.region,
            "fs.s3a.path.style.access": str(settings.path_style).lower(),
            "fs.s3a.connection.ssl.enabled": str(settings.tls).lower(),
            "fs.s3a.connection.timeout": milliseconds,
            "fs.s3a.connection.establish.timeout": milliseconds,
            "fs.s3a.retry.limit": str(settings.attempts),
            "fs.s3a.retry.throttle.limit": str(settings.attempts),
        }

    def delta_address(self, location: str) -> str:
        """Programs other than Hadoop write ``s3://``."""
        return location.replace("s3a://", "s3://", 1)

    def delta_options(self, settings: ObjectStorageSettings) -> dict[str, str]:
        """Options of ``deltalake``, with the credentials that boto3 finds."""
        options = {
            **_credentials_of_chain(),
            "AWS_CONDITIONAL_PUT": "etag",
            "AWS_REGION": settings.region,
            "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": str(not settings.path_style).lower(),
            "timeout": f"{settings.timeout}s",
        }
        if settings.endpoint:
            plain = urlsplit(settings.endpoint).scheme == "http" or not settings.tls
            options |= {"AWS_ENDPOINT_URL": settings.endpoint, "AWS_ALLOW_HTTP": str(plain).lower()}
        return options


@lru_cache
def s3_client(settings: ObjectStorageSettings) -> Any:
    """boto3's client, with credentials from the default chain and without retries, because the store retries."""
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client(
        "s3",
        endpoint_url=settings.endpoint,
        region_name=settings.region,
        use_ssl=settings.tls,
        config=Config(
            s3={"addressing_style": "path" if settings.path_style else "auto"},
            retries={"total_max_attempts": 1},
            connect_timeout=settings.timeout,
            read_timeout=settings.timeout,
        ),
    )


def _credentials_of_chain() -> dict[str, str]:
    """The credentials that boto3 finds in its chain, as environment variables; empty if it finds none."""
    import boto3

    credentials = boto3.session.Session().get_credentials()
    if credentials is None:
        return {}
    values = credentials.get_frozen_credentials()
    named = zip(S3.credentials, (values.access_key, values.secret_key, values.token), strict=True)
    return {name: value for name, value in named if value}
