"""Writes the dump of a generated site, block by block, with several processes and bounded memory."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import numpy as np

from cqa_spark.process.disks import cannot_write
from cqa_spark.process.pool import Pool
from cqa_spark.synth.stackexchange.population import (
    COMMENTS_EACH,
    LINKS_EACH,
    THREADS,
    USERS_EACH,
    VOTES_EACH,
    Ints,
    Population,
    SitePlan,
    generator,
)
from cqa_spark.synth.stackexchange.rows import FILES, HEAD, TAIL
from cqa_spark.synth.stackexchange.tables import (
    about_texts,
    badge_rows,
    comment_rows,
    history_rows,
    link_rows,
    post_rows,
    tag_lists,
    tag_rows,
    user_rows,
    vote_rows,
    wiki_rows,
)
from cqa_spark.synth.stackexchange.texts import CommentTable, compose_bodies, invent_comments
from cqa_spark.synth.stackexchange.threads import (
    Edits,
    ThreadBlock,
    Votes,
    invent_edits,
    invent_links,
    invent_threads,
    invent_votes,
)
from cqa_spark.synth.stackexchange.vocabulary import Phrasebook, SiteVocabulary


@dataclass(frozen=True)
class Tally:
    """Totals of a block for its members and tags.

    Attributes:
        members: distinct numbers of the active members.
        points: reputation gained by each of them.
        last_seen: time of the last activity of each of them, in milliseconds since 1970.
        tag_counts: number of questions of each tag.
    """

    members: Ints
    points: Ints
    last_seen: Ints
    tag_counts: Ints


@dataclass(frozen=True)
class Site:
    """State shared by all blocks of a site."""

    population: Population
    vocabulary: SiteVocabulary
    phrasebook: Phrasebook
    about_texts: list[str]


@lru_cache(maxsize=1)
def site_of(plan: SitePlan) -> Site:
    """Build the shared state of all blocks, once per process."""
    vocabulary = SiteVocabulary(plan.seed, plan.tags)
    phrasebook = Phrasebook(vocabulary)
    return Site(Population(plan), vocabulary, phrasebook, about_texts(plan.tags, phrasebook, plan.seed))


def block_of_threads(plan: SitePlan, block: int) -> tuple[dict[str, bytes], Tally]:
    """Generate a block of threads, which depends only on the plan and the number of the block.

    Returns:
        The rows for each file, and the totals for members and tags.
    """
    site = site_of(plan)
    rng = generator(plan.seed, block, THREADS)
    threads = invent_threads(plan, block, site.population, site.vocabulary, rng)
    votes = invent_votes(threads, site.population, rng)
    comments = invent_comments(threads, site.population, site.phrasebook, rng)
    edits = invent_edits(threads, site.population, rng)
    links = invent_links(plan, block, threads, rng)
    bodies = compose_bodies(threads, links, edits.body, plan.site, site.phrasebook, rng)
    tags = tag_lists(threads, site.vocabulary.tag_names)
    rows = {
        "Posts": post_rows(threads, bodies, tags, edits, votes, comments, rng),
        "Comments": comment_rows(comments, threads, 1 + block * COMMENTS_EACH),
        "Votes": vote_rows(votes, threads, 1 + block * VOTES_EACH),
        "PostLinks": link_rows(links, threads, 1 + block * LINKS_EACH),
        "PostHistory": history_rows(threads, bodies, tags, edits, site.population, plan.first_history(block), rng),
    }
    return {name: text.encode() for name, text in rows.items()}, _tally(plan, threads, votes, comments, edits)


def _tally(plan: SitePlan, threads: ThreadBlock, votes: Votes, comments: CommentTable, edits: Edits) -> Tally:
    edited = (edits.at >= 0) & (edits.editor >= 0)
    actors = np.concatenate((threads.author, comments.author, edits.editor[edited]))
    times = np.concatenate((threads.posted, comments.posted, edits.at[edited]))
    members, member = np.unique(actors, return_inverse=True)
    last_seen = np.zeros(len(members), dtype=np.int64)
    np.maximum.at(last_seen, member, times)
    points = np.zeros(len(members), dtype=np.int64)
    np.add.at(points, member[: len(threads.author)], votes.points)
    tags, counts = threads.subjects.tags, threads.subjects.tag_counts
    used = tags[np.arange(tags.shape[1]) < counts[:, None]]
    return Tally(members, points, last_seen, np.bincount(used, minlength=plan.tags))


def block_of_users(plan: SitePlan, block: int, points: Ints, last_seen: Ints) -> dict[str, bytes]:
    """Generate a block of users with their badges.

    Args:
        plan: the site.
        block: number of the block.
        points: reputation of each user of the block.
        last_seen: time of the last activity of each user, in milliseconds since 1970.
    """
    site = site_of(plan)
    members = block * USERS_EACH + np.arange(len(points))
    rows = {
        "Users": user_rows(members, points, last_seen, site.population, site.about_texts, plan.seed),
        "Badges": badge_rows(members, site.population, site.vocabulary.tag_names, block, plan.seed),
    }
    return {name: text.encode() for name, text in rows.items()}


def block_of_tags(plan: SitePlan, tag_counts: Ints) -> dict[str, bytes]:
    """Generate the tags of the site; ``block_of_wikis`` generates their wikis, which come before all threads."""
    return {"Tags": tag_rows(site_of(plan).vocabulary.tag_names, tag_counts, plan.seed).encode()}


def block_of_wikis(plan: SitePlan) -> dict[str, bytes]:
    """Generate the posts that explain the tags, and their history."""
    posts, history = wiki_rows(plan.tags, site_of(plan).phrasebook, plan.seed)
    return {"Posts": posts.encode(), "PostHistory": history.encode()}


@dataclass(frozen=True)
class Dump:
    """A generated dump.

    Attributes:
        folder: folder of the eight files.
        sizes: size of each file in bytes, by file name without extension.
    """

    folder: Path
    sizes: dict[str, int]


def write_dump(
    output: Path,
    *,
    site: str,
    threads: int,
    seed: int,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    signal: bool = SitePlan.signal,
    duplicates: float = SitePlan.duplicates,
) -> Dump:
    """Generate a site and write its dump; the same arguments give the same bytes for any number of processes.

    Args:
        output: parent of the site's folder, created if it does not exist.
        site: host name, such as ``workshop.stackexchange.com``.
        threads: number of threads.
        seed: random seed.
        workers: number of processes; by default one per processor.
        progress: called with the number of threads written and the total.
        signal: whether good answers are distinguishable; see ``threads.py``.
        duplicates: share of questions that repeat an earlier one in other words.

    Raises:
        EnvironmentProblem: the folder cannot be written to, or its disk is full.
    """
    plan = SitePlan(site, threads, seed, signal, duplicates)
    folder = output / site
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files: dict[str, BinaryIO] = {
                name: stack.enter_context((folder / f"{name}.xml").open("wb")) for name in FILES
            }
            for name, file in files.items():
                file.write(HEAD.format(name.lower()).encode())
            with Pool(min(workers or os.cpu_count() or 1, plan.blocks)) as pool:
                _write_rows(plan, files, pool, progress or (lambda done, total: None))
            for name, file in files.items():
                file.write(TAIL.format(name.lower()).encode())
    except OSError as error:
        raise cannot_write(f"the dump to {folder}", error) from error
    return Dump(folder, {name: (folder / f"{name}.xml").stat().st_size for name in FILES})


def _write_rows(plan: SitePlan, files: dict[str, BinaryIO], pool: Pool, progress: Callable[[int, int], None]) -> None:
    _append(files, block_of_wikis(plan))
    points, last_seen = np.zeros(plan.users, dtype=np.int64), np.zeros(plan.users, dtype=np.int64)
    tag_counts = np.zeros(plan.tags, dtype=np.int64)
    done = 0
    for block, (rows, tally) in enumerate(pool.in_order(block_of_threads, ((plan, b) for b in range(plan.blocks)))):
        _append(files, rows)
        points[tally.members] += tally.points
        last_seen[tally.members] = np.maximum(last_seen[tally.members], tally.last_seen)
        tag_counts += tally.tag_counts
        done += plan.threads_of(block)
        progress(done, plan.threads)
    parts = [slice(begin, begin + USERS_EACH) for begin in range(0, plan.users, USERS_EACH)]
    users = ((plan, block, points[part], last_seen[part]) for block, part in enumerate(parts))
    for rows in pool.in_order(block_of_users, users):
        _append(files, rows)
    _append(files, block_of_tags(plan, tag_counts))


def _append(files: dict[str, BinaryIO], rows: dict[str, bytes]) -> None:
    for name, content in rows.items():
        files[name].write(content)
