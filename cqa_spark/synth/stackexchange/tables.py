"""Writes a block's rows of the eight files of a dump: posts, comments, votes, links, users, badges, history, tags."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, repeat
from operator import itemgetter
from uuid import UUID

import numpy as np

from cqa_spark.synth.stackexchange.population import (
    ABOUT_TEXTS,
    BADGES_EACH,
    CLOSED,
    DAY,
    FIRST_QUESTION,
    HOUR,
    MAX_TAGS,
    USERS_EACH,
    Flags,
    Ints,
    Population,
    generator,
    uniforms,
)
from cqa_spark.synth.stackexchange.rows import (
    accounts,
    attribute_value,
    licences,
    markdown,
    padded,
    some,
    stamps,
    user_ids,
    xml_rows,
)
from cqa_spark.synth.stackexchange.texts import Bodies, CommentTable
from cqa_spark.synth.stackexchange.threads import BOUNTY_CLOSE, BOUNTY_START, Edits, Links, ThreadBlock, Votes
from cqa_spark.synth.stackexchange.vocabulary import Intent, Phrasebook, Subjects


def tag_lists(threads: ThreadBlock, tag_names: Sequence[str]) -> list[list[str]]:
    """Return the tags of each question in the notation of the dumps, one text per tag."""
    return [
        [f"&lt;{tag_names[tag]}&gt;" for tag in tags[:count]]
        for tags, count in zip(threads.subjects.tags.tolist(), threads.subjects.tag_counts.tolist(), strict=True)
    ]


def post_rows(
    threads: ThreadBlock,
    bodies: Bodies,
    tags: list[list[str]],
    edits: Edits,
    votes: Votes,
    comments: CommentTable,
    rng: np.random.Generator,
) -> str:
    """Write the posts of a block, by id; ``rng`` draws the number of views."""
    size, questions = len(threads.id), threads.questions
    is_answer, is_edited = np.arange(size) >= questions, edits.at >= 0
    views = np.exp(5 + 0.8 * rng.standard_normal(questions)) + 20 * np.maximum(votes.score, 0)[:questions]
    active = np.maximum(threads.posted, edits.at)
    np.maximum.at(active, threads.thread, threads.posted)  # an answer also counts as activity of its question
    favourites = votes.favourites[:questions]
    rows = xml_rows(
        {
            "Id": threads.id.tolist(),
            "PostTypeId": np.where(is_answer, 2, 1).tolist(),
            "AcceptedAnswerId": padded(some(threads.id[threads.accepted].tolist(), threads.accepted >= 0), size),
            "ParentId": some(threads.id[threads.thread].tolist(), is_answer),
            "CreationDate": stamps(threads.posted),
            "Score": votes.score.tolist(),
            "ViewCount": padded(views.astype(np.int64).tolist(), size),
            "Body": bodies.html,
            **accounts(threads.author, threads.ownerless, "Owner"),
            "LastEditorUserId": some(user_ids(edits.editor), is_edited),
            "LastEditDate": some(stamps(edits.at), is_edited),
            "LastActivityDate": stamps(active),
            "Title": padded(bodies.titles, size),
            "Tags": padded(map("".join, tags), size),
            "AnswerCount": padded((np.bincount(threads.thread, minlength=questions) - 1).tolist(), size),
            "CommentCount": np.bincount(comments.post, minlength=size).tolist(),
            "ClosedDate": padded(some(stamps(threads.closed), threads.closed >= 0), size),
            "FavoriteCount": padded(some(favourites.tolist(), favourites > 0), size),
            "ContentLicense": licences(threads.posted),
        }
    )
    return "".join(rows[post] for post in np.argsort(threads.id).tolist())


def comment_rows(comments: CommentTable, threads: ThreadBlock, first_id: int) -> str:
    """Write the comments of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(comments.text, first_id),
        "PostId": threads.id[comments.post].tolist(),
        "Score": comments.score.tolist(),
        "Text": comments.text,
        "CreationDate": stamps(comments.posted),
        **accounts(comments.author, comments.ownerless),
        "ContentLicense": licences(comments.posted),
    }
    return "".join(xml_rows(attributes))


