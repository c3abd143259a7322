"""The settings of object storage, for Spark and for our own requests."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from cqa_spark.config.sections import SettingsSection
from cqa_spark.config.value_types import Shown, refused


def _unset_where_empty(value: Any) -> Any:
    """``${NAME:-}`` in a config file is empty if the variable is not set."""
    return None if value == "" else value


class ObjectStorageSettings(SettingsSection):
    """Object storage (s3a://…); credentials come from the environment, an AWS profile or the machine's role."""

    endpoint: Annotated[str | None, BeforeValidator(_unset_where_empty), Shown("URL")] = Field(
        default=None, description="URL of the S3 server, such as https://s3.example.org:9000; default: Amazon S3"
    )
    region: Annotated[str, Shown("NAME"), Field(min_length=1, description="region of the buckets")] = "us-east-1"
    path_style: bool = Field(
        default=False, description="put the bucket name into the path, as most servers other than Amazon S3 require"
    )
    tls: bool = Field(default=True, description="encrypt connections; must be false for an http:// endpoint")
    attempts: int = Field(default=6, ge=1, description="attempts per request before the job fails")
    timeout: float = Field(default=60, gt=0, description="seconds without a response after which an attempt fails")

    @model_validator(mode="after")
    def _endpoint_is_an_address(self) -> ObjectStorageSettings:
        if self.endpoint is None:
            return self
        parts = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise refused("the endpoint is not a URL", "give http(s)://HOST:PORT; the bucket is part of s3a://BUCKET/…")
        if parts.username or parts.password:
            raise refused(
                "the endpoint contains credentials",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use an AWS profile",
            )
        if (parts.scheme == "https") != self.tls:
            raise refused(
                f"the endpoint is {parts.scheme}:// and tls is {str(self.tls).lower()}",
                "give an https:// endpoint, or --no-object-storage.tls for an unencrypted server",
            )
        return self
