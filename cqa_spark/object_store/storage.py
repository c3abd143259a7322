"""Kinds of object storage, by the scheme of their addresses; that of S3 is registered like those of other packages."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from cqa_spark.config.object_storage_settings import ObjectStorageSettings
from cqa_spark.config.value_types import is_remote
from cqa_spark.errors import ConfigError
from cqa_spark.object_store.store import ObjectStore
from cqa_spark.plugins import PluginKind


class ObjectStorage(ABC):
    """How this package, Spark and ``deltalake`` reach the objects at addresses of a scheme.

    Attributes:
        about: description, one sentence.
        credentials: names of the environment variables of the driver that tasks need, too.
    """

    about: ClassVar[str]
    credentials: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open the store at a location, without requests to it.

        Args:
            location: an address of the scheme.
            settings: object storage settings.

        Raises:
            ConfigError: the location is incomplete.
        """

    def hadoop_options(self, settings: ObjectStorageSettings) -> Mapping[str, str]:
        """Hadoop's options, with which Spark reads these addresses; without credentials."""
        return {}

    def delta_address(self, location: str) -> str:
        """The address, or path, by which ``deltalake`` and MLflow name a location."""
        return location

    def delta_options(self, settings: ObjectStorageSettings) -> dict[str, str]:
        """The options of ``deltalake``, with credentials."""
        return {}


OBJECT_STORES: PluginKind[type[ObjectStorage]] = PluginKind("object_stores", "object store")
"""By scheme."""


def storage_of(location: str) -> ObjectStorage:
    """The storage at an address.

    Raises:
        ConfigError: no storage is registered for its scheme.
    """
    scheme = location.partition("://")[0]
    if scheme not in OBJECT_STORES.names():
        raise ConfigError(
            f"{scheme}:// is not supported storage",
            "give a local path or s3a://BUCKET/PATH; `cqa object-stores list` shows what is installed",
        )
    return OBJECT_STORES.load(scheme)()


def require_storage(location: str) -> None:
    """Refuse addresses of a scheme without a storage; errors as for ``storage_of``."""
    if is_remote(location):
        storage_of(location)


def delta_address(location: str) -> str:
    """The address, or path, by which ``deltalake`` and MLflow name a location."""
    return storage_of(location).delta_address(location) if is_remote(location) else location


def delta_options(location: str, settings: ObjectStorageSettings) -> dict[str, str]:
    """The options of ``deltalake`` for a location; none for a local one."""
    return storage_of(location).delta_options(settings) if is_remote(location) else {}
