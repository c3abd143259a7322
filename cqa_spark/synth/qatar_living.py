"""Writes a generated Qatar Living forum: training and development dumps, a gold file, and a dump without labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from cqa_spark.process.disk_failures import cannot_write
from cqa_spark.synth.forum import Forum
from cqa_spark.synth.official_layout import HEAD, TAIL, flat_layout, nested_layout, scorer_lines

# Real dumps contain such threads, with an undeclared entity. The reader must quarantine it and read the rest.
BROKEN_THREAD = """
<OrgQuestion ORGQ_ID="Q0">
	<OrgQSubject>Is this thread readable?</OrgQSubject>
	<OrgQBody>It is not; and everything around it is.</OrgQBody>

	<Thread THREAD_SEQUENCE="Q0_R1">
		<RelQuestion RELQ_ID="Q0_R1" RELQ_RANKING_ORDER="1" RELQ_CATEGORY="Finance" RELQ_DATE="2013-01-01 00:00:00" \
RELQ_USERID="U1" RELQ_USERNAME="nobody" RELQ_RELEVANCE2ORGQ="Irrelevant">
			<RelQSubject>Savings &undeclared; loans</RelQSubject>
			<RelQBody>The subject names an entity that no one declared.</RelQBody>
		</RelQuestion>
	</Thread>
</OrgQuestion>
"""


@dataclass(frozen=True)
class SamplePaths:
    """The files of a sample.

    Attributes:
        train: labelled threads for training, one of them malformed.
        dev: labelled threads for evaluation.
        gold: judgments of subtask A for ``dev``, in the format of the official scorer.
        unlabelled: threads of subtask A without labels.
    """

    train: Path
    dev: Path
    gold: Path
    unlabelled: Path


def write_sample(output: Path, *, threads: int, dev_threads: int, seed: int) -> SamplePaths:
    """Generate a forum and write its dumps; the same arguments give the same bytes.

    Args:
        output: folder, created if it does not exist.
        threads: well-formed threads of the training dump.
        dev_threads: threads of the development dump; a third of that number is written to the dump without labels.
        seed: random seed.

    Raises:
        EnvironmentProblem: the folder cannot be written to, or its disk is full.
    """
    paths = SamplePaths(output / "train.xml", output / "dev.xml", output / "dev.relevancy", output / "unlabelled.xml")
    forum = Forum(seed, users=30 + threads // 2)
    try:
        output.mkdir(parents=True, exist_ok=True)
        _write(paths.train, chain([HEAD], nested_layout(forum.original_questions(threads)), [BROKEN_THREAD, TAIL]))
        dev = list(forum.original_questions(dev_threads))
        _write(paths.dev, chain([HEAD], nested_layout(dev), [TAIL]))
        _write(paths.gold, scorer_lines(dev))
        unlabelled = forum.original_questions(max(1, dev_threads // 3))
        _write(paths.unlabelled, chain([HEAD], flat_layout(unlabelled), [TAIL]))
    except OSError as error:
        raise cannot_write(f"the sample to {output}", error) from error
    return paths


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
