from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from cqa_spark.corpora.accounting import Totals, check_accounting
from cqa_spark.corpora.qatar_living import records as source
from cqa_spark.corpora.qatar_living.reader import SITE
from cqa_spark.corpora.source import CommunityTables
from cqa_spark.errors import InputError
from cqa_spark.settings.sections import ObjectStorageSettings
from cqa_spark.spark.frames import persistence_scope
from cqa_spark.task_contract.contract import task
from cqa_spark.tasks.formats import QatarLiving, SubtaskE


@pytest.fixture(params=[300, source.RANGE])
def ranges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in one range, and in so many that hardly one of them holds a whole thread."""
    monkeypatch.setattr(source, "RANGE", request.param)


def thread(thread_id: str, body: str = "b", attributes: str = "") -> str:
    return (
        f'<Thread THREAD_SEQUENCE="{thread_id}"><RelQuestion RELQ_ID="{thread_id}" RELQ_USERID="U1" {attributes}>'
        f"<RelQSubject>s</RelQSubject><RelQBody>{body}</RelQBody></RelQuestion>"
        f'<RelComment RELC_ID="{thread_id}_C1" RELC_USERID="U2"><RelCText>c</RelCText></RelComment></Thread>'
    )


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(spark: SparkSession, *paths: Path, split: str = "train") -> CommunityTables:
    return files_of(**{split: paths}).read(spark)


def files_of(**by_split: Sequence[Path]) -> QatarLiving:
    return QatarLiving(
        {split: list(map(str, paths)) for split, paths in by_split.items()}, SITE, ObjectStorageSettings()
    )


def rows(frame: DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in frame.select(*columns).collect()), key=str)


def totals(found: CommunityTables) -> Totals:
    return check_accounting([row.asDict() for row in found.ingested_files.collect()])


@pytest.mark.usefixtures("ranges")
def test_tables_of_a_file_with_two_threads_below_one_original_question(spark: SparkSession, tmp_path: Path) -> None:
    first = thread("Q1_R2", attributes='RELQ_RANKING_ORDER="2" RELQ_RELEVANCE2ORGQ="Relevant" '
                   'RELQ_DATE="2010-08-27 01:38:59" RELQ_USERNAME="ana"')  # fmt: skip
    second = thread("Q1_RX9", attributes='RELQ_RELEVANCE2ORGQ="?"')
    path = write(
        tmp_path / "train ä%20.xml",
        "<?xml version='1.0'?>\r\n<xml>\r\n<OrgQuestion ORGQ_ID='Q1'>"
        f"<OrgQSubject>os</OrgQSubject><OrgQBody>ob</OrgQBody>{first}\r\n{second}</OrgQuestion>\r\n</xml>\r\n",
    )
    with persistence_scope():
        found = read(spark, path)
        assert rows(found.posts, "post_id", "thread_id", "subject", "body", "user_id") == [
            ("Q1", "Q1", "os", "ob", None),
            ("Q1_R2", "Q1_R2", "s", "b", "U1"),
            ("Q1_RX9", "Q1_RX9", "s", "b", "U1"),
        ]
        posted = found.posts.where("created_at is not null").select(F.col("created_at").cast("long")).collect()
        assert [row[0] for row in posted] == [datetime(2010, 8, 27, 1, 38, 59, tzinfo=UTC).timestamp()]
        assert rows(found.comments, "comment_id", "post_id", "position", "user_id", "body") == [
            ("Q1_R2_C1", "Q1_R2", 1, "U2", "c"),
            ("Q1_RX9_C1", "Q1_RX9", 1, "U2", "c"),
        ]
        assert rows(found.users, "user_id", "name") == [("U1", "ana"), ("U2", None)]
        assert rows(found.judgments, "task", "query_id", "candidate_id", "thread_id", "label", "initial_rank") == [
            ("external_comment", "Q1", "Q1_R2_C1", "Q1_R2", None, 201),
            ("external_comment", "Q1", "Q1_RX9_C1", "Q1_RX9", None, None),
            ("question_comment", "Q1_R2", "Q1_R2_C1", "Q1_R2", None, 1),
            ("question_comment", "Q1_RX9", "Q1_RX9_C1", "Q1_RX9", None, 1),
            ("question_question", "Q1", "Q1_R2", "Q1_R2", "Relevant", 2),
            ("question_question", "Q1", "Q1_RX9", "Q1_RX9", None, None),
        ]
        assert rows(found.posts, "source_file", "split")[0] == (str(path), "train")


@pytest.mark.usefixtures("ranges")
@pytest.mark.parametrize(("ranges", "mark"), [(source.RANGE, b""), (300, b"\xef\xbb\xbf")], indirect=["ranges"])
def test_bad_records_keep_their_place_and_the_rest_is_read(spark: SparkSession, tmp_path: Path, mark: bytes) -> None:
    bomb = '<!DOCTYPE xml [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>\r\n<xml>'
    bad = {
        thread("Q2", body="&lol2;"): "the thread refers to an entity, which is not allowed: Entity 'lol2' not "
                                     "defined",
        thread("Q3").replace('RELQ_ID="Q3"', ""): "the RelQuestion element has no RELQ_ID",
        thread("Q4", body="<i>"): None,
    }  # fmt: skip
    text = mark + (bomb + thread("Q1") + "\r\n".join(bad) + thread("Q5")).encode()
    invalid, cut = thread("Q6").encode().replace(b"<RelQBody>b", b"<RelQBody>\xff"), b'<Thread a="b"><RelQuestion REL'
    path = write(tmp_path / "bad.xml", text + invalid + b"\n" + cut)
    with persistence_scope():
        found = read(spark, path)
        assert rows(found.posts, "post_id") == [("Q1",), ("Q5",)]
        quarantined = found.quarantine.orderBy("byte_offset").collect()
        whole = path.read_bytes()
        assert [row.raw.encode() for row in quarantined[:3]] == [record.encode() for record in bad]
        assert [row.byte_offset for row in quarantined] == [
            *[whole.index(record.encode()) for record in bad], whole.index(invalid), whole.index(cut),
        ]  # fmt: skip
        assert [row.reason for row in quarantined[:2]] == list(bad.values())[:2]
        assert quarantined[2].reason.startswith("the thread is not well-formed XML: ")
        assert quarantined[3].reason == f"byte {invalid.index(255)} of the record is not valid UTF-8"
        assert quarantined[3].raw == invalid.decode("utf-8", "backslashreplace")
        assert r"<RelQBody>\xff</RelQBody>" in quarantined[3].raw
        assert (quarantined[4].reason, quarantined[4].raw) == ("the file ends inside a thread", cut.decode())
        assert totals(found) == Totals(7, 2, 5)


@pytest.mark.usefixtures("ranges")
def test_the_first_file_given_keeps_a_thread_that_stands_twice(spark: SparkSession, tmp_path: Path) -> None:
    later = write(tmp_path / "a.xml", thread("Q1", body="later") + thread("Q2"))
    first = write(tmp_path / "b.xml", thread("Q1", body="first") + thread("Q3", body="one") + thread("Q3", body="two"))
    with persistence_scope():
        found = read(spark, first, later)
        assert rows(found.posts, "post_id", "body") == [("Q1", "first"), ("Q2", "b"), ("Q3", "one")]
        assert rows(found.quarantine, "source_file", "reason") == [
            (str(later), f"the id Q1 already belongs to a thread of {first}"),
            (str(first), f"the id Q3 already belongs to a thread of {first}"),
        ]
        assert rows(found.ingested_files, "source_file", "rows_in", "rows_out", "rows_quarantined") == [
            (str(later), 2, 1, 1),
            (str(first), 3, 2, 1),
        ]


def test_an_original_question_comes_before_a_thread_with_its_id(spark: SparkSession, tmp_path: Path) -> None:
    dump = write(tmp_path / "dump.xml", thread("Q1"))
    train = write(tmp_path / "train.xml", f"<OrgQuestion ORGQ_ID='Q1'>{thread('Q1_R1')}</OrgQuestion>")
    with persistence_scope():
        found = read(spark, dump, train)
        assert rows(found.posts, "post_id") == [("Q1",), ("Q1_R1",)]
        assert rows(found.quarantine, "reason") == [(f"the id Q1 already belongs to an original question of {train}",)]


def test_a_thread_in_two_annotated_splits_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    files = {split: [write(tmp_path / f"{split}.xml", thread("Q1") + thread(split))]
             for split in ("train", "dev", "unannotated")}  # fmt: skip
    with pytest.raises(InputError, match=r"(?s)1 threads are in files of several splits:\n    Q1 in .*train\.xml"):
        files_of(**files).read(spark)
    with persistence_scope():
        found = files_of(train=files["train"], unannotated=files["unannotated"]).read(spark)
        assert rows(found.posts, "post_id", "split") == [
            ("Q1", "train"), ("train", "train"), ("unannotated", "unannotated"),
        ]  # fmt: skip


def test_layouts_may_be_mixed(spark: SparkSession, tmp_path: Path) -> None:
    old = write(
        tmp_path / "2015.xml",
        '<root>\n<Question QID = "Q7" QUSERID = "U1"><QSubject>s</QSubject><QBody>b'
        '</QBody><Comment CID = "Q7_C1" CGOLD = "Potential"><CBody>c</CBody></Comment></Question>\n</root>',
    )
    with persistence_scope():
        found = read(spark, old, write(tmp_path / "2016.xml", thread("Q1")))
        assert rows(found.judgments, "query_id", "label") == [("Q1", None), ("Q7", "PotentiallyUseful")]
        assert totals(found) == Totals(2, 2, 0)


def test_the_releases_of_2015_are_told_apart(spark: SparkSession, tmp_path: Path) -> None:
    question = '<Question QID = "{}" {} = "{}"><{}>s</{}>{}</Question>'
    trial = question.format("Q1", "CREATED", "2013-01-01 10:34:05", *["Short_Question"] * 2,
                            '<Comment CID = "Q1_C1" ANNOTATION = "good"><Body>c</Body></Comment>')  # fmt: skip
    answers = '<Answer CID = "{}" CGOLD = "direct">c</Answer>'
    arabic = "".join(
        question.format(number, "QDATE", "2009-21-09", *["QSubject"] * 2, answers.format(f"{number}1"))
        for number in (501, 502)
    )
    paths = [write(tmp_path / "trial.xml", f"<root>{trial}</root>"),
             write(tmp_path / "arabic.xml", f"<root>\n{arabic}\n</root>".replace("s<", "a & b<", 1))]  # fmt: skip
    with persistence_scope():
        found = read(spark, *paths)
        assert rows(found.judgments, "query_id", "candidate_id", "label") == [
            ("502", "5021", "Good"),
            ("Q1", "Q1_C1", "Good"),
        ]
        times = [row[0] for row in found.posts.orderBy("post_id").select(F.col("created_at").cast("long")).collect()]
        assert times == [
            datetime(2009, 9, 21, tzinfo=UTC).timestamp(),
            datetime(2013, 1, 1, 10, 34, 5, tzinfo=UTC).timestamp(),
        ]
        (reason,) = rows(found.quarantine, "reason")
        assert str(reason[0]).startswith("the thread is not well-formed XML: ")
        assert totals(found) == Totals(3, 2, 1)


RENAMED = thread("Q1").replace("RelQSubject", "Title").replace("RelQBody", "Text")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (thread("Q1").replace("RELQ_ID", "ID"), "no record could be read: the RelQuestion element has no RELQ_ID"),
        (RENAMED, "no question has a text"),
        (thread("Q1").replace("RelCText", "Text"), "no comment has a text"),
        (thread("Q1", attributes='RELQ_DATE="21/09/2009"'), "no record could be read: RELQ_DATE is '21/09/2009'"),
    ],
)
def test_a_file_whose_names_are_others_is_refused(spark: SparkSession, tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        read(spark, write(tmp_path / "fine.xml", thread("Q7")), write(tmp_path / "other.xml", text))
    assert f"other.xml: {problem}" in refused.value.problem
    assert "fine.xml" not in refused.value.problem
    assert "expected: elements Thread, RelQuestion, RelQSubject" in refused.value.problem
    assert "first record: elements Thread, RelQuestion, " in refused.value.problem


def test_a_file_without_times_or_comments_is_named(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dated = write(tmp_path / "dated.xml", thread("Q2", attributes='RELQ_DATE="2010-08-27 01:38:59"'))
    renamed = thread("Q1").replace("RelComment", "Reply")
    read(spark, write(tmp_path / "without.xml", renamed), dated)
    shown = capsys.readouterr().err
    assert "without.xml: no record has a comment and no time\n    expected: elements Thread, " in shown
    assert (
        "\n    first record: elements Thread, RelQuestion, RelQSubject, RelQBody, Reply, RelCText; attributes " in shown
    )
    assert "dated.xml" not in shown


def test_subtask_e_gives_candidates_with_answers_and_only_perfect_matches_are_duplicates(
    spark: SparkSession, tmp_path: Path
) -> None:
    answer = (
        '<RelAnswer RELA_ID="7_R8_A1" RELA_USERID="61" RELA_SCORE="7" RELA_ACCEPTED="1"><RelAText>a</RelAText>'
        '<RelAComment RELAC_ID="7_R8_A1_C2" RELAC_USERID="15" RELAC_SCORE="4"><RelACText>ac</RelACText></RelAComment>'
        "</RelAnswer></Thread>"
    )
    metadata = 'RELQ_RANKING_ORDER="1" RELQ_SCORE="-1" RELQ_TAGS="root,usb" RELQ_VIEWCOUNT="1054" '
    threads = [
        thread("7_R8", attributes=metadata + 'RELQ_RELEVANCE2ORGQ="PerfectMatch"').replace("</Thread>", answer),
        thread("7_R9", attributes='RELQ_RANKING_ORDER="2" RELQ_RELEVANCE2ORGQ="Related"'),
    ]
    original = "<OrgQuestion ORGQ_ID='7'><OrgQSubject>os</OrgQSubject><OrgQBody>ob</OrgQBody>"
    path = write(tmp_path / "android.xml", "<xml>" + "".join(f"{original}{each}</OrgQuestion>" for each in threads))
    source = SubtaskE({"train": [str(path)]}, "android.stackexchange.com", ObjectStorageSettings())
    with persistence_scope():
        found = source.read(spark)
        assert totals(found) == (2, 2, 0)
        assert rows(found.posts, "post_id", "thread_id", "post_type", "accepted_answer_id", "score", "view_count") == [
            ("7", "7", "question", None, None, None),
            ("7_R8", "7_R8", "question", "7_R8_A1", -1, 1054),
            ("7_R8_A1", "7_R8", "answer", None, 7, None),
            ("7_R9", "7_R9", "question", None, None, None),
        ]
        assert rows(found.posts.where("tags is not null"), "tags") == [(["root", "usb"],)]
        assert rows(found.comments, "comment_id", "post_id", "position", "score") == [
            ("7_R8_A1_C2", "7_R8_A1", 1, 4),
            ("7_R8_C1", "7_R8", 1, None),
            ("7_R9_C1", "7_R9", 1, None),
        ]
        assert rows(found.users, "user_id") == [("15",), ("61",), ("U1",), ("U2",)]
        examples = task("duplicate").build(found.posts, found.comments, found.judgments)
        assert rows(examples, "query_id", "candidate_id", "initial_rank", "label", "relevant", "fold_key") == [
            ("7", "7_R8", 1, 1, True, "7"),
            ("7", "7_R9", 2, 0, False, "7"),
        ]
