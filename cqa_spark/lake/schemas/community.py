"""Community tables: one schema for every corpus, keyed by site."""

from pyspark.sql import types as T

from cqa_spark.lake.table import SiteTable, column, required

SITE: T.StructField = required("site", "string", "community that the row belongs to, such as qatarliving.com")
UNANNOTATED = "unannotated"
"""The split of files without judgments."""

SPLIT: T.StructField = required(
    "split", "string", "split of the row's input file: train, dev, test, or unannotated for text only"
)
EVERY = "*"
"""In tables of statistics: all sites, or all splits, together."""

SOURCE_FILE: T.StructField = required("source_file", "string", "path of the input file that the row was read from")
CREATED_AT: T.StructField = column(
    "created_at", "timestamp", "time of posting, UTC as written in the dump; null where unknown"
)
USER_ID: T.StructField = column("user_id", "string", "author's id; null where unknown or deleted")
USER_NAME: T.StructField = column("user_name", "string", "author's name where the dump gives it instead of an id")
CONTENT_LICENSE: T.StructField = column(
    "content_license", "string", "licence of the text, such as CC BY-SA 4.0; null where not stated"
)
UNKNOWN_ATTRIBUTES: T.StructField = column(
    "unknown_attributes",
    T.MapType(T.StringType(), T.StringType()),
    "attributes of the dump's row without a declared column, by name, as in the dump; null if there are none",
)

POSTS: SiteTable = SiteTable(
    "posts",
    "Questions, answers and other posts of a site; a Qatar Living thread has one question, its replies are comments.",
    (
        SITE,
        required("post_id", "string", "id of the post within the site"),
        required(
            "post_type",
            "string",
            "question, answer, or a rarer type such as tag_wiki; other if the type is unknown; deleted if the post "
            "was deleted; invented if the archive of the dump invented it",
        ),
        column("post_type_id", "int", "type number in Stack Exchange dumps, 1 to 17; null in other corpora"),
        required(
            "thread_id",
            "string",
            "post_id of the thread's question, which may be missing from the dump; a post without a thread is its own",
        ),
        column("same_as", "string", "thread_id of the earlier thread that this thread repeats; null for a first copy"),
        USER_ID,
        USER_NAME,
        CREATED_AT,
        column("category", "string", "forum section"),
        column("tags", T.ArrayType(T.StringType()), "the question's tags, in the dump's order"),
        column("accepted_answer_id", "string", "answer accepted by the asker"),
        column("score", "int", "up votes minus down votes, in the dump that source_file names"),
        column("view_count", "bigint", "page views, in the dump that source_file names"),
        column("answer_count", "int", "answers, at the time of the dump"),
        column("comment_count", "int", "comments, at the time of the dump"),
        column("favorite_count", "int", "users who keep the question as a favourite, at the time of the dump"),
        column("edited_at", "timestamp", "time of the last edit, UTC"),
        column("editor_id", "string", "user of the last edit"),
        column("editor_name", "string", "name of the last editor where the dump gives it instead of an id"),
        column("active_at", "timestamp", "time of the last activity on the post, UTC"),
        column("closed_at", "timestamp", "time at which the question was closed, UTC"),
        column("community_owned_at", "timestamp", "time at which the post became a community wiki, UTC"),
        column("deleted_at", "timestamp", "time of deletion, UTC"),
        column("subject", "string", "title, as in the dump"),
        column("body", "string", "text, as in the dump: HTML on Stack Exchange"),
        CONTENT_LICENSE,
        UNKNOWN_ATTRIBUTES,
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "post_id"),
)

COMMENTS: SiteTable = SiteTable(
    "comments",
    "Comments below a post.",
    (
        SITE,
        required("comment_id", "string", "id of the comment within the site"),
        required("post_id", "string", "post that the comment belongs to"),
        column("thread_id", "string", "thread of that post; null if it follows only from the table of posts"),
        column(
            "position", "int", "position among the post's comments, from 1; null if it follows only from their times"
        ),
        USER_ID,
        USER_NAME,
        CREATED_AT,
        column("score", "int", "up votes, in the dump that source_file names"),
        column("body", "string", "text, as in the dump"),
        CONTENT_LICENSE,
        UNKNOWN_ATTRIBUTES,
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "comment_id"),
)

USERS: SiteTable = SiteTable(
    "users",
    "Accounts: all of a Stack Exchange site; for other corpora, those that wrote something. Of Stack Exchange, columns "
    "about people that no feature reads are null, unless the setting people_columns names them.",
    (
        SITE,
        required("user_id", "string", "id of the account within the site; -1 is Stack Exchange itself"),
        column("name", "string", "display name; the alphabetically first where the dump gives several"),
        column("reputation", "int", "points, in the dump that source_file names"),
        column("created_at", "timestamp", "time of registration, UTC"),
        column("accessed_at", "timestamp", "time of the last visit, UTC, in the dump that source_file names"),
        column("views", "int", "views of the profile, at the time of the dump"),
        column("up_votes", "int", "up votes that the account gave, at the time of the dump"),
        column("down_votes", "int", "down votes that the account gave, at the time of the dump"),
        column("account_id", "string", "the person's id over all sites of the network"),
        column("age", "int", "age in years; only in dumps until 2017"),
        column("location", "string", "place, as the user wrote it"),
        column("website_url", "string", "web address, as the user wrote it"),
        column("profile_image_url", "string", "address of the picture"),
        column("email_hash", "string", "MD5 of the e-mail address, hexadecimal; only in dumps until 2013"),
        column("about", "string", "the user's self-description, HTML"),
        UNKNOWN_ATTRIBUTES,
        column("source_file", "string", "path of the input file; null if the account was read from files of threads"),
    ),
    key=("site", "user_id"),
)

JUDGMENTS: SiteTable = SiteTable(
    "judgments",
    "Judgments of (query, candidate) pairs by annotators or the forum; pairs without a known label have a row as well.",
    (
        SITE,
        required("task", "string", "name of the task that the judgment serves"),
        required("query_id", "string", "post that candidates are ranked for"),
        required("candidate_id", "string", "post or comment that is ranked"),
        required("thread_id", "string", "thread that holds the candidate"),
        column("label", "string", "label as in the dump, such as Good or Relevant; null where not known"),
        column("initial_rank", "int", "rank from 1 that the forum or search engine gave; null where not known"),
        column("known_at", "timestamp", "time from which on the label was known, UTC; null where not known"),
        SPLIT,
        SOURCE_FILE,
    ),
    key=("site", "task", "query_id", "candidate_id"),
)
