"""The description of a forum's database: its address, who reads it, and the queries that give community tables.

Passwords are never part of it: they come from an environment variable, or from a file as container platforms mount it.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import parse_qsl

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cqa_spark.errors import ConfigError
from cqa_spark.settings.conf_files import all_mistakes, config_file
from cqa_spark.settings.layers import read_layer
from cqa_spark.settings.sections import CREDENTIAL
from cqa_spark.settings.values import SiteName, refused
from cqa_spark.settings.yaml import SettingsError

QueriedTable = Literal["posts", "comments", "users", "votes", "badges", "tags", "post_links", "post_history"]

_ADDRESS = re.compile(r"jdbc:(?P<kind>postgresql|mysql|sqlite):(?P<rest>.+)", re.DOTALL)


def _without_credentials(url: str) -> str:
    """Refuse addresses of other databases, and credentials, which logs, records and messages would show."""
    address = _ADDRESS.fullmatch(url)
    if not address:
        raise refused(
            "this is no address of a database that can be read",
            "give jdbc:postgresql://HOST:5432/NAME, jdbc:mysql://HOST:3306/NAME or jdbc:sqlite:/PATH",
        )
    parameters = address["rest"].partition("?")[2]
    names = [name for name, _ in parse_qsl(parameters.replace(";", "&"), keep_blank_values=True)]
    # MySQL's driver also takes (user=…,password=…) in place of a host.
    is_server = address["kind"] != "sqlite"
    if (is_server and re.search("[@(]", address["rest"])) or any(CREDENTIAL.search(name) for name in names):
        raise refused(
            "the address contains credentials",
            "give the name as user, and the password by the variable or file that password_variable or password_file "
            "names",
        )
    return url


class TableQuery(BaseModel):
    """The rows of a community table.

    Attributes:
        query: SELECT statement whose columns have the names of the community table, without a column ``site``.
        key_range: column of whole numbers by whose ranges tasks read in parallel; None to read in one task.
        watermark: column that grows whenever a row changes, such as the time of its last change; later runs read only
            rows above the greatest value of the published run. None to read all rows each time.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: Annotated[str, Field(min_length=1)]
    key_range: Annotated[str, Field(pattern=r"^\w+$")] | None = None
    watermark: Annotated[str, Field(pattern=r"^\w+$")] | None = None

    @property
    def statement(self) -> str:
        """The query as it may stand within another one."""
        return self.query.strip().rstrip(";")


class Database(BaseModel):
    """The database of one forum, ``conf/databases/discourse.yaml`` for example.

    Attributes:
        url: JDBC address, without credentials.
        user: name to log in with; None where the database asks for none.
        password_variable: environment variable with the password.
        password_file: file with the password, which wins over the variable.
        site: name of the forum, such as ``meta.example.org``; ``--site`` replaces it.
        partitions: number of ranges of keys, and thus of connections at a time.
        fetch_rows: rows that a connection asks for at a time.
        overlap_minutes: how far below the watermark a run reads again, for transactions that were open at that time.
        tables: the query of each table.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, AfterValidator(_without_credentials)]
    user: str | None = None
    password_variable: str = "CQA_DATABASE_PASSWORD"
    password_file: str | None = None
    site: SiteName | None = None
    partitions: int = Field(default=4, ge=1)
    fetch_rows: int = Field(default=10_000, ge=1)
    overlap_minutes: float = Field(default=60, ge=0)
    tables: Mapping[QueriedTable, TableQuery] = Field(default={})

    @property
    def kind(self) -> str:
        """``postgresql``, ``mysql`` or ``sqlite``."""
        match = _ADDRESS.fullmatch(self.url)
        assert match, "the address is checked"
        return match["kind"]

    def password(self) -> str | None:
        """The password, read when it is used; None if there is none.

        Raises:
            ConfigError: its file cannot be read.
        """
        if self.password_file is None:
            return os.environ.get(self.password_variable)
        try:
            return Path(self.password_file).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the file of the database's password cannot be read: {self.password_file}",
                "correct password_file, or leave it out and set the variable that password_variable names",
            ) from error


def read_database(path: str) -> Database:
    """Read the description of a database; ``${NAME}`` in it are environment variables.

    Args:
        path: of a YAML file; ``conf/databases/NAME.yaml`` also finds those of the package.

    Raises:
        ConfigError: it cannot be read, or has mistakes; all of them are listed.
    """
    file = config_file(path)
    layer, problems = read_layer(file)
    if problems or layer is None:
        raise SettingsError(problems)
    try:
        return Database.model_validate(layer.values)
    except ValidationError as error:
        raise ConfigError(
            f"{file} is no description of a database:{all_mistakes(error)}",
            "conf/databases/discourse.yaml is an example",
        ) from None
