"""HDFS: how this package and ``deltalake`` reach the files of a Hadoop cluster; Spark reads them by itself."""

import os
from functools import lru_cache
from typing import Any, ClassVar

from cqa_spark.errors import ConfigError, EnvironmentProblem
from cqa_spark.object_store.remote_store import RemoteStore
from cqa_spark.object_store.store import ObjectStorage, ObjectStore
from cqa_spark.settings.sections import ObjectStorageSettings


class Hdfs(ObjectStorage):
    """Folders of HDFS, with the configuration in ``HADOOP_CONF_DIR`` and the user or ticket that Hadoop's tools use."""

    about: ClassVar[str] = "HDFS (needs the extra `hdfs`)"
    credentials: ClassVar[tuple[str, ...]] = ("HADOOP_USER_NAME",)

    def open(self, location: str, settings: ObjectStorageSettings) -> ObjectStore:
        """Open a folder."""
        node, _, folder = location.partition("://")[2].partition("/")
        if not node:
            raise ConfigError(
                f"{location} names no cluster", "give hdfs://NAMENODE:PORT/PATH or hdfs://NAMESERVICE/PATH"
            )
        client = hdfs_client(f"hdfs://{node}", settings.timeout, os.getpid())
        from cqa_spark.object_store.hdfs_requests import HdfsRequests

        return RemoteStore(HdfsRequests(client, f"hdfs://{node}", folder.strip("/")), attempts=settings.attempts)

    def forget_clients(self) -> None:
        """Forget the clients."""
        hdfs_client.cache_clear()


@lru_cache
def hdfs_client(cluster: str, timeout: float, process: int) -> Any:
    """A client of a cluster; it makes connections when it is used.

    Args:
        cluster: address without a path.
        timeout: seconds without a response after which a connection has failed.
        process: that uses it; the threads of a client do not survive a fork.

    Raises:
        EnvironmentProblem: the extra is not installed, or the configuration lacks the cluster.
    """
    try:
        import hdfs_native
    except ImportError as error:
        raise EnvironmentProblem("hdfs-native is not installed", "pip install 'cqa-spark[hdfs]'") from error
    # By default, a name node that refuses connections is asked for three minutes; the store repeats requests itself.
    config = {"dfs.client.failover.max.attempts": "2", "dfs.client.socket-timeout": str(round(timeout * 1000))}
    try:
        return hdfs_native.Client(cluster, config)
    except (ValueError, RuntimeError, OSError) as error:
        reason = str(error).splitlines()[0]
        remedy = "give hdfs://NAMENODE:PORT/PATH, or set HADOOP_CONF_DIR to the folder with the cluster's hdfs-site.xml"
        raise EnvironmentProblem(f"{cluster}: {reason}", remedy) from error
