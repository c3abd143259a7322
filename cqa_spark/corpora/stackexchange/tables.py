"""The eight files of a dump, with the mapping from attributes to columns of tables.

Source: the file readme.txt of the dumps, and the attributes found in dumps of 2009 to 2024. The columns' types, units
and meanings are declared in ``cqa_spark.lake.schemas``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.markup import ValueKind
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, USERS
from cqa_spark.lake.table import Table


@dataclass(frozen=True)
class DumpTable:
    """One kind of file of a dump.

    Attributes:
        file: its name without extension, such as ``Posts``.
        table: the target table.
        attributes: column by attribute.
        required: attributes that every row must have.
        invented_from: first id of posts that the archive invents; None if all posts are the site's own.
        withheld: columns about people that are not stored.
    """

    file: str
    table: Table
    attributes: Mapping[str, str]
    required: tuple[str, ...]
    invented_from: int | None = None
    withheld: frozenset[str] = frozenset()

    @property
    def root(self) -> str:
        """The element around its rows."""
        return self.file.lower()

    @cached_property
    def kinds(self) -> dict[str, ValueKind]:
        """The kind of each column that attributes fill."""
        types = {column.name: column.dataType for column in self.table.columns}
        return {name: _kind(name, types.get(name, T.StringType())) for name in self.attributes.values()}


def _kind(column: str, data_type: T.DataType) -> ValueKind:
    if isinstance(data_type, T.StringType):
        return ValueKind.ID if column.endswith("_id") else ValueKind.TEXT
    return _KINDS[type(data_type)]


_KINDS: Mapping[type[T.DataType], ValueKind] = {
    T.ArrayType: ValueKind.TAGS,
    T.IntegerType: ValueKind.INTEGER,
    T.LongType: ValueKind.LONG,
    T.BooleanType: ValueKind.BOOLEAN,
    T.TimestampType: ValueKind.TIME,
}

ROW_ID = "Id"

INVENTED_FROM = 10**9
"""Since 2025, dumps of every site contain a question 1000000001 and an answer 1000000010 of user -1 that nobody wrote.
The ids of the largest site's own posts have 8 digits."""

DUMP_TABLES = (
    DumpTable(
        "Posts",
        POSTS,
        {
            ROW_ID: "post_id",
            "PostTypeId": "post_type_id",
            "AcceptedAnswerId": "accepted_answer_id",
            "ParentId": "parent_id",
            "CreationDate": "created_at",
            "DeletionDate": "deleted_at",
            "Score": "score",
            "ViewCount": "view_count",
            "Body": "body",
            "OwnerUserId": "user_id",
            "OwnerDisplayName": "user_name",
            "LastEditorUserId": "editor_id",
            "LastEditorDisplayName": "editor_name",
            "LastEditDate": "edited_at",
            "LastActivityDate": "active_at",
            "Title": "subject",
            "Tags": "tags",
            "AnswerCount": "answer_count",
            "CommentCount": "comment_count",
            "FavoriteCount": "favorite_count",
            "ClosedDate": "closed_at",
            "CommunityOwnedDate": "community_owned_at",
            "ContentLicense": "content_license",
        },
        (ROW_ID, "PostTypeId"),
        INVENTED_FROM,
    ),
    DumpTable(
        "Users",
        USERS,
        {
            ROW_ID: "user_id",
            "Reputation": "reputation",
            "CreationDate": "created_at",
            "DisplayName": "name",
            "LastAccessDate": "accessed_at",
            "WebsiteUrl": "website_url",
            "Location": "location",
            "AboutMe": "about",
            "Views": "views",
            "UpVotes": "up_votes",
            "DownVotes": "down_votes",
            "ProfileImageUrl": "profile_image_url",
            "EmailHash": "email_hash",
            "Age": "age",
            "AccountId": "account_id",
        },
        (ROW_ID, "Reputation"),
    ),
    DumpTable(
        "Comments",
        COMMENTS,
        {
            ROW_ID: "comment_id",
            "PostId": "post_id",
            "Score": "score",
            "Text": "body",
            "CreationDate": "created_at",
            "UserDisplayName": "user_name",
            "UserId": "user_id",
            "ContentLicense": "content_license",
        },
        (ROW_ID, "PostId"),
    ),
    DumpTable(
        "Votes",
        VOTES,
        {
            ROW_ID: "vote_id",
            "PostId": "post_id",
            "VoteTypeId": "vote_type_id",
            "UserId": "user_id",
            "CreationDate": "created_at",
            "BountyAmount": "bounty_amount",
        },
        (ROW_ID, "PostId", "VoteTypeId"),
    ),
    DumpTable(
        "Badges",
        BADGES,
        {
            ROW_ID: "badge_id",
            "UserId": "user_id",
            "Name": "name",
            "Date": "earned_at",
            "Class": "badge_class",
            "TagBased": "is_tag_based",
        },
        (ROW_ID, "UserId"),
    ),
    DumpTable(
        "Tags",
        TAGS,
        {
            ROW_ID: "tag_id",
            "TagName": "name",
            "Count": "question_count",
            "ExcerptPostId": "excerpt_post_id",
            "WikiPostId": "wiki_post_id",
            "IsModeratorOnly": "is_moderator_only",
            "IsRequired": "is_required",
        },
        (ROW_ID, "TagName"),
    ),
    DumpTable(
        "PostLinks",
        POST_LINKS,
        {
            ROW_ID: "link_id",
            "CreationDate": "created_at",
            "PostId": "post_id",
            "RelatedPostId": "related_post_id",
            "LinkTypeId": "link_type_id",
        },
        (ROW_ID, "PostId", "RelatedPostId", "LinkTypeId"),
    ),
    DumpTable(
        "PostHistory",
        POST_HISTORY,
        {
            ROW_ID: "history_id",
            "PostHistoryTypeId": "history_type_id",
            "PostId": "post_id",
            "RevisionGUID": "revision_guid",
            "CreationDate": "created_at",
            "UserId": "user_id",
            "UserDisplayName": "user_name",
            "Comment": "comment",
            "Text": "text",
            "ContentLicense": "content_license",
        },
        (ROW_ID, "PostId", "PostHistoryTypeId"),
    ),
)

BY_FILE: Mapping[str, DumpTable] = {each.root: each for each in DUMP_TABLES}