def vote_rows(votes: Votes, threads: ThreadBlock, first_id: int) -> str:
    """Write the votes of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(votes.post, first_id),
        "PostId": threads.id[votes.post].tolist(),
        "VoteTypeId": votes.kind.tolist(),
        "UserId": some(user_ids(votes.member), votes.member >= 0),
        "CreationDate": stamps(votes.day),
        "BountyAmount": some(votes.amount.tolist(), np.isin(votes.kind, (BOUNTY_START, BOUNTY_CLOSE))),
    }
    return "".join(xml_rows(attributes))


def link_rows(links: Links, threads: ThreadBlock, first_id: int) -> str:
    """Write the links of a block, in the order of their ids."""
    attributes = {
        "Id": _ids(links.at, first_id),
        "CreationDate": stamps(links.at),
        "PostId": threads.id[links.question].tolist(),
        "RelatedPostId": links.related.tolist(),
        "LinkTypeId": links.kind.tolist(),
    }
    return "".join(xml_rows(attributes))


def _ids(rows: Sequence[object] | np.ndarray, first: int) -> range:
    return range(first, first + len(rows))


ABOUT_LENGTHS = (1, 1, 2, 2, 3, 5, 9)  # sentences
ABOUTS = 350
SPEAKING, LOCATED, LINKING = 0.35, 0.4, 0.25  # shares of users with a self-description, a location, a website
LOCATIONS = ("Doha, Qatar", "Łódź, Poland", "São Paulo, Brazil", "Leeds, UK", "Pune, India", "Reno, NV", "Zürich")
FIRST_USER = (
    '  <row Id="-1" Reputation="1" CreationDate="{0}" DisplayName="Community" LastAccessDate="{0}"'
    ' Location="on the server farm" AboutMe="&lt;p&gt;Hi, I\'m not really a person.&lt;/p&gt;&#xA;" Views="0"'
    ' UpVotes="0" DownVotes="0" AccountId="-1" />\r\n'
)
# Name, class (1 gold, 2 silver, 3 bronze), share of users with the badge. Users are drawn independently of everything
# else: badges carry no signal.
BADGES = (
    ("Autobiographer", 3, 0.35),
    ("Supporter", 3, 0.25),
    ("Student", 3, 0.2),
    ("Teacher", 3, 0.15),
    ("Editor", 3, 0.1),
    ("Scholar", 3, 0.08),
    ("Critic", 3, 0.06),
    ("Commentator", 3, 0.04),
    ("Yearling", 2, 0.2),
    ("Enthusiast", 2, 0.05),
    ("Necromancer", 2, 0.03),
    ("Fanatic", 1, 0.01),
)
TAG_BADGES = 0.05


def about_texts(tags: int, phrasebook: Phrasebook, seed: int) -> list[str]:
    """Compose self-descriptions, each of which many users share."""
    rng = generator(seed, 1, ABOUT_TEXTS)
    subjects = Subjects(
        rng.integers(tags, size=(ABOUTS, 1)), np.ones(ABOUTS, dtype=np.int64), np.zeros((ABOUTS, 1), dtype=np.int64)
    )
    lengths = np.resize(ABOUT_LENGTHS, ABOUTS)
    patterns = phrasebook.choose(Intent.ABOUT, rng, int(lengths.sum()))
    speech = phrasebook.say(patterns, subjects, np.repeat(np.arange(ABOUTS), lengths), rng)
    ends = np.cumsum(lengths).tolist()
    return [
        attribute_value("<p>") + speech.passage(begin, end) + attribute_value("</p>\n")
        for begin, end in zip([0, *ends[:-1]], ends, strict=True)
    ]


def user_rows(
    members: Ints, points: Ints, last_seen: Ints, population: Population, abouts: list[str], seed: int
) -> str:
    """Write users by id, without deleted ones; the site's own account precedes the first user.

    Args:
        members: numbers of the users.
        points: reputation gained by each user.
        last_seen: time of the last activity of each user, in milliseconds since 1970.
        population: members of the site.
        abouts: texts from ``about_texts``.
        seed: random seed of the site.
    """

    def choice(purpose: str, chance: float, items: Sequence[str], *, own: bool = False) -> list[object]:
        """For each member one of the items, or None; with ``own``, the item of the member."""
        value = uniforms(seed, purpose, members)
        index = np.arange(len(members)) if own else (value / chance * len(items)).astype(np.int64)
        return [items[at] if has else None for at, has in zip(index.tolist(), (value < chance).tolist(), strict=True)]

    joined = population.joined(members)
    active: Ints = np.maximum(joined, last_seen)
    visit = np.maximum(0, np.minimum(uniforms(seed, "visit", members) * 90 * DAY, CLOSED - active))
    ids = user_ids(members)
    up_votes = _counts(seed, "up votes", members)
    rows = xml_rows(
        {
            "Id": ids,
            "Reputation": np.maximum(1, 1 + points).tolist(),
            "CreationDate": stamps(joined),
            "DisplayName": population.names(members),
            "LastAccessDate": stamps(active + visit.astype(np.int64)),
            "WebsiteUrl": choice("website", LINKING, [f"https://user{own}.example.org" for own in ids], own=True),
            "Location": choice("location", LOCATED, LOCATIONS),
            "AboutMe": choice("about", SPEAKING, abouts),
            "Views": (_counts(seed, "views", members) - 1).tolist(),
            "UpVotes": (up_votes - 1).tolist(),
            "DownVotes": (up_votes // 9).tolist(),
            "AccountId": [3 * own + 1000 for own in ids],
        }
    )
    first = [FIRST_USER.format(stamps(joined[:1])[0])] if members[0] == 0 else []
    return "".join([*first, *compress(rows, (~population.is_deleted(members)).tolist())])


def badge_rows(members: Ints, population: Population, tag_names: Sequence[str], block: int, seed: int) -> str:
    """Write the badges of a block of users in chronological order."""
    alive = members[~population.is_deleted(members)]
    joined = population.joined(alive)
    badges: list[tuple[int, str]] = []

    def give(holders: Ints, since: Ints, purpose: str, names: Sequence[str], level: int, *, tag_based: bool) -> None:
        times = since + (uniforms(seed, f"time of {purpose}", holders) ** 3 * (CLOSED - since)).astype(np.int64)
        for user, name, time, stamp in zip(user_ids(holders), names, times.tolist(), stamps(times), strict=True):
            row = f' UserId="{user}" Name="{name}" Date="{stamp}" Class="{level}" TagBased="{tag_based}" />\r\n'
            badges.append((time, row))

    for name, level, chance in BADGES:
        has = uniforms(seed, name, alive) < chance
        give(alive[has], joined[has], name, [name] * int(has.sum()), level, tag_based=False)
    has = uniforms(seed, "tag badge", alive) < TAG_BADGES
    tags = (uniforms(seed, "tag of badge", alive[has]) ** 2 * len(tag_names)).astype(np.int64).tolist()
    give(alive[has], joined[has], "tag badge", [tag_names[tag] for tag in tags], 3, tag_based=True)
    badges.sort()
    first = 1 + block * USERS_EACH * BADGES_EACH
    return "".join(f'  <row Id="{number}"{row}' for number, (_, row) in enumerate(badges, start=first))


def _counts(seed: int, purpose: str, members: Ints) -> Ints:
    """A number of each member, of which few are large."""
    return (1 / (1 - uniforms(seed, purpose, members)) ** 0.8).astype(np.int64)


# Values of PostHistoryTypeId.
FIRST_TITLE, FIRST_BODY, FIRST_TAGS, TITLE, BODY, TAGS, QUESTION_CLOSED = 1, 2, 3, 4, 5, 6, 10
DUPLICATE, OFF_TOPIC = "101", "102"  # why a question was closed

ATTRIBUTES = (
    "PostHistoryTypeId",
    "PostId",
    "RevisionGUID",
    "CreationDate",
    "UserId",
    "UserDisplayName",
    "Comment",
    "Text",
    "ContentLicense",
)
Entry = tuple[object, ...]
"""The time of an entry, and its attributes in this order."""


def history_rows(
    threads: ThreadBlock,
    bodies: Bodies,
    tags: list[list[str]],
    edits: Edits,
    population: Population,
    first_id: int,
    rng: np.random.Generator,
) -> str:
    """Write the history of a block's posts in chronological order; ``rng`` draws revisions and voters."""
    size = len(threads.id)
    guids = _guids(rng, 2 * size + threads.questions)
    entries = [
        *_first_versions(threads, bodies, tags, edits, guids[:size]),
        *_edits(threads, bodies, tags, edits, guids[size : 2 * size]),
        *_closings(threads, population, guids[2 * size :], rng),
    ]
    _, *columns = zip(*sorted(entries, key=itemgetter(0)), strict=True)
    ids = {"Id": range(first_id, first_id + len(entries))}
    return "".join(xml_rows(ids | dict(zip(ATTRIBUTES, columns, strict=True))))


