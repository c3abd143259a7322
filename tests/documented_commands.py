"""The command lines that README, the documentation and ``--help`` print, and a folder with their inputs."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from golden.duplicate import write_site
from py7zr import SevenZipFile

from cqa_spark.cli import main
from cqa_spark.commands.jobs import Job, all_jobs
from cqa_spark.lake.pointer import Pointer, change_pointer, claim
from cqa_spark.lake.run_log import RunLog, RunRecord
from cqa_spark.object_store.folder import Folder
from cqa_spark.synth.qatar_living import write_sample

ROOT = Path(__file__).resolve().parents[1]
# The commands of the archive are those of the earlier commits that it names.
PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {ROOT / "docs" / "archive.md"})]
PROGRAMS = ("cqa", "python", "pip", "make", "docker", "./spark-submit.sh")
PROBABLY_A_COMMAND = re.compile(rf"^(?:{'|'.join(map(re.escape, PROGRAMS))}|deploy/\S+) \S|^make \w")
NOT_HERE = {
    r"^(make|pip|docker) ": "sets up, builds or downloads",
    r"^cqa (setup|demo)( --driver \w+)?$": "downloads; make demo, and the test of the wheel, run it",
    r"irds:": "downloads a collection",
    r" --against ": "needs the judgments of the published table; tests/unit/evaluation/test_published.py has some",
    r"topics/|docs/examples|expert": "needs the package of an example installed, whose own test runs it",
    r"^cqa lake forget ": "reads the rows of a published run; tests/integration/lake/test_forget.py runs it",
    r" mine\.yaml$": "needs the recipe that cqa new wrote; tests/unit/test_wheel.py runs it",
    r"--dump-format database |--database conf/": "needs a JDBC driver; test_database_night.py runs it with one",
    r"^cqa score --model build/": "needs the model that the training above it writes",
    r"shoe_size(_v1| |$)|^python -m pytest": "needs a package that cqa new wrote installed; test_new.py runs its test",
}
"""Patterns of command lines that cannot run here, with the reason."""

TEXTS = {
    ("gold.relevancy", "dev.relevancy", "dev.xml.subtaskA.relevancy", "android_devel.xml.relevancy",
     "android_test.relevancy", "test.relevancy", "test.xml.subtaskA.relevancy"):
        "Q1\tQ1_R1\t1\t0\ttrue\nQ1\tQ1_R2\t2\t0\tfalse\n",
    ("best_a.pred", "other.pred", "official.pred", "c.pred", "best_d.pred", "fused_e.pred", "android.pred",
     "ours.pred", "subtask_A_primary.txt"):
        "Q1\tQ1_R1\t0\t0.2\ttrue\nQ1\tQ1_R2\t0\t0.7\tfalse\n",
    ("dev.qrels",): "q1 0 a 2\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\n",
    ("best.run", "best_a.run", "old.run", "new.run", "a.run", "b.run", "bm25.run", "dense.run", "ours.run"):
        "q1 Q0 b 1 2.0 r\nq1 Q0 a 2 1.0 r\nq2 Q0 a 1 2.0 r\nq2 Q0 c 2 1.0 r\n",
    ("STS.gs.news.txt", "STS.gs.headlines.txt", "news.out", "STS.output.headlines.txt"): "1.0\n4.5\n3.0\n",
}  # fmt: skip
"""Judgments, predictions and runs by the names that command lines give them."""

NAMED = (
    "Posts.xml", "posts.parquet", "posts.csv", "comments.csv", "votes.jsonl", "train.xml.gz", "sts-train.csv",
    "sts-test.csv", "STS.input.news.txt", "STS.input.track1.ar-ar.txt", "pairs.tsv", "new.tsv", "android_devel.xml",
    "android_train.xml", "cqadupstack/android.zip", "tables/posts.csv", "semeval/README",
)  # fmt: skip
"""Further inputs; a dry run asks only whether they exist."""

TABLES = (
    "posts", "comments", "users", "votes", "judgments", "examples", "documents", "texts", "groups", "features",
    "rankings", "metrics", "query_metrics", "comparisons", "checks",
)  # fmt: skip

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
"""A block with its language; blocks of other languages are found, too, so that their ends begin none."""


def documented_commands() -> dict[str, str]:
    """Each command line, without comments, with the page or command that prints it first."""
    printed: dict[str, str] = {}
    for page in PAGES:
        for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
            if language not in ("", "bash", "sh", "console"):
                continue
            for line in block.replace("\\\n", " ").splitlines():
                if PROBABLY_A_COMMAND.match(line):
                    printed.setdefault(without_comment(line), str(page.relative_to(ROOT)))
    for job in jobs().values():
        for example in job.settings.examples:
            printed.setdefault(example, f"cqa {job.name} --help")
    return printed


def without_comment(line: str) -> str:
    """A line of a shell without its comment, and with one blank between words outside of quotes."""
    return re.sub(r"\s{2,}", " ", re.sub(r"\s+#(?=\s).*$", "", line)).strip()


def jobs() -> dict[str, Job]:
    """All commands by name."""
    return {job.name: job for job in all_jobs()}


def commands_of(line: str) -> Iterator[list[str]]:
    """The simple commands of a line: what stands between pipes, ``&&`` and redirections."""
    words: list[str] = []
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&<>")
    lexer.whitespace_split = True
    for word in lexer:
        if word in ("|", "&&"):
            yield words
            words = []
        elif set(word) <= set("<>"):
            yield words
            return
        else:
            words.append(word)
    yield words


def job_of(words: list[str]) -> Job | None:
    """The command that the words of ``cqa …`` name."""
    known = jobs()
    return next((known[name] for length in (2, 1) if (name := " ".join(words[1 : 1 + length])) in known), None)


def write_inputs(folder: Path) -> None:
    """The files and folders that command lines name, made without Spark."""
    for name in ("conf", "docs"):
        (folder / name).symlink_to(ROOT / name)
    sample = write_sample(folder / "build" / "sample", threads=12, dev_threads=5, seed=5)
    (folder / "new").mkdir()
    files = {"train": sample.train, "more": sample.train, "dev": sample.dev, "test": sample.dev, "new/new": sample.dev}
    for name, path in files.items():
        (folder / f"{name}.xml").symlink_to(path)
    for site in ("beer", "cs", "english", "dumps/beer", "dumps/cs", "build/android"):
        write_site(folder / f"{site}.stackexchange.com")
    for name in ("questions.jsonl", "duplicates.tsv"):
        for site in ("english", "build/english"):
            (folder / f"{site}.stackexchange.com").mkdir(exist_ok=True)
            (folder / f"{site}.stackexchange.com" / name).touch()
    for names, text in TEXTS.items():
        for name in names:
            (folder / name).write_text(text, encoding="utf-8")
    for name in NAMED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "build" / "night_answers").symlink_to(ROOT / "conf" / "trained" / "night_answers")
    for name in ("dumps/beer.7z", "beer.stackexchange.com.7z"):
        with SevenZipFile(folder / name, "w") as archive:
            archive.writeall(folder / "beer.stackexchange.com", "beer.stackexchange.com")
    write_lake(folder / "build" / "lake")


def write_lake(folder: Path) -> None:
    """A lake whose runs have tables in name only, because a dry run reads no rows; the last one is published."""
    objects = Folder(str(folder))
    for name in ("mine", "beer"):
        record = RunRecord(
            name, "succeeded", "run", config_hash="c0ffee", config="", code_version="0", corpus=name,
            tables=dict.fromkeys(TABLES, 1),
            artifacts=dict.fromkeys(("model/logistic_a", "model/best_a", "model/given_order"), "m"),
        )  # fmt: skip
        record = RunLog(objects).append(record)
    claim(objects, 1)
    change_pointer(objects, 1, partial(Pointer.publishing, record=record))


_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload(["cqa_spark.cli", "cqa_spark.flows", "pyspark.sql"])


def run_apart(arguments: Sequence[str], folder: Path, variables: Mapping[str, str]) -> tuple[int | None, str]:
    """Run ``cqa`` in a process of its own, in which nothing was called before.

    It is a copy of a process that has imported the command line, because a hundred starts of Python take minutes.

    Returns:
        The exit code, and what the command printed.
    """
    output = folder / "output"
    process = _PROCESSES.Process(target=_run, args=(list(arguments), folder, output, dict(variables)))
    process.start()
    process.join()
    return process.exitcode, output.read_text(encoding="utf-8", errors="replace")


def _run(arguments: list[str], folder: Path, output: Path, variables: dict[str, str]) -> None:
    os.chdir(folder)
    os.environ.update(variables)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(written, 1)
    os.dup2(written, 2)
    raise SystemExit(main(arguments))
