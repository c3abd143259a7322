"""``cqa lake forget`` on a small site with a row of every kind in every table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import types as T
from small_runs import held, opened

from cqa_spark.cli import main
from cqa_spark.corpora.erasure import Forgotten, add_forgotten, erasure_of, read_forgotten
from cqa_spark.corpora.question_list import question_lists
from cqa_spark.features.feature_table import feature_table
from cqa_spark.features.learned_group import LEARNED
from cqa_spark.lake.done import add_done, done_findings
from cqa_spark.lake.lake import Lake
from cqa_spark.lake.model_folder import new_model_folder, open_model_folder
from cqa_spark.lake.publishing import publish, rollback
from cqa_spark.lake.run import Run
from cqa_spark.lake.run_log import RunLog
from cqa_spark.lake.schemas import published_tables
from cqa_spark.lake.schemas.accounting import INGESTED_FILES, QUARANTINE
from cqa_spark.lake.schemas.activity import BADGES, POST_HISTORY, POST_LINKS, TAGS, VOTES
from cqa_spark.lake.schemas.community import COMMENTS, JUDGMENTS, POSTS, USERS
from cqa_spark.lake.schemas.examples import EXAMPLES
from cqa_spark.lake.schemas.findings import FINDING_CASES, FINDINGS, QUESTION_VECTORS
from cqa_spark.lake.schemas.metrics import METRICS, QUERY_METRICS
from cqa_spark.lake.schemas.rankings import NIGHT_RANKINGS, RANKINGS, UPSTREAM_SCORES
from cqa_spark.lake.schemas.retrieval import DELETED_QUESTIONS, INDEX_SHARDS, RETRIEVED, UNRETRIEVED
from cqa_spark.lake.schemas.studies import ATTENTIONS
from cqa_spark.lake.schemas.text import BODIES, DOCUMENTS, EMBEDDINGS, TEXTS
from cqa_spark.lake.snapshot import Snapshot, published_snapshot
from cqa_spark.lake.table import Table
from cqa_spark.retrieval.shard import build_shard, to_row
from cqa_spark.settings.dumps import DumpJobSettings, DumpSettings

BEER, WINE = "beer.example.org", "wine.example.org"
FEATURES = feature_table(())
Values = Mapping[str, object]


def _pairs(*pairs: tuple[str, str], **more: object) -> list[Values]:
    return [{"query_id": query, "candidate_id": candidate, **more} for query, candidate in pairs]


PAIRS = (("1", "2"), ("3", "4"), ("3", "5"), ("6", "5"))
VOTERS = '{"Voters":[{"Id":9,"DisplayName":"n"},{"Id":%s,"DisplayName":"m"}]}'
REFERENCES = {"editor_id": "7", "editor_name": "m", "accepted_answer_id": "4"}
TEXT_COLUMNS = ("text_id", "subject_text_id", "body")
TEXT_IDS = (*[f"t{post}" for post in "123456"], *[f"s{post}" for post in "123456"], "c1", "c2", "c3")
ROWS: Mapping[Table, Sequence[Values]] = {
    POSTS: [
        {"post_id": "1", "thread_id": "1", "user_id": "7", "post_type_id": 1, "body": "one"},
        {"post_id": "2", "thread_id": "1", "user_id": "8", "body": "two"},
        {"post_id": "3", "thread_id": "3", "user_id": "8", "post_type_id": 1, "body": "three", **REFERENCES},
        {"post_id": "4", "thread_id": "3", "user_id": "7", "body": "four"},
        {"post_id": "5", "thread_id": "3", "user_id": "9", "editor_id": "70", "body": "five"},
        {"post_id": "6", "thread_id": "6", "user_id": None, "same_as": "1", "body": "six"},
    ],
    COMMENTS: [
        {"comment_id": "1", "post_id": "2", "user_id": "9"},
        {"comment_id": "2", "post_id": "5", "user_id": "7"},
        {"comment_id": "3", "post_id": "5", "user_id": None},
    ],
    USERS: [{"user_id": "7"}, {"user_id": "8"}],
    JUDGMENTS: _pairs(*PAIRS),
    VOTES: [
        {"vote_id": "1", "post_id": "2"},
        {"vote_id": "2", "post_id": "5", "user_id": "7"},
        {"vote_id": "3", "post_id": "5"},
    ],
    BADGES: [{"badge_id": "1", "user_id": "7"}, {"badge_id": "2", "user_id": "8"}],
    TAGS: [{"tag_id": "1", "excerpt_post_id": "4", "wiki_post_id": "5"}],
    POST_LINKS: [
        {"link_id": "1", "post_id": "3", "related_post_id": "1"},
        {"link_id": "2", "post_id": "6", "related_post_id": "3"},
    ],
    POST_HISTORY: [
        {"history_id": "1", "post_id": "1", "user_id": "8"},
        {"history_id": "2", "post_id": "5", "user_id": "7"},
        {"history_id": "3", "post_id": "5", "user_id": "8", "text": VOTERS % "7"},
        {"history_id": "4", "post_id": "5", "user_id": "8", "text": VOTERS % "77"},
    ],
    QUARANTINE: [{"byte_offset": 5, "reason": "Score is no number: x10", "raw": '<row Id="1" Score="x10"'}],
    EXAMPLES: [
        *_pairs(*PAIRS[:2], author_id="8", asker_id="7", fold_key="1"),
        *_pairs(PAIRS[2], author_id="9", asker_id="8", fold_key="3"),
        *_pairs(PAIRS[3], author_id="9", fold_key="1"),
    ],
    UNRETRIEVED: _pairs(*PAIRS, fold_key="3"),
    FEATURES: _pairs(*PAIRS, place="query"),
    RANKINGS: [
        *_pairs(("3", "4"), rank=1, system="a"),
        *_pairs(("3", "5"), rank=2, system="a"),
        *_pairs(("3", "5"), rank=1, system="b"),
        *_pairs(("3", "4"), rank=2, system="b"),
    ],
    NIGHT_RANKINGS: [
        *_pairs(("1@2020-01-02", "2"), thread_id="1", rank=1),
        *_pairs(("3@2020-01-02", "4"), thread_id="3", rank=1),
        *_pairs(("3@2020-01-02", "5"), thread_id="3", rank=2),
    ],
    UPSTREAM_SCORES: _pairs(*PAIRS),
    QUERY_METRICS: [
        {"query_id": "1", "topic": "1"},
        {"query_id": "3", "topic": "1"},
        *[{"query_id": f"{thread}@2020-01-02", "topic": thread, "thread_id": thread} for thread in "13"],
    ],
    RETRIEVED: [*_pairs(("6", "1"), rank=1), *_pairs(("6", "3"), rank=2)],
    FINDINGS: [{"post_id": post, "other_id": other} for post, other in (("2", "3"), ("5", "4"), ("5", "3"))],
    FINDING_CASES: [{"post_id": post} for post in "13"],
    QUESTION_VECTORS: [{"post_id": post} for post in "13"],
    DOCUMENTS: [
        *[{"document_id": post, "text_id": f"t{post}", "subject_text_id": f"s{post}"} for post in "123456"],
        *[{"document_id": f"comment {number}", "text_id": f"c{number}"} for number in "123"],
    ],
}
"""The rows of each site."""

REMOVED = {
    "posts": 3, "comments": 2, "users": 1, "judgments": 2, "votes": 2, "badges": 1, "post_links": 1, "post_history": 2,
    "examples": 2, "unretrieved": 2, "features": 2, "rankings": 2, "night_rankings": 2,
    "upstream_scores": 2, "findings": 2, "finding_cases": 1, "question_vectors": 1,
    "query_metrics": 2, "retrieved": 1, "documents": 5, "index_shards": 1, "tags": 0, "quarantine": 0,
}  # fmt: skip
CHANGED = {"posts": 2, "tags": 1, "post_history": 1, "quarantine": 1, "examples": 1, "query_metrics": 1}
"""What goes with user 7, and what stays without a reference to him."""


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    """A lake whose published run has both sites with the same rows, a model, and a report."""
    return _lake(spark, tmp_path / "lake", r1=_write)


@pytest.fixture
def posts_alone(spark: SparkSession, tmp_path: Path) -> Lake:
    """A lake with two publications of posts and comments."""
    return _lake(spark, tmp_path / "lake", r1=_write_posts, r2=_write_posts)


@pytest.fixture(scope="module")
def unchanged(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A published run with posts and comments, which no test changes."""
    return published_snapshot(_lake(spark, tmp_path_factory.mktemp("unchanged"), r1=_write_posts))


