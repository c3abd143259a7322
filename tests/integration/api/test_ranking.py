"""``cqa.rank``: pairs of texts in a frame."""

import pandas as pd
import pyarrow as pa
import pytest

import cqa_spark as cqa
from cqa_spark.api import ranking
from cqa_spark.errors import ConfigError, InputError

TOPICS = ("visa", "school", "villa", "doctor", "car", "beach")
PAIRS = [
    {"query_id": number, "query": f"Where is a good {topic} near here, please?", "candidate_id": f"{number}-{place}",
     "candidate": text, "label": good}
    for number, topic in enumerate(TOPICS, start=1)
    for place, (text, good) in enumerate(
        [("No idea at all, sorry.", False), (f"The best {topic} near here is in the centre.", True), ("Thanks!", False)]
    )
]  # fmt: skip


def test_candidates_are_ranked_in_the_kind_of_frame_that_was_given(spark) -> None:
    train, queries = pd.DataFrame(PAIRS[:12]), pd.DataFrame(PAIRS[12:]).drop(columns="label")
    ranked = cqa.rank(queries, "tfidf", train=train)
    assert list(ranked.columns) == ["query_id", "query", "candidate_id", "candidate", "score", "rank", "predicted"]
    assert list(ranked["candidate_id"]) == ["5-0", "5-1", "5-2", "6-0", "6-1", "6-2"]
    assert list(ranked.loc[ranked["rank"] == 1, "candidate_id"]) == ["5-1", "6-1"]
    as_arrow = cqa.rank(pa.Table.from_pandas(queries), "tfidf", train=train)
    assert as_arrow["score"].to_pylist() == list(ranked["score"])


def test_a_spark_frame_stays_in_spark(spark, tmp_path, monkeypatch) -> None:
    columns = "query_id long, query string, candidate_id string, candidate string, label boolean"
    rows = [tuple(pair.values()) for pair in PAIRS]
    train, queries = spark.createDataFrame(rows[:12], columns), spark.createDataFrame(rows[12:], columns).drop("label")
    ranked = cqa.rank(queries.repartition(3), "tfidf", train=train, folder=tmp_path / "ranking")
    assert ranked.columns == ["query_id", "query", "candidate_id", "candidate", "score", "rank", "predicted"]
    found = {(row["query_id"], row["candidate_id"]): row["score"] for row in ranked.collect()}
    in_memory = cqa.rank(pd.DataFrame(PAIRS[12:]).drop(columns="label"), "tfidf", train=pd.DataFrame(PAIRS[:12]))
    keys = zip(in_memory["query_id"], in_memory["candidate_id"], strict=True)
    assert found == dict(zip(keys, in_memory["score"], strict=True))
    assert [row["candidate_id"] for row in ranked.where("rank = 1").orderBy("query_id").collect()] == ["5-1", "6-1"]
    monkeypatch.setattr(ranking, "is_local_master", lambda master: False)
    with pytest.raises(ConfigError, match="executors cannot read a temporary folder"):
        cqa.rank(queries, "tfidf", train=train)


def test_missing_columns_and_unknown_labels_are_refused() -> None:
    pairs = pd.DataFrame(PAIRS)
    with pytest.raises(InputError, match="no column candidate"):
        cqa.rank(pairs.drop(columns="candidate"), "tfidf", train=pairs)
    with pytest.raises(InputError, match="label 'Goood' is not known"):
        cqa.rank(pairs, "tfidf", train=pairs.assign(label="Goood"))
