"""The settings of ``ingest tables``."""

from typing import Annotated, Any

from pydantic import Field

from cqa_spark.settings.sections import JobSettings, SettingsSection
from cqa_spark.settings.values import NotHashed, Shown, SiteName

TableLocation = Annotated[str | None, NotHashed(), Shown("TABLE")]


def _table(about: str) -> Any:
    return Field(default=None, description=about)


class CommunityTableSettings(SettingsSection):
    """Tables: files (.parquet, .csv, .jsonl), folders of them, Delta tables, or tables of Spark's catalogue."""

    flag_prefix = ""

    posts: TableLocation = _table("questions and answers: post_id, and of an answer thread_id, its question")
    comments: TableLocation = _table("comments: comment_id, post_id")
    users: TableLocation = _table("accounts: user_id")
    votes: TableLocation = _table("votes: vote_id, post_id, vote_type_id (1 accepted, 2 up, 3 down)")
    badges: TableLocation = _table("badges: badge_id, user_id")
    tags: TableLocation = _table("tags: tag_id")
    post_links: TableLocation = _table("links: link_id, post_id, related_post_id, link_type_id (3 duplicate)")
    post_history: TableLocation = _table("revisions: history_id, history_type_id, post_id")
    judgments: TableLocation = _table("judged pairs: task, query_id, candidate_id, thread_id, split, label")
    site: SiteName | None = Field(default=None, description="site of all rows; default: the column site of the tables")
    max_bad_fraction: float = Field(default=0.001, ge=0, le=1, description="maximum share of quarantined rows")

    def given(self) -> dict[str, str]:
        """The location of each table that was given."""
        return self.model_dump(exclude={"site", "max_bad_fraction"}, exclude_none=True)


class IngestTablesSettings(JobSettings):
    """Read tables of questions, answers, comments and votes; rows that do not fit the declared types are quarantined.

    Columns are those of the community tables (docs/reference); missing ones are null, and further ones of posts,
    comments and others are kept as unknown attributes.
    """

    examples = (
        "cqa ingest tables --posts posts.parquet --site forum.example.org --lake build/lake",
        "cqa ingest tables --posts posts.csv --comments comments.csv --votes votes.jsonl --site forum.example.org "
        "--lake build/lake",
        "cqa ingest tables --posts main.forum.posts --votes main.forum.votes --site example.org --lake build/lake",
    )
    needs = ("tables.posts",)
    writing = ("{job.lake}: community tables of run {job.new_run}",)

    tables: CommunityTableSettings = CommunityTableSettings()
    publish: Annotated[bool, NotHashed(), Field(description="publish after checks")] = True

    def reads(self) -> list[str]:
        """The tables that were given."""
        return list(self.tables.given().values())
