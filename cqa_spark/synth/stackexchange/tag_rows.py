"""Writes Tags.xml, and the tag wikis, which are posts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cqa_spark.synth.stackexchange.draws import ABOUT_TEXTS, HOUR, Flags, Ints, generator, uniforms
from cqa_spark.synth.stackexchange.markup import attribute_value, markdown
from cqa_spark.synth.stackexchange.patterns import Intent
from cqa_spark.synth.stackexchange.phrasebook import Phrasebook, Subjects
from cqa_spark.synth.stackexchange.plan import FIRST_QUESTION, MAX_TAGS
from cqa_spark.synth.stackexchange.rows import licences, stamps

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
    rows = []
    explained = _explained(len(tag_names), seed).tolist()
    for tag, (name, count) in enumerate(zip(tag_names, tag_counts.tolist(), strict=True)):
        wiki = f' ExcerptPostId="{_post_id(tag, EXCERPT)}" WikiPostId="{_post_id(tag, WIKI)}"'
        if count or explained[tag]:
            rows.append(
                f'  <row Id="{tag + 1}" TagName="{name}" Count="{count}"{wiki if explained[tag] else ""} />\r\n'
            )
    return "".join(rows)


def wiki_rows(tags: int, phrasebook: Phrasebook, seed: int) -> tuple[str, str]:
    """Write the excerpts and wikis of the tags: rows of Posts.xml and of PostHistory.xml."""
    rng = generator(seed, 0, ABOUT_TEXTS)
    subjects = Subjects(np.arange(tags)[:, None], np.ones(tags, dtype=np.int64), np.zeros((tags, 1), dtype=np.int64))
    patterns = phrasebook.choose(Intent.WIKI, rng, tags * WIKI_SENTENCES)
    speech = phrasebook.say(patterns, subjects, np.repeat(np.arange(tags), WIKI_SENTENCES), rng)
    posts, history = [], []
    for tag in np.flatnonzero(_explained(tags, seed)).tolist():
        begin, end = tag * WIKI_SENTENCES, (tag + 1) * WIKI_SENTENCES
        bodies = {
            EXCERPT: speech.passage(begin, begin + 1),
            WIKI: attribute_value("<p>") + speech.passage(begin + 1, end) + attribute_value("</p>\n"),
        }
        for kind, body in bodies.items():
            # At equal intervals, until the first question.
            time = np.array([FIRST_QUESTION - HOUR * (2 * MAX_TAGS - _post_id(tag, kind) + 1)])
            [stamp], [licence] = stamps(time), licences(time)
            post = _post_id(tag, kind)
            posts.append(
                f'  <row Id="{post}" PostTypeId="{kind}" CreationDate="{stamp}" Score="0" Body="{body}"'
                f' OwnerUserId="1" LastActivityDate="{stamp}" CommentCount="0" ContentLicense="{licence}" />\r\n'
            )
            guid = f"{seed % 16**8:08x}-0000-4000-8000-{post:012x}"
            history.append(
                f'  <row Id="{post}" PostHistoryTypeId="{FIRST_BODY}" PostId="{post}" RevisionGUID="{guid}"'
                f' CreationDate="{stamp}" UserId="1" Text="{markdown(body)}" ContentLicense="{licence}" />\r\n'
            )
    return "".join(posts), "".join(history)


def _explained(tags: int, seed: int) -> Flags:
    return uniforms(seed, "tag wiki", np.arange(tags)) < EXPLAINED


def _post_id(tag: int, kind: int) -> int:
    return 2 * tag + (1 if kind == EXCERPT else 2)
