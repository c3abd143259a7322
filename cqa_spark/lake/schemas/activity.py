"""Activity of the members of a Stack Exchange site other than writing: votes, badges, tags, links, edits.

Type numbers are documented in the file readme.txt of a dump.
"""

from cqa_spark.lake.schemas.community import CONTENT_LICENSE, SITE, SOURCE_FILE, UNKNOWN_ATTRIBUTES, USER_ID, USER_NAME
from cqa_spark.lake.table import SiteTable, column, required

VOTES: SiteTable = SiteTable(
    "votes",
    "Votes on posts; the voter is only known for favourites and bounties.",
    (
        SITE,
        required("vote_id", "string", "id of the vote within the site"),
        required("post_id", "string", "post of the vote; may be missing from the dump"),
        required(
            "vote_type_id",
            "int",
            "1 accepted by the asker, 2 up, 3 down, 4 offensive, 5 favourite, 6 close, 7 reopen, 8 bounty start, "
            "9 bounty close, 10 deletion, 11 undeletion, 12 spam, 13 inform moderator, 15 moderator review, "
            "16 approve edit suggestion",
        ),
        USER_ID,
        column("created_at", "timestamp", "day of the vote, UTC: dumps give no time of day"),
        column("bounty_amount", "int", "reputation offered or given with a bounty"),
        UNKNOWN_ATTRIBUTES,
        SOURCE_FILE,
    ),
    key=("site", "vote_id"),
)

BADGES: SiteTable = SiteTable(
    "badges",
    "Badges that users earned.",
    (
        SITE,
        required("badge_id", "string", "id of the award within the site"),
        required("user_id", "string", "account that earned the badge"),
        column("name", "string", "name of the badge; for a tag badge, of the tag"),
        column("earned_at", "timestamp", "time of the award, UTC"),
        column("badge_class", "int", "1 gold, 2 silver, 3 bronze; not in dumps before 2016"),
        column("is_tag_based", "boolean", "whether it is a tag badge"),
        UNKNOWN_ATTRIBUTES,
        SOURCE_FILE,
    ),
    key=("site", "badge_id"),
)

TAGS: SiteTable = SiteTable(
    "tags",
    "Tags of a site.",
    (
        SITE,
        required("tag_id", "string", "id of the tag within the site"),
        column("name", "string", "the tag as written on questions"),
        column("question_count", "int", "questions with the tag, at the time of the dump"),
        column("excerpt_post_id", "string", "post that holds the short description"),
        column("wiki_post_id", "string", "post that holds the long description"),
        column("is_moderator_only", "boolean", "whether only moderators may set it"),
        column("is_required", "boolean", "whether every question needs one of these tags, as on meta sites"),
        UNKNOWN_ATTRIBUTES,
        SOURCE_FILE,
    ),
    key=("site", "tag_id"),
)

POST_LINKS: SiteTable = SiteTable(
    "post_links",
    "Links from post to post.",
    (
        SITE,
        required("link_id", "string", "id of the link within the site"),
        column("created_at", "timestamp", "creation time of the link, UTC"),
        required("post_id", "string", "post with the link; for a duplicate, the closed one"),
        required("related_post_id", "string", "target post; may be missing from the dump"),
        required("link_type_id", "int", "1 linked, 3 duplicate"),
        UNKNOWN_ATTRIBUTES,
        SOURCE_FILE,
    ),
    key=("site", "link_id"),
)

POST_HISTORY: SiteTable = SiteTable(
    "post_history",
    "Every revision of a post, and other events such as closing.",
    (
        SITE,
        required("history_id", "string", "id of the event within the site"),
        required(
            "history_type_id",
            "int",
            "1 to 3 initial title, body, tags; 4 to 6 edit of them; 7 to 9 rollback of them; 10 closed, 11 reopened, "
            "12 deleted, 13 undeleted, 14 locked, 15 unlocked, 16 made community wiki, 24 suggested edit applied; "
            "others as the dump's readme says",
        ),
        required("post_id", "string", "post of the event; may be missing from the dump"),
        column("revision_guid", "string", "shared by the events of one action"),
        column("created_at", "timestamp", "time of the event, UTC"),
        USER_ID,
        USER_NAME,
        column("comment", "string", "the editor's comment, or the number of the close reason"),
        column("text", "string", "new title, body (Markdown) or tags; of other events details in JSON"),
        CONTENT_LICENSE,
        UNKNOWN_ATTRIBUTES,
        SOURCE_FILE,
    ),
    key=("site", "history_id"),
)


DUPLICATE_LINK = 3
"""Value of ``link_type_id`` of a link that closed a question as a duplicate."""
