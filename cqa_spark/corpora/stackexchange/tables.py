"""The eight files of a dump: which column each attribute fills, and how a row becomes one of the lake's tables.

Source: the file readme.txt of the dumps, and the attributes found in dumps of 2009 to 2024. The columns' types, units
and meanings are declared in ``cqa_spark.lake.schemas``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as T

from cqa_spark.corpora.stackexchange.values import DELETED, INVENTED, OTHER_POST_TYPE, POST_TYPES, ValueKind
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, POSTS, UNANNOTATED, USERS
from cqa_spark.lake.table import Table
from cqa_spark.lake.writing import nullable
from cqa_spark.spark.internals import to_arrow_schema


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
        kinds = {}
        for name in self.attributes.values():
            # Columns that only the reader uses, such as parent_id, are not declared.
            data_type = types.get(name, T.StringType())
            if isinstance(data_type, T.StringType):
                kinds[name] = ValueKind.ID if name.endswith("_id") else ValueKind.TEXT
            else:
                kinds[name] = _KINDS[type(data_type)]
        return kinds


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

BY_FILE: Mapping[str, DumpTable] = {dump.root: dump for dump in DUMP_TABLES}

UNKNOWN = "unknown_attributes"
"""The column of attributes that no other column takes."""


_PARENT = "parent_id"
"""The column of an answer's question, which the lake's tables call its thread."""

_ANSWER = 2
_COMMUNITY = "-1"
"""The user of automatic actions."""


def table_rows(dump: DumpTable, columns: Mapping[str, pa.Array], site: str, source_file: str) -> pa.RecordBatch:
    """The rows with the declared columns of their table; withheld columns about people are null.

    Args:
        dump: the kind of rows.
        columns: unknown_attributes and the columns that attributes fill.
        site: the site of the rows.
        source_file: the file of the rows.
    """
    schema = to_arrow_schema(nullable(dump.table.schema))
    rows = len(columns[UNKNOWN])
    complete: dict[str, Any] = {name: column for name, column in columns.items() if name not in dump.withheld}
    for name, text in {"site": site, "source_file": source_file, "split": UNANNOTATED}.items():
        complete[name] = pa.repeat(pa.scalar(text), rows)
    if UNKNOWN in dump.withheld:
        # The names tell that the format of the dumps has changed, and nothing about a person.
        maps = columns[UNKNOWN]
        # A null start makes its entry null; there is one start more than entries, the end of the last.
        starts = pa.array(maps.offsets.to_numpy(), pa.int32(), mask=np.append(maps.is_null().to_numpy(False), False))
        complete[UNKNOWN] = pa.MapArray.from_arrays(starts, maps.keys, pa.nulls(len(maps.items), pa.string()))
    if dump.file == "Posts":
        # Only answers have a parent; an answer without one is its own thread.
        is_answer = pc.equal(columns["post_type_id"], _ANSWER)
        parent = pc.if_else(is_answer, columns[_PARENT], pa.scalar(None, pa.string()))
        complete["thread_id"] = pc.coalesce(parent, columns["post_id"])
        complete["post_type"] = _post_types(columns, dump.invented_from)
    arrays = [complete[name] if name in complete else pa.nulls(rows, schema.field(name).type) for name in schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _post_types(columns: Mapping[str, pa.Array], invented_from: int | None) -> pa.Array:
    """The name of each post's type; deleted and invented posts have their own, whatever their number says."""
    numbers, names = pa.array(POST_TYPES, pa.int32()), pa.array([*POST_TYPES.values(), OTHER_POST_TYPE])
    index = pc.index_in(columns["post_type_id"], numbers)
    types = names.take(pc.fill_null(index, len(POST_TYPES)))
    types = pc.if_else(columns["deleted_at"].is_valid(), DELETED, types)
    if invented_from is None:
        return types
    is_large = pc.greater_equal(columns["post_id"].cast(pa.int64()), invented_from)
    is_community = pc.fill_null(pc.equal(columns["user_id"], _COMMUNITY), False)
    return pc.if_else(pc.and_(is_large, is_community), INVENTED, types)
