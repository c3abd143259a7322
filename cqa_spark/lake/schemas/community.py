"""Community tables: every corpus in one shape, keyed by site."""

from cqa_spark.lake.table import Table, column

SITE = column("site", "string", "community that the row belongs to, such as qatarliving.com", nullable=False)
SPLIT = column(
    "split",
    "string",
    "train, dev or test: the part that the row's input file was given as; unannotated where it only serves as text",
    nullable=False,
)
SOURCE_FILE = column("source_file", "string", "path of the input file that the row was read from", nullable=False)

POSTS = Table(
    "posts",
    "Questions and answers; a Qatar Living thread has one question and no answers, its replies are comments.",
    (
        SITE,
        column("post_id", "string", "id of the post within the site", nullable=False),
        column("post_type", "string", "question or answer", nullable=False),
        column("thread_id", "string", "post_id of the thread's question", nullable=False),
        column("same_as", "string", "thread_id of the earlier thread that this thread repeats; null for a first copy"),
        column("user_id", "string", "author's id; null where unknown"),
        column("created_at", "timestamp", "time of posting, UTC as written in the dump; null where unknown"),
        column("category", "string", "forum section or site category"),
        column("subject", "string", "title, as in the dump"),
        column("body", "string", "text, as in the dump"),
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "post_id"),
    partition_by=("site",),
)

COMMENTS = Table(
    "comments",
    "Comments below a post, in thread order.",
    (
        SITE,
        column("comment_id", "string", "id of the comment within the site", nullable=False),
        column("post_id", "string", "post that the comment stands below", nullable=False),
        column("thread_id", "string", "thread that the comment belongs to", nullable=False),
        column("position", "int", "place among the post's comments, from 1", nullable=False),
        column("user_id", "string", "author's id; null where unknown"),
        column("created_at", "timestamp", "time of posting, UTC as written in the dump; null where unknown"),
        column("body", "string", "text, as in the dump"),
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "comment_id"),
    partition_by=("site",),
)

USERS = Table(
    "users",
    "Accounts that wrote something.",
    (
        SITE,
        column("user_id", "string", "id of the account within the site", nullable=False),
        column("name", "string", "display name; the alphabetically first where the dump gives several"),
    ),
    key=("site", "user_id"),
    partition_by=("site",),
)

JUDGMENTS = Table(
    "judgments",
    "What people or the forum said of a (query, candidate) pair; one row also where the label is not known.",
    (
        SITE,
        column("task", "string", "task that the judgment serves, such as question_comment", nullable=False),
        column("query_id", "string", "post that candidates are ranked for", nullable=False),
        column("candidate_id", "string", "post or comment that is ranked", nullable=False),
        column("thread_id", "string", "thread that holds the candidate", nullable=False),
        column("label", "string", "label as in the dump, such as Good or Relevant; null where not known"),
        column("initial_rank", "int", "rank from 1 that the forum or search engine gave; null where not known"),
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "task", "query_id", "candidate_id"),
    partition_by=("site",),
)