def _first_versions(
    threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]
) -> Iterator[Entry]:
    posts = zip(
        threads.posted.tolist(),
        threads.id.tolist(),
        guids,
        stamps(threads.posted),
        *accounts(threads.author, threads.ownerless).values(),
        licences(threads.posted),
        strict=True,
    )
    retitled, retagged = edits.title.tolist(), edits.tags.tolist()
    for post, (time, own, guid, stamp, user, name, licence) in enumerate(posts):
        texts = {FIRST_BODY: markdown(bodies.html[post][: bodies.first_length[post]])}
        if post < threads.questions:
            texts[FIRST_TITLE] = f"Question: {bodies.titles[post]}" if retitled[post] else bodies.titles[post]
            texts[FIRST_TAGS] = "".join(tags[post][:-1] if retagged[post] else tags[post])
        for kind, text in texts.items():
            yield time, kind, own, guid, stamp, user, name, None, text, licence


def _edits(
    threads: ThreadBlock, bodies: Bodies, tags: list[list[str]], edits: Edits, guids: list[str]
) -> Iterator[Entry]:
    at, licence = edits.at.tolist(), licences(edits.at)
    stamp, editor, own = stamps(edits.at), user_ids(edits.editor), threads.id.tolist()
    texts: tuple[tuple[int, Flags, str, Callable[[int], str]], ...] = (
        (BODY, edits.body, "added a paragraph in body", lambda post: markdown(bodies.html[post])),
        (TITLE, edits.title, "edited title", lambda post: bodies.titles[post]),
        (TAGS, edits.tags, "edited tags", lambda post: "".join(tags[post])),
    )
    for kind, edited, comment, text in texts:
        for post in np.flatnonzero(edited).tolist():
            yield (
                at[post], kind, own[post], guids[post], stamp[post], editor[post], None, comment, text(post),
                licence[post],
            )  # fmt: skip


