"""Reads queries of databases by Spark's JDBC reader, in parallel by ranges of keys.

The drivers of databases are no part of the project's jars: ``cqa setup --driver`` downloads one, or spark-submit gets
it by ``--packages``.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from cqa_spark.errors import EnvironmentProblem, InputError, message_of
from cqa_spark.settings.conf_files import drivers_folder
from cqa_spark.settings.databases import Database
from cqa_spark.spark.internals import has_java_class
from cqa_spark.spark.jars import download_jars, jar_name


@dataclass(frozen=True)
class Driver:
    """The JDBC driver of a kind of database.

    Attributes:
        java_class: its class.
        artifact: its Maven coordinates.
        sha256: hash of the jar, hexadecimal.
    """

    java_class: str
    artifact: str
    sha256: str


DRIVERS = {
    "postgresql": Driver(
        "org.postgresql.Driver",
        "org.postgresql:postgresql:42.7.4",
        "188976721ead8e8627eb6d8389d500dccc0c9bebd885268a3047180274a6031e",
    ),
    "mysql": Driver(
        "com.mysql.cj.jdbc.Driver",
        "com.mysql:mysql-connector-j:9.1.0",
        "8776e2ebc46072c9a47ea59d98298c4273bd9f16a7b26b5dfa4744535aa26c62",
    ),
    "sqlite": Driver(
        "org.sqlite.JDBC",
        "org.xerial:sqlite-jdbc:3.50.3.0",
        "a3f53a2aa15ae9425a9e793bbe9c8e5288febeb4b65ef5c1a4e80d4c2045cf08",
    ),
}
"""By kind of database."""


def download_driver(kind: str) -> Path:
    """Download the driver of a kind of database into ``drivers_folder``, and check its hash.

    Raises:
        EnvironmentProblem: no Java, the repository cannot be reached, or the jar is not the expected one.
    """
    driver, folder = DRIVERS[kind], drivers_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as new:
        [jar] = download_jars([driver.artifact], Path(new))
        if hashlib.sha256(jar.read_bytes()).hexdigest() != driver.sha256:
            raise EnvironmentProblem(
                f"the jar {driver.artifact} is not the one that this release was made with",
                "see which repository answers; ~/.m2/settings.xml and Spark's resolver name it",
            )
        return jar.replace(folder / jar.name)


def require_driver(database: Database) -> None:
    """Check, before Spark starts, that the driver of a database is there; a session that runs is asked for its class.

    Raises:
        EnvironmentProblem: it is absent; the message names its artifact.
    """
    driver, spark = DRIVERS[database.kind], SparkSession.getActiveSession()
    if spark is None:
        # What spark-submit gets by --packages is known when Spark runs.
        is_there = "PYSPARK_GATEWAY_PORT" in os.environ or (drivers_folder() / jar_name(driver.artifact)).exists()
    else:
        is_there = has_java_class(spark, driver.java_class)
    if not is_there:
        raise EnvironmentProblem(
            f"reading {database.kind} needs the JDBC driver {driver.artifact}, which is not in {drivers_folder()}",
            f"download it: cqa setup --driver {database.kind}; on a cluster: spark-submit.sh --packages "
            f"{driver.artifact}",
        )


def read_query(
    spark: SparkSession, database: Database, query: str, *, ranges: tuple[str, int, int] | None = None
) -> DataFrame:
    """The rows of a query.

    Args:
        spark: the session, with the driver on its class path.
        database: where the query runs.
        query: a SELECT statement.
        ranges: a column of whole numbers of the query with its smallest and its greatest value, by whose ranges tasks
            read; None to read in one task.

    Raises:
        InputError: the database refuses the query.
        EnvironmentProblem: it cannot be reached, or refuses the user.
    """
    options: dict[str, str | int] = {
        "url": database.url,
        "driver": DRIVERS[database.kind].java_class,
        "dbtable": f"({query}) rows_of_query",
        "fetchsize": database.fetch_rows,
        # A timestamp without time zone is what the forum wrote, UTC, and not the local time of this machine.
        "preferTimestampNTZ": "true",
    }
    if database.user is not None:
        options["user"] = database.user
    if (password := database.password()) is not None:
        options["password"] = password
    if ranges is not None:
        column, low, high = ranges
        options |= {
            "partitionColumn": column, "lowerBound": low, "upperBound": high + 1, "numPartitions": database.partitions,
        }  # fmt: skip
    with database_errors(database):
        return spark.read.format("jdbc").options(**options).load()


_SQL_ERROR = re.compile(
    r"^(?:Caused by)?(?:: )?(?P<kind>[\w.$]*(?:SQL\w*|CommunicationsException)): (?P<said>.+)", re.MULTILINE
)
_NO_CONNECTION = re.compile(
    "refused|authentication|password|Access denied|timed? ?out|Communications|could not (?:connect|translate)|"
    "[Cc]onnection|role .* not exist"
)


@contextmanager
def database_errors(database: Database) -> Iterator[None]:
    """Turn what a driver raises in the block into an error for users, without the password.

    Raises:
        InputError: the database refuses a query.
        EnvironmentProblem: it cannot be reached, or refuses the user.
    """
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        causes = list(_SQL_ERROR.finditer(message_of(error)))
        if not causes:
            raise
        said = causes[-1]["said"].strip()
        if password := database.password():
            said = said.replace(password, "***")
        where = f"{database.url}: {said}"
        if _NO_CONNECTION.search(said):
            secret = database.password_file or database.password_variable
            raise EnvironmentProblem(
                where, f"check the address, the user, and the password, which comes from {secret}"
            ) from None
        raise InputError(where, "correct the query in the description of the database") from None