def _lake(spark: SparkSession, folder: Path, **runs: Callable[[Run], None]) -> Lake:
    lake = Lake(spark, str(folder))
    with held(lake) as leased:
        for run_id, write in runs.items():
            with opened(leased, run_id) as run:
                write(run)
            publish(leased, run_id)
    return lake


def _write_posts(run: Run, tables: Iterable[Table] = (POSTS, COMMENTS)) -> None:
    for table in tables:
        of_sites = [{"site": site, **_own_texts(row, site)} for site in (BEER, WINE) for row in ROWS[table]]
        run.write(table, _frame(run.lake.spark, table, of_sites))


def _write(run: Run) -> None:
    _write_posts(run, ROWS)
    run.write(INDEX_SHARDS, run.lake.spark.createDataFrame(list(map(_shard, (BEER, WINE))), INDEX_SHARDS.schema))
    texts = [f"{site}{text}" for site in "bw" for text in ("t7", *TEXT_IDS)]
    run.write(TEXTS, _frame(run.lake.spark, TEXTS, [{"text_id": text} for text in texts]))
    run.write(EMBEDDINGS, _frame(run.lake.spark, EMBEDDINGS, [{"text_id": text} for text in texts]))
    bodies = [sha256(f"{site}{body}".encode()).hexdigest() for site in "bw" for body in ("one", "three", "seven")]
    run.write(BODIES, _frame(run.lake.spark, BODIES, [{"body_id": body} for body in bodies]))
    run.write_entries(METRICS, [])
    run.write_entries(DELETED_QUESTIONS, [{"site": site, "post_id": "8"} for site in (BEER, WINE)])
    pair = {"query_id": "3", "candidate_id": "4", "query_words": [], "candidate_words": [], "weights": []}
    run.write_entries(ATTENTIONS, [{"system": site, "site": site, **pair} for site in (BEER, WINE)])
    run.write_entries(INGESTED_FILES, [_account(site, table) for site in (BEER, WINE) for table in (POSTS, VOTES)])
    path = run.artifact_path("models", "model/best")
    threads = [(site, "t", post, fold, 1) for site in (BEER, WINE) for post, fold in (("1", "1"), ("6", "1"))]
    people = [(site, alias, "name:m") for site in (BEER, WINE) for alias in ("id:7", "name:m", "id:8")]
    with new_model_folder(path, "trained_system", run.lake.storage) as folder:
        folder.write_bytes("ranker/weights", b"0 1")
        columns = "site string, task string, query_id string, fold_key string, fingerprint bigint"
        folder.write_table("threads", run.lake.spark.createDataFrame(threads, columns))
        learned = run.lake.spark.createDataFrame(people, "site string, alias string, person string")
        folder.within("groups/badges").write_table(LEARNED, learned.where("alias <> 'name:m' OR person <> 'x'"))
    run.add_artifact("model/best", path)
    run.lake.objects.put(f"runs/{run.run_id}.{run.record.attempt}/report.html", b"quotes a text")
    run.add_artifact("report", run.artifact_path("report.html"))
    for artifact, file in (("index", "index.html"), (f"threads/{BEER}", "threads/beer/1/0.js")):
        run.lake.objects.put(f"runs/{run.run_id}.{run.record.attempt}/{file}", b"quotes a text")
        run.add_artifact(artifact, run.artifact_path(file.removesuffix("/0.js")))