def _closings(
    threads: ThreadBlock, population: Population, guids: list[str], rng: np.random.Generator
) -> Iterator[Entry]:
    """The closings of questions, which have no licence."""
    closed = np.flatnonzero(threads.closed >= 0)
    times = threads.closed[closed]
    voter = population.active(rng, times)
    voter[population.is_deleted(voter)] = 0  # a founder is never deleted
    original = np.where(threads.original >= 0, threads.id[threads.original], 0)[closed].tolist()
    facts = zip(
        closed.tolist(), times.tolist(), stamps(times), original, user_ids(voter), population.names(voter), strict=True
    )
    for post, time, stamp, repeated, user, name in facts:
        # Compact JSON, as in the dumps.
        why = {"OriginalQuestionIds": [repeated]} if repeated else {}
        text = json.dumps(why | {"Voters": [{"Id": user, "DisplayName": name}]}, separators=(",", ":"))
        comment = DUPLICATE if repeated else OFF_TOPIC
        yield (
            time,
            QUESTION_CLOSED,
            threads.id[post],
            guids[post],
            stamp,
            user,
            None,
            comment,
            attribute_value(text),
            None,
        )


def _guids(rng: np.random.Generator, count: int) -> list[str]:
    digits = rng.bytes(16 * count).hex()
    return [str(UUID(digits[at : at + 32])) for at in range(0, 32 * count, 32)]


