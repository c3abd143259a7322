"""How an S3 server is reached; stated once, for Spark and for our own requests alike."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, model_validator

from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import Shown, refused


def _unset_where_empty(value: Any) -> Any:
    """A file's ``${NAME:-}`` is empty where the variable is not set."""
    return None if value == "" else value


class ObjectStorageSettings(Section):
    """Object storage (s3a://…); credentials come from the environment, a profile or the machine's role alone."""

    endpoint: Annotated[
        str | None,
        BeforeValidator(_unset_where_empty),
        Shown("URL"),
        Field(description="address of the S3 server, such as https://s3.example.org:9000; unset: Amazon's"),
    ] = None
    region: Annotated[str, Shown("NAME"), Field(min_length=1, description="region of the buckets")] = "us-east-1"
    path_style: bool = Field(
        default=False, description="put the bucket's name into the path, as most servers but Amazon's want it"
    )
    tls: bool = Field(default=True, description="encrypt what goes over the network; an http:// endpoint needs false")
    attempts: int = Field(default=6, ge=1, description="times that a request is sent before the job gives up")
    timeout: float = Field(default=60, gt=0, description="seconds without an answer after which a request has failed")

    @model_validator(mode="after")
    def _endpoint_is_an_address(self) -> ObjectStorageSettings:
        if self.endpoint is None:
            return self
        parts = urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise refused("the endpoint is not an address", "give http(s)://HOST:PORT; the bucket stands in s3a://…")
        if parts.username or parts.password:
            raise refused(
                "the endpoint holds credentials",
                "give them by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or a profile",
            )
        if (parts.scheme == "https") != self.tls:
            raise refused(
                f"the endpoint is {parts.scheme}:// and tls is {str(self.tls).lower()}",
                "give an https:// endpoint, or set object_storage.tls to false for a server without encryption",
            )
        return self
