"""The settings of ``ingest stackexchange``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from cqa_spark.config.job_settings import JobSettings
from cqa_spark.config.sections import Section
from cqa_spark.config.value_types import InputFiles, Location, NotHashed, Shown, is_remote, one_or_many

DumpTableName = Literal["posts", "users", "comments", "votes", "badges", "tags", "post_links", "post_history"]


class DumpSettings(Section):
    """Dumps: what is read, and how much of it may be bad."""

    flag_prefix: ClassVar[str | None] = ""

    input: InputFiles = Field(
        default=(),
        description="folders, *.xml (also .gz, .bz2, .zst) and *.7z; folders are searched; the nearest folder with a "
        "host's name, or the archive's name, tells the site",
    )
    site: Annotated[str | None, Shown("NAME"), Field(description="the site, where no folder or archive tells it")] = (
        None
    )
    tables: Annotated[tuple[DumpTableName, ...], BeforeValidator(one_or_many)] = Field(
        default=(), description="tables to read; the others stay as they are; unset: all"
    )
    max_bad_fraction: float = Field(
        default=0.001, ge=0, le=1, description="share of rows that may go to quarantine before the run fails"
    )
    allow_incomplete: bool = Field(
        default=False, description="go on although a file ends before its closing tag, as one cut short does"
    )
    read_again: Annotated[bool, NotHashed()] = Field(
        default=False, description="read all lines, also those that are as they were when the published run read them"
    )


class UnpackSettings(Section):
    """Archives: where they are unpacked, and when one is taken for a bomb."""

    staging: Annotated[Location | None, NotHashed()] = Field(
        default=None,
        description="local folder to unpack to; kept for the next run; unset: LAKE.staging, beside a "
        "remote lake the user's cache",
    )
    max_ratio: float = Field(default=200, gt=1, description="bytes that one byte of an archive may become")
    max_total_bytes: int = Field(default=2 * 10**12, ge=1, description="bytes that one archive may become")
    workers: Annotated[int, NotHashed()] = Field(default=2, ge=1, description="archives to unpack at the same time")


class DumpJobSettings(JobSettings):
    """What a job is told that reads dumps."""

    needs: ClassVar[tuple[str, ...]] = ("dumps.input",)

    dumps: DumpSettings = DumpSettings()
    unpack: UnpackSettings = UnpackSettings()

    def staging(self) -> str:
        """The local folder that archives are unpacked to."""
        if self.unpack.staging is None and is_remote(self.lake):
            return str(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "cqa-spark" / "staging")
        return self.unpack.staging or f"{self.lake.rstrip('/')}.staging"


class IngestStackExchangeSettings(DumpJobSettings):
    """Read dumps of Stack Exchange sites into community tables; nothing is lost, and nothing half-read is published."""

    examples: ClassVar[tuple[str, ...]] = (
        "cqa ingest stackexchange --input beer.stackexchange.com/ --lake build/lake",
        "cqa ingest stackexchange --input dumps/*.7z --lake build/lake --run-id september",
        "cqa ingest stackexchange --input Posts.xml --site example.org --tables posts --lake build/lake --dry-run",
    )
    publish: Annotated[bool, NotHashed(), Field(description="let readers see the run once it is checked")] = True

    def reads(self) -> list[str]:
        """The dumps."""
        return list(self.dumps.input)

    def writes(self) -> list[str]:
        """New versions of the community tables."""
        return [f"{self.lake}: community tables of run {self.run_id or '(a new id)'}"]