EXPLAINED = 0.7  # share of tags with a wiki
WIKI_SENTENCES = 6
EXCERPT, WIKI = 4, 5  # values of PostTypeId
WIKI_BODY = 2  # value of PostHistoryTypeId


def tag_rows(tag_names: Sequence[str], tag_counts: Ints, seed: int) -> str:
    """Write the tags; unused tags appear only if they have a wiki.

    Args:
        tag_names: names of the tags of the site.
        tag_counts: number of questions of each tag.
        seed: random seed of the site.
    """
    explained = _explained(len(tag_names), seed)
    tags = range(len(tag_names))
    rows = xml_rows(
        {
            "Id": range(1, len(tag_names) + 1),
            "TagName": tag_names,
            "Count": tag_counts.tolist(),
            "ExcerptPostId": some((_post_id(tag, EXCERPT) for tag in tags), explained),
            "WikiPostId": some((_post_id(tag, WIKI) for tag in tags), explained),
        }
    )
    return "".join(rows[tag] for tag in np.flatnonzero(explained | (tag_counts > 0)).tolist())


def wiki_rows(tags: int, phrasebook: Phrasebook, seed: int) -> tuple[str, str]:
    """Write the excerpts and wikis of the tags: rows of Posts.xml and of PostHistory.xml."""
    rng = generator(seed, 0, ABOUT_TEXTS)
    subjects = Subjects(np.arange(tags)[:, None], np.ones(tags, dtype=np.int64), np.zeros((tags, 1), dtype=np.int64))
    patterns = phrasebook.choose(Intent.WIKI, rng, tags * WIKI_SENTENCES)
    speech = phrasebook.say(patterns, subjects, np.repeat(np.arange(tags), WIKI_SENTENCES), rng)
    tags_explained = np.flatnonzero(_explained(tags, seed)).tolist()
    kinds = [(tag, kind) for tag in tags_explained for kind in (EXCERPT, WIKI)]
    ids = np.array([_post_id(tag, kind) for tag, kind in kinds], dtype=np.int64)
    times = FIRST_QUESTION - HOUR * (2 * MAX_TAGS - ids + 1)  # at equal intervals, until the first question
    stamp, licence = stamps(times), licences(times)
    bodies = [
        speech.passage(begin, begin + 1)
        if kind == EXCERPT
        else attribute_value("<p>") + speech.passage(begin + 1, begin + WIKI_SENTENCES) + attribute_value("</p>\n")
        for begin, kind in ((tag * WIKI_SENTENCES, kind) for tag, kind in kinds)
    ]
    posts = {
        "Id": ids.tolist(),
        "PostTypeId": [kind for _, kind in kinds],
        "CreationDate": stamp,
        "Score": repeat(0, len(ids)),
        "Body": bodies,
        "OwnerUserId": repeat(1, len(ids)),
        "LastActivityDate": stamp,
        "CommentCount": repeat(0, len(ids)),
        "ContentLicense": licence,
    }
    history = {
        "Id": ids.tolist(),
        "PostHistoryTypeId": repeat(WIKI_BODY, len(ids)),
        "PostId": ids.tolist(),
        "RevisionGUID": [f"{seed % 16**8:08x}-0000-4000-8000-{post:012x}" for post in ids.tolist()],
        "CreationDate": stamp,
        "UserId": repeat(1, len(ids)),
        "Text": map(markdown, bodies),
        "ContentLicense": licence,
    }
    return "".join(xml_rows(posts)), "".join(xml_rows(history))


def _explained(tags: int, seed: int) -> Flags:
    return uniforms(seed, "tag wiki", np.arange(tags)) < EXPLAINED


def _post_id(tag: int, kind: int) -> int:
    return 2 * tag + (1 if kind == EXCERPT else 2)