def _own_texts(row: Values, site: str) -> Values:
    """The row with other texts on every site."""
    return {name: f"{site[0]}{row[name]}" if name in TEXT_COLUMNS else row[name] for name in row}


def _frame(spark: SparkSession, table: Table, rows: Sequence[Values]) -> object:
    """Rows of a table: columns that a row does not name are null, or have some value where they must."""
    some: dict[type[T.DataType], object] = {
        T.StringType: "x", T.IntegerType: 1, T.LongType: 1, T.DoubleType: 1.0, T.BooleanType: False, T.ArrayType: [],
        T.BinaryType: b"", T.TimestampType: datetime(2020, 1, 1, tzinfo=UTC),
    }  # fmt: skip
    complete = [
        tuple(row.get(field.name, None if field.nullable else some[type(field.dataType)]) for field in table.columns)
        for row in rows
    ]
    return spark.createDataFrame(complete, table.schema)


def _shard(site: str) -> Row:
    ids, texts = pa.array(["1", "3", "6", "8"]), pa.array(["first ale", "third ale", "sixth ale", "eighth"])
    shard = build_shard(ids, pa.array([1, 2, 3, 4]), texts, texts, np.zeros((4, 0), np.int16))
    values = to_row(shard, site, "0") | {"model": None, "model_version": None}
    return Row(**{name: _plain(values[name]) for name in INDEX_SHARDS.schema.names})


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _account(site: str, table: Table) -> Values:
    rows = len(ROWS[table]) + 1
    counts = {"rows_in": rows, "rows_out": rows - 1, "rows_quarantined": 1}
    return {"site": site, "source_file": "x", "split": "x", "table_name": table.name, **counts}


