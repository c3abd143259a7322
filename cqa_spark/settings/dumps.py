"""The settings of dumps of Stack Exchange sites and of their archives, which several commands read."""

import os
from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field

from cqa_spark.errors import ConfigError
from cqa_spark.settings.sections import JobSettings, SettingsSection
from cqa_spark.settings.values import InputFiles, NotHashed, OutputFolder, SiteName, is_remote, one_or_many

DumpTableName = Literal["posts", "users", "comments", "votes", "badges", "tags", "post_links", "post_history"]
PeopleColumn = Literal[
    "post_history.user_name",
    "posts.editor_name",
    "users.about",
    "users.accessed_at",
    "users.account_id",
    "users.age",
    "users.email_hash",
    "users.location",
    "users.name",
    "users.profile_image_url",
    "users.unknown_attributes",
    "users.website_url",
]
"""The columns about people, as TABLE.COLUMN, that no feature, check or report reads."""
PEOPLE_COLUMNS = frozenset[str](get_args(PeopleColumn))


class DumpSettings(SettingsSection):
    """Dumps: input files and error tolerance."""

    flag_prefix = ""
    rare = frozenset(
        {"tables", "people_columns", "max_bad_fraction", "allow_incomplete", "require_every_site", "keep_invented"}
    )

    input: Annotated[InputFiles, NotHashed()] = Field(
        default=(),
        description="folders, *.xml (also .gz, .bz2, .zst) and *.7z files; the site name is that of the "
        "archive, or of the nearest folder named like a host",
    )
    site: SiteName | None = Field(
        default=None, description="site name; required if no folder or archive is named like a host"
    )
    tables: Annotated[tuple[DumpTableName, ...], BeforeValidator(one_or_many)] = Field(
        default=(), description="tables to read, the others are left unchanged; default: all"
    )
    people_columns: Annotated[tuple[PeopleColumn, ...], BeforeValidator(one_or_many)] = Field(
        default=(),
        description="columns about people to store, beyond those that features read; the others are null, and of "
        "users.unknown_attributes only the names are stored",
    )
    max_bad_fraction: float = Field(default=0.001, ge=0, le=1, description="maximum share of quarantined rows")
    allow_incomplete: bool = Field(default=False, description="accept truncated files, which lack the closing tag")
    require_every_site: bool = Field(
        default=False, description="fail if the dump of one site cannot be read; otherwise its published rows stay"
    )
    drop_site: Annotated[tuple[SiteName, ...], NotHashed(), BeforeValidator(one_or_many)] = Field(
        default=(), description="sites of the lake to remove; others that are not in the input stay"
    )
    keep_invented: bool = Field(
        default=False,
        description="use posts that the archive invents (ids from 1,000,000,000 of user -1) like those of the site",
    )


class UnpackSettings(SettingsSection):
    """Archives: staging folder and archive-bomb limits."""

    staging: Annotated[OutputFolder | None, NotHashed()] = Field(
        default=None,
        description="folder for unpacked archives, kept for the next run; on a cluster in a bucket, if the lake is; "
        "default: LAKE.staging, or in local mode the user's cache folder for a remote lake",
    )
    max_ratio: float = Field(default=200, gt=1, description="maximum compression ratio of an archive")
    max_total_bytes: int = Field(default=2 * 10**12, ge=1, description="maximum unpacked size of an archive in bytes")
    workers: Annotated[int, NotHashed()] = Field(default=2, ge=1, description="archives to unpack in parallel")


class DumpJobSettings(JobSettings):
    """Base of the settings of jobs that read dumps."""

    needs: ClassVar[tuple[str, ...]] = ("dumps.input",)
    rare = frozenset({"check_space"})

    dumps: DumpSettings = DumpSettings()
    unpack: UnpackSettings = UnpackSettings()
    check_space: Annotated[bool, NotHashed(), Field(description="refuse to start with too little local disk space")] = (
        True
    )

    def reads(self) -> list[str]:
        """The dumps."""
        return list(self.dumps.input)

    def space_factors(self) -> tuple[float, float]:
        """For a byte of XML, with a margin, the bytes in the lake, and the most at a time in Spark's scratch folders.

        0 without an estimate.
        """
        return 0, 0

    def staging(self, *, on_cluster: bool) -> str:
        """The folder that archives are unpacked to.

        Args:
            on_cluster: whether executors run on other machines than the driver.

        Raises:
            ConfigError: executors could not read it.
        """
        named = self.unpack.staging
        if on_cluster and is_remote(self.lake) and named is not None and not is_remote(named):
            raise ConfigError(
                f"archives would be unpacked to {named} on the driver, where executors cannot read them",
                "omit unpack.staging, which then defaults to LAKE.staging, or name a folder in a bucket: "
                "--unpack.staging s3a://BUCKET/staging",
            )
        if named is None and is_remote(self.lake) and not on_cluster:
            return str(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "cqa-spark" / "staging")
        return self.unpack.staging or f"{self.lake.rstrip('/')}.staging"
