"""Writes Tags.xml, and the tag wikis, which are posts."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from cqa_spark.synth.stackexchange.draws import ABOUT_TEXTS, HOUR, Flags, Ints, generator, uniforms
from cqa_spark.synth.stackexchange.phrasebook import Intent, Phrasebook, Subjects
from cqa_spark.synth.stackexchange.plan import FIRST_QUESTION, MAX_TAGS
from cqa_spark.synth.stackexchange.rows import attribute_value, licences, markdown, some, stamps, xml_rows

EXPLAINED = 0.7  # share of tags with a wiki
WIKI_SENTENCES = 6
EXCERPT, WIKI = 4, 5  # values of PostTypeId
FIRST_BODY = 2  # value of PostHistoryTypeId


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
        "PostHistoryTypeId": repeat(FIRST_BODY, len(ids)),
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
