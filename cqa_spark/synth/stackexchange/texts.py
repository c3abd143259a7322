"""Composes the texts of a block: titles and bodies of posts, and comments whose tone shows the quality of answers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cqa_spark.synth.stackexchange.population import (
    CLOSED,
    COMMENTS_EACH,
    HOUR,
    Flags,
    Floats,
    Ints,
    Population,
    later,
    sigmoid,
    within,
)
from cqa_spark.synth.stackexchange.rows import attribute_value
from cqa_spark.synth.stackexchange.threads import (
    LINKED,
    Links,
    ThreadBlock,
    code_chance,
    echo_chance,
    length_factor,
    praise_chance,
)
from cqa_spark.synth.stackexchange.vocabulary import Intent, Phrasebook, Speech

MOST_SENTENCES = 150
CODE_IN_QUESTIONS, QUOTES, LISTS = 0.35, 0.08, 0.15
LISTED = 2  # sentences in a list
QUESTIONS_ECHO = 0.4  # probability that a question uses its own words instead of words of its topic
LINE = attribute_value("\n")
PARAGRAPH = attribute_value("<p>{}</p>\n")
CODE = attribute_value("<pre><code>{}</code></pre>\n")
QUOTE = attribute_value("<blockquote>\n<p>{}</p>\n</blockquote>\n")
LIST, ITEM = attribute_value("<ul>\n{}</ul>\n"), attribute_value("<li>{}</li>\n")
EDIT = attribute_value("<p><strong>Edit:</strong> {}</p>\n")
SEE = attribute_value('<p>This is like <a href="https://{}/questions/{}">another question</a>.</p>\n')


@dataclass(frozen=True)
class Bodies:
    """Titles and bodies, escaped for XML.

    Attributes:
        titles: of the questions.
        html: of all posts.
        first_length: number of characters of ``html`` before the edit, for each post.
    """

    titles: list[str]
    html: list[str]
    first_length: list[int]


def compose_bodies(
    threads: ThreadBlock, links: Links, edited: Flags, site: str, phrasebook: Phrasebook, rng: np.random.Generator
) -> Bodies:
    """Compose titles and bodies.

    Args:
        threads: threads of the block.
        links: links of its questions; bodies contain those that existed when the question was posted.
        edited: posts to which an edit added a paragraph.
        site: host name.
        phrasebook: phrasebook of the site.
        rng: random generator of the block.
    """
    ends, sentences = _draw_sentences(threads, phrasebook, rng)
    code_ends, code = _draw_code(threads, phrasebook, rng)
    titles = phrasebook.say(
        phrasebook.choose(Intent.TITLE, rng, threads.questions), threads.subjects, np.arange(threads.questions), rng
    )
    see: dict[int, str] = {
        question: SEE.format(site, related)
        for question, related, kind in zip(
            links.question.tolist(), links.related.tolist(), links.kind.tolist(), strict=True
        )
        if kind == LINKED
    }
    size = len(threads.id)
    quoting = ((rng.random(size) < QUOTES) & (np.arange(size) >= threads.questions)).tolist()
    listing = (rng.random(size) < LISTS).tolist()
    steps = iter(rng.integers(1, 5, size=int(ends[-1]) + 1).tolist())
    is_edited, question = edited.tolist(), threads.thread.tolist()
    html, first_length = [], []
    begin = code_begin = 0
    for post, (end, code_end) in enumerate(zip(ends.tolist(), code_ends.tolist(), strict=True)):
        last = end - is_edited[post]  # the edit's paragraph is the last sentence
        items = LISTED if listing[post] and last - begin > LISTED + 1 else 0
        parts = [PARAGRAPH.format(sentences.passage(a, b)) for a, b in _cut(begin, last - items, steps)]
        if code_end > code_begin:
            parts.insert(1, CODE.format(code.lines(code_begin, code_end)))
        if quoting[post]:
            start = int(ends[question[post] - 1]) if question[post] else 0
            parts.insert(0, QUOTE.format(sentences.passage(start, start + 1)))
        if items:
            parts.append(
                LIST.format("".join(ITEM.format(sentences.passage(at, at + 1)) for at in range(last - items, last)))
            )
        if post in see:
            parts.append(see[post])
        first = LINE.join(parts)
        html.append(first + LINE + EDIT.format(sentences.passage(last, end)) if is_edited[post] else first)
        first_length.append(len(first))
        begin, code_begin = end, code_end
    return Bodies([titles.passage(at, at + 1) for at in range(threads.questions)], html, first_length)


def _cut(begin: int, end: int, steps: Iterator[int]) -> Iterator[tuple[int, int]]:
    """Divide a sequence of sentences into paragraphs."""
    while begin < end:
        stop = min(begin + next(steps), end)
        yield begin, stop
        begin = stop


def _draw_sentences(threads: ThreadBlock, phrasebook: Phrasebook, rng: np.random.Generator) -> tuple[Ints, Speech]:
    """Draw the sentences of all posts; also return the end of the sentences of each post."""
    questions, answers = threads.questions, threads.answers
    asked = np.exp(2.35 + 0.6 * rng.standard_normal(questions))
    answered = np.exp(2.3 + 0.5 * rng.standard_normal(answers)) * length_factor(threads.traits.form)
    lengths = np.clip(np.concatenate((asked, answered)), 2, MOST_SENTENCES).astype(np.int64)
    about = np.repeat(threads.thread, lengths)
    in_questions = int(lengths[:questions].sum())
    patterns = np.concatenate(
        (
            phrasebook.choose(Intent.PROBLEM, rng, in_questions),
            phrasebook.choose(Intent.ADVICE, rng, len(about) - in_questions),
        )
    )
    echo = np.concatenate((np.full(questions, QUESTIONS_ECHO), echo_chance(threads.traits.overlap)))
    return np.cumsum(lengths), phrasebook.say(patterns, threads.subjects, about, rng, np.repeat(echo, lengths))


def _draw_code(threads: ThreadBlock, phrasebook: Phrasebook, rng: np.random.Generator) -> tuple[Ints, Speech]:
    """Draw the lines of code of all posts; also return the end of the lines of each post."""
    chance = np.concatenate((np.full(threads.questions, CODE_IN_QUESTIONS), code_chance(threads.traits.form)))
    lengths = np.where(rng.random(len(chance)) < chance, 1 + rng.geometric(0.2, size=len(chance)), 0)
    patterns = phrasebook.choose(Intent.CODE, rng, int(lengths.sum()))
    return np.cumsum(lengths), phrasebook.say(patterns, threads.subjects, np.repeat(threads.thread, lengths), rng)


SPEAKS_UP = 0.25  # probability that the author of the post comments
LONGER = 0.62  # probability of each further sentence
MOST_COMMENT_SENTENCES = 7  # the site limits comments to 600 characters


@dataclass(frozen=True)
class CommentTable:
    """Comments in the order of their ids.

    Attributes:
        post: position of the post.
        posted: time, in milliseconds since 1970.
        author: number of the member.
        ownerless: whether the author's account was deleted.
        score: number of up votes, which Votes.xml does not list.
        text: escaped for XML.
    """

    post: Ints
    posted: Ints
    author: Ints
    ownerless: Flags
    score: Ints
    text: list[str]


def invent_comments(
    threads: ThreadBlock, population: Population, phrasebook: Phrasebook, rng: np.random.Generator
) -> CommentTable:
    """Generate the comments of a block."""
    size = len(threads.id)
    counts = within(rng.negative_binomial(1.0, 0.4, size=size), COMMENTS_EACH)
    post = np.repeat(np.arange(size), counts)
    posted = later(rng, threads.posted[post], CLOSED, 6 * HOUR, 1.8)
    by_owner = rng.random(len(post)) < SPEAKS_UP
    author = np.where(by_owner, threads.author[post], population.active(rng, posted))
    order = np.argsort(posted, kind="stable")
    post, posted, by_owner, author = post[order], posted[order], by_owner[order], author[order]
    return CommentTable(
        post=post,
        posted=posted,
        author=author,
        ownerless=population.is_deleted(author),
        score=rng.geometric(0.7, size=len(post)) - 1,
        text=_texts(threads, post, by_owner, phrasebook, rng),
    )


def _texts(
    threads: ThreadBlock, post: Ints, by_owner: Flags, phrasebook: Phrasebook, rng: np.random.Generator
) -> list[str]:
    """Texts of the comments: the first sentence follows the intent, the others are asides."""
    is_answer = post >= threads.questions
    tone = np.zeros(len(post))
    tone[is_answer] = threads.traits.comment_tone[post[is_answer] - threads.questions]
    mood: Floats = rng.random(len(post))
    praise = praise_chance(tone)
    criticism = (1 - praise) * sigmoid(-2 * tone)
    first = phrasebook.choose(Intent.ASIDE, rng, len(post))
    for intent, comments in (
        (Intent.PRAISE, is_answer & (mood < praise)),
        (Intent.CRITICISM, is_answer & (mood > 1 - criticism)),
        (Intent.REQUEST, ~is_answer & (mood < 0.7)),
        (Intent.REPLY, by_owner),
    ):
        first[comments] = phrasebook.choose(intent, rng, int(comments.sum()))
    lengths = np.minimum(rng.geometric(1 - LONGER, size=len(post)), MOST_COMMENT_SENTENCES)
    ends = np.cumsum(lengths)
    patterns = phrasebook.choose(Intent.ASIDE, rng, int(lengths.sum()))
    patterns[ends - lengths] = first
    speech = phrasebook.say(patterns, threads.subjects, np.repeat(threads.thread[post], lengths), rng)
    starts = (ends - lengths).tolist()
    return [speech.passage(begin, end) for begin, end in zip(starts, ends.tolist(), strict=True)]