def _forget(lake: Lake, *more: str, site: str = BEER) -> int:
    return main(["lake", "forget", "--lake", lake.root, "--site", site, *more])


def _values(snapshot: Snapshot, table: Table, *columns: str) -> list[tuple[object, ...]]:
    rows = snapshot.read(table).where(f"site = '{BEER}'").select(*columns).collect()
    return sorted(map(tuple, rows), key=str)


def test_every_table_loses_exactly_the_rows_of_a_user(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    before = published_snapshot(lake)
    kept = {name: [file for file in files.files if file.site == WINE] for name, files in before.tables.items()}
    seen = [(site, "late_answer", "5", other, "behind") for site in (BEER, WINE) for other in ("3", "4")]
    add_done(lake.objects, seen)
    assert _forget(lake, "--user", "7", "--dry-run") == 0
    said = capsys.readouterr().out
    assert published_snapshot(lake).record == before.record
    for name, rows in REMOVED.items():
        assert [name, str(rows), str(CHANGED.get(name, 0))] in map(str.split, said.splitlines())
    assert _forget(lake, "--user", "7") == 0
    after = published_snapshot(lake)
    assert after.record.run_id != before.record.run_id
    assert done_findings(lake.objects) == [seen[0], *seen[2:]]  # answer 4 of BEER is by user 7

    by_site = {name: (files.rows_by_site(), after.tables[name].rows_by_site()) for name, files in before.tables.items()}
    for name in REMOVED.keys() - {"index_shards"}:
        assert by_site[name][0][BEER] - by_site[name][1][BEER] == REMOVED[name], name
    assert {name: [file for file in files.files if file.site == WINE] for name, files in after.tables.items()} == kept
    assert {table.name for table in published_tables()} - {"texts", "bodies", "embeddings"} <= REMOVED.keys()

    assert _values(after, POSTS, "post_id", "editor_id", "editor_name", "accepted_answer_id", "same_as") == [
        ("3", None, None, None, None),
        ("5", "70", None, None, None),
        ("6", None, None, None, None),
    ]
    assert _values(after, COMMENTS, "comment_id") == [("3",)]
    assert _values(after, VOTES, "vote_id") == [("3",)]
    assert _values(after, POST_LINKS, "link_id") == [("2",)]
    assert _values(after, POST_HISTORY, "history_id", "text") == [("3", None), ("4", VOTERS % "77")]
    assert _values(after, TAGS, "excerpt_post_id", "wiki_post_id") == [(None, "5")]
    assert _values(after, QUARANTINE, "byte_offset", "reason", "raw") == [(5, "Score is no number…", "")]
    assert _values(after, EXAMPLES, "query_id", "candidate_id", "fold_key") == [("3", "5", "3"), ("6", "5", "6")]
    assert _values(after, QUERY_METRICS, "query_id", "topic") == [("3", "3"), ("3@2020-01-02", "3")]
    assert _values(after, RANKINGS, "system", "candidate_id", "rank") == [("a", "5", 1), ("b", "5", 1)]
    assert _values(after, RETRIEVED, "candidate_id", "rank") == [("3", 1)]
    assert _values(after, DOCUMENTS, "document_id") == [("3",), ("5",), ("6",), ("comment 3",)]
    assert _values(after, INDEX_SHARDS, "ids", "questions", "vocabulary") == [
        (["3", "6"], 2, ["ale", "sixth", "third"])
    ]
    texts = {"bt3", "bt5", "bt6", "bs3", "bs5", "bs6", "bc3", *[f"w{text}" for text in TEXT_IDS]}
    assert {row["text_id"] for row in after.read(TEXTS).collect()} == texts
    assert {row["text_id"] for row in after.read(EMBEDDINGS).collect()} == texts
    bodies = {sha256(body).hexdigest() for body in (b"bthree", b"wone", b"wthree")}
    assert {row["body_id"] for row in after.read(BODIES).collect()} == bodies

    assert [entry["site"] for entry in after.entries(DELETED_QUESTIONS)] == [WINE]
    assert [entry["site"] for entry in after.entries(ATTENTIONS)] == [WINE]
    counts = {(e["site"], e["table_name"]): (e["rows_out"], e["rows_forgotten"]) for e in after.entries(INGESTED_FILES)}
    assert counts == {
        (BEER, "posts"): (3, 3), (BEER, "votes"): (1, 2), (WINE, "posts"): (6, None), (WINE, "votes"): (3, None)
    }  # fmt: skip

    assert after.record.artifacts.keys() == {"model/best"}
    model = open_model_folder(after.record.artifacts["model/best"], "trained_system", lake.storage)
    assert model.read_bytes("ranker/weights") == b"0 1"
    assert model.manifest.copy_of is not None
    assert model.manifest.copy_of.original == f"runs/r1.{before.record.attempt}/models/model/best"
    threads = model.read_table("threads").select("site", "query_id", "fold_key").collect()
    assert sorted(map(tuple, threads)) == [(BEER, "6", "6"), (WINE, "1", "1"), (WINE, "6", "1")]
    learned = model.read_table(f"groups/badges/{LEARNED}").collect()
    assert sorted((row["site"], row["alias"]) for row in learned) == [
        (BEER, "id:8"), (BEER, "name:m"), (WINE, "id:7"), (WINE, "id:8"), (WINE, "name:m")
    ]  # fmt: skip
    assert lake.objects.read("report.html") is None
    assert lake.objects.read("index.html") is None


def test_what_was_forgotten_stays_forgotten(posts_alone: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    lake = posts_alone
    records = RunLog(lake.objects).records()
    for unknown in (("--user", "700"), ("--user", "7", "--dry-run"), ("--post", "99")):
        site = WINE.replace("wine", "tea") if "--dry-run" in unknown else BEER
        assert _forget(lake, *unknown, site=site) == 3
        assert "; nothing was written" in capsys.readouterr().err
    assert RunLog(lake.objects).records() == records
    assert read_forgotten(lake.objects) == ()

    assert _forget(lake, "--post", "1") == 0
    assert "for readers and cqa runs rollback: r2;" in capsys.readouterr().out
    first = published_snapshot(lake)
    assert _values(first, POSTS, "post_id") == [("3",), ("4",), ("5",), ("6",)]
    records = RunLog(lake.objects).records()
    assert _forget(lake, "--post", "1") == 0
    assert "post 1 of beer.example.org was forgotten before" in capsys.readouterr().out
    assert RunLog(lake.objects).records() == records

    with held(lake) as leased:
        rollback(leased)
    assert _forget(lake, "--post", "1") == 0  # the run before still had it
    assert _values(published_snapshot(lake), POSTS, "post_id") == [("3",), ("4",), ("5",), ("6",)]
    assert _forget(lake, "--post", "1", "--now") == 0
    assert "no run of the lake has the data any more" in capsys.readouterr().out
    (manifest,) = Path(lake.root).glob("runs/*/manifest.json")
    assert manifest.parent.name == f"{published_snapshot(lake).record.run_id}.{read_forgotten(lake.objects)[0].attempt}"


@pytest.mark.parametrize(
    ("named", "documents"),
    [
        ([("user", "9")], ["5", "comment 1", "comment 2", "comment 3"]),
        ([("post", "5")], ["5", "comment 2", "comment 3"]),
        ([("post", "comment 3")], ["comment 3"]),
        ([("post", "6"), ("user", "70")], ["6"]),
        ([("post", "deleted")], ["deleted"]),
    ],
)
def test_what_goes_with_users_and_posts(
    unchanged: Snapshot, named: list[tuple[str, str]], documents: list[str]
) -> None:
    forgotten = [Forgotten.model_validate({"site": BEER, "kind": kind, "id": name}) for kind, name in named]
    with erasure_of(unchanged, BEER, forgotten) as erasure:
        assert sorted(row["id"] for row in erasure.documents.collect()) == documents
        comments = erasure.remaining_rows(unchanged.read(COMMENTS)).where(f"site = '{BEER}'").collect()
    stays = {f"comment {row['comment_id']}" for row in comments}
    assert stays == {"comment 1", "comment 2", "comment 3"} - set(documents)


def test_a_question_list_is_read_without_what_is_forgotten(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / BEER
    folder.mkdir()
    (folder / "questions.jsonl").write_text(
        "".join(f'{{"qid": {number}, "title": "t{number}"}}\n' for number in (1, 2, 3))
    )
    (folder / "duplicates.tsv").write_text("3\t1\n3\t2\n")
    lake = Lake(spark, str(tmp_path / "lake"))
    settings = DumpJobSettings(lake=lake.root, dumps=DumpSettings(input=(str(folder),)))
    with held(lake) as leased:
        for run_id, posts in (("r1", ["1", "2", "3"]), ("r2", ["2", "3"])):
            (source,) = question_lists(settings)
            with opened(leased, run_id) as run:
                source.ingest(run.seen_by("ingest", (), [table.name for table in source.tables]))
            publish(leased, run_id)
            assert [post for (post,) in _values(published_snapshot(lake), POSTS, "post_id")] == posts
            add_forgotten(lake.objects, Forgotten(site=BEER, kind="post", id="1"))
    assert _values(published_snapshot(lake), POST_LINKS, "related_post_id") == [("2",)]
    files = published_snapshot(lake).entries(INGESTED_FILES)
    assert sorted((each["table_name"], each["rows_out"], each["rows_forgotten"]) for each in files) == [
        ("post_links", 1, 1),
        ("posts", 2, 1),
    ]
