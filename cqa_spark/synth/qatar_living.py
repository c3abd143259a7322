"""Writes a generated Qatar Living forum: training and development dumps, a gold file, and a dump without labels.

Source: layouts and format of the scorer of Nakov et al. (2016), SemEval-2016 Task 3: Community Question Answering.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from cqa_spark.process.disk_failures import cannot_write
from cqa_spark.synth.forum import Forum, OriginalQuestion, Thread

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE xml [\n<!ELEMENT xml ANY>\n]>\n<xml version="1.0">\n'
TAIL = "\n</xml>\n"
UNKNOWN = "?"


def nested_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtasks A, B and C, with all labels.

    As in the official files, an original question is repeated with each of its threads.
    """
    for question in questions:
        for thread in question.threads:
            yield f'\n<OrgQuestion ORGQ_ID="{question.id}">\n'
            yield f"\t<OrgQSubject>{escape(question.subject)}</OrgQSubject>\n"
            yield f"\t<OrgQBody>{escape(question.body)}</OrgQBody>\n"
            yield from _thread(thread, nested=True)
            yield "</OrgQuestion>\n"


def flat_layout(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the XML of subtask A: threads without an original question, without labels."""
    for question in questions:
        for thread in question.threads:
            yield from _thread(thread, nested=False)


def scorer_lines(questions: Iterable[OriginalQuestion]) -> Iterator[str]:
    """Yield the judgments of subtask A: query, candidate, rank, score of the given order, whether it is Good.

    Repeated threads are omitted, as in the official task.
    """
    for question in questions:
        for thread in question.threads:
            if thread.same_as is None:
                for rank, comment in enumerate(thread.conversation.comments, start=1):
                    good = str(comment.label == "Good").lower()
                    yield f"{thread.id}\t{thread.id}_C{rank}\t{rank}\t{1 / rank:.15g}\t{good}\n"


def _thread(thread: Thread, *, nested: bool) -> Iterator[str]:
    talk = thread.conversation
    skip = {"SubtaskA_Skip_Because_Same_As_RelQuestion_ID": thread.same_as} if thread.same_as else {}
    search = {"RELQ_RANKING_ORDER": str(thread.search_rank)} if nested else {}
    relevance = {"RELQ_RELEVANCE2ORGQ": thread.relevance} if nested else {}
    facts = {
        "RELQ_CATEGORY": talk.topic.category,
        "RELQ_DATE": _date(talk.asked),
        "RELQ_USERID": talk.asker.id,
        "RELQ_USERNAME": talk.asker.name,
    }
    yield f"\n\t<Thread{_attributes({'THREAD_SEQUENCE': thread.id} | skip)}>\n"
    yield f"\t\t<RelQuestion{_attributes({'RELQ_ID': thread.id} | search | facts | relevance)}>\n"
    yield f"\t\t\t<RelQSubject>{escape(talk.subject)}</RelQSubject>\n"
    yield f"\t\t\t<RelQBody>{escape(talk.body)}</RelQBody>\n"
    yield "\t\t</RelQuestion>\n"
    yield from _comments(thread, nested=nested)
    yield "\t</Thread>\n"


def _comments(thread: Thread, *, nested: bool) -> Iterator[str]:
    labelled = zip(thread.conversation.comments, thread.original_labels, strict=True)
    for number, (comment, original_label) in enumerate(labelled, start=1):
        facts = {
            "RELC_ID": f"{thread.id}_C{number}",
            "RELC_DATE": _date(comment.posted),
            "RELC_USERID": comment.author.id,
            "RELC_USERNAME": comment.author.name,
        }
        original = {"RELC_RELEVANCE2ORGQ": original_label} if nested else {}
        own = {"RELC_RELEVANCE2RELQ": comment.label if nested else UNKNOWN}
        yield f"\n\t\t<RelComment{_attributes(facts | original | own)}>\n"
        yield f"\t\t\t<RelCText>{escape(comment.text)}</RelCText>\n"
        yield "\t\t</RelComment>\n"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in values.items())


def _date(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")


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
