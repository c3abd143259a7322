import re
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from cqa_spark.errors import EnvironmentProblem
from cqa_spark.synth.qatar_living import SamplePaths, write_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SamplePaths:
    return write_sample(tmp_path_factory.mktemp("sample"), threads=60, dev_threads=24, seed=7)


def threads(path: Path) -> list[etree._Element]:
    return list(etree.parse(str(path)).getroot().iter("Thread"))


def own_labels(path: Path) -> Counter[str]:
    comments = (comment for thread in threads(path) for comment in thread.iter("RelComment"))
    return Counter(comment.attrib["RELC_RELEVANCE2RELQ"] for comment in comments)


def test_same_seed_gives_same_bytes_and_another_seed_does_not(sample: SamplePaths, tmp_path: Path) -> None:
    again = write_sample(tmp_path / "again", threads=60, dev_threads=24, seed=7)
    other = write_sample(tmp_path / "other", threads=60, dev_threads=24, seed=8)
    for name in ("train", "dev", "gold", "unlabelled"):
        assert getattr(again, name).read_bytes() == getattr(sample, name).read_bytes()
    assert other.dev.read_bytes() != sample.dev.read_bytes()


def test_every_thread_has_ten_comments_and_all_three_labels(sample: SamplePaths) -> None:
    assert [len(thread.findall("RelComment")) for thread in threads(sample.dev)] == [10] * 24
    assert set(own_labels(sample.dev)) == {"Good", "PotentiallyUseful", "Bad"}
    relevance = {q.attrib["RELQ_RELEVANCE2ORGQ"] for t in threads(sample.dev) for q in t.iter("RelQuestion")}
    assert relevance == {"PerfectMatch", "Relevant", "Irrelevant"}
    original = {c.attrib["RELC_RELEVANCE2ORGQ"] for t in threads(sample.dev) for c in t.iter("RelComment")}
    assert original == {"Good", "PotentiallyUseful", "Bad"}


def test_an_original_question_has_five_threads_and_the_last_one_the_remainder(sample: SamplePaths) -> None:
    originals = Counter(thread.attrib["THREAD_SEQUENCE"].partition("_")[0] for thread in threads(sample.dev))
    assert originals == {"Q13": 5, "Q14": 5, "Q15": 5, "Q16": 5, "Q17": 4}


def test_one_thread_of_the_training_dump_is_broken(sample: SamplePaths) -> None:
    with pytest.raises(etree.XMLSyntaxError, match="undeclared"):
        threads(sample.train)
    blocks = sample.train.read_text(encoding="utf-8").count("<Thread ")
    assert blocks == 60 + 1


def test_unlabelled_dump_tells_no_label(sample: SamplePaths) -> None:
    assert own_labels(sample.unlabelled) == {"?": 80}
    assert "OrgQuestion" not in sample.unlabelled.read_text(encoding="utf-8")


def test_gold_is_what_the_dump_says_without_repeats(sample: SamplePaths) -> None:
    expected = [
        f"{thread.attrib['THREAD_SEQUENCE']}\t{comment.attrib['RELC_ID']}\t{rank}\t{1 / rank:.15g}\t"
        f"{'true' if comment.attrib['RELC_RELEVANCE2RELQ'] == 'Good' else 'false'}"
        for thread in threads(sample.dev)
        if "SubtaskA_Skip_Because_Same_As_RelQuestion_ID" not in thread.attrib
        for rank, comment in enumerate(thread.iter("RelComment"), start=1)
    ]
    assert sample.gold.read_text(encoding="utf-8").splitlines() == expected


def test_a_repeat_says_what_the_earlier_thread_said(tmp_path: Path) -> None:
    dump = threads(write_sample(tmp_path, threads=1, dev_threads=150, seed=1).dev)
    by_id = {thread.attrib["THREAD_SEQUENCE"]: thread for thread in dump}
    repeats = {t: s for t in dump if (s := t.attrib.get("SubtaskA_Skip_Because_Same_As_RelQuestion_ID"))}
    assert repeats
    for repeat, earlier in repeats.items():
        assert [*repeat.itertext("RelCText")] == [*by_id[earlier].itertext("RelCText")]


def test_no_question_is_asked_in_two_files(sample: SamplePaths) -> None:
    bodies = [
        set(re.findall(r"<RelQBody>(.*)</RelQBody>", path.read_text(encoding="utf-8")))
        for path in (sample.train, sample.dev, sample.unlabelled)
    ]
    assert sum(map(len, bodies)) == len(set.union(*bodies))


def test_good_comments_can_be_told_from_others_but_not_surely(sample: SamplePaths) -> None:
    # A fact worth learning: who gives a telephone number mostly answers; a noise worth having: not always.
    comments = [c for t in threads(sample.dev) for c in t.iter("RelComment")]
    numbered = [c for c in comments if "44" in "".join(c.itertext())]
    share = sum(c.attrib["RELC_RELEVANCE2RELQ"] == "Good" for c in numbered) / len(numbered)
    overall = own_labels(sample.dev)["Good"] / len(comments)
    assert overall + 0.1 < share < 0.95


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(EnvironmentProblem, match="cannot write the sample"):
        write_sample(tmp_path / "file" / "sample", threads=1, dev_threads=1, seed=1)
